"""Databases on both engines."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support.postgres import empty_schema, run_postgres


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A PostgreSQL that is started when the first test asks for it."""
    with run_postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, on one engine and then on the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/kiosk.db"
    server: Any = request.getfixturevalue("postgres")
    return empty_schema(server)
