"""Databases on both engines."""

from pathlib import Path

import pytest

from tests.support.databases import address_at


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database, on one engine and then on the other."""
    monkeypatch.setenv("DATABASE", request.param)
    return address_at(tmp_path / "kiosk.db")
