"""Fixtures for every kind of test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.world import World, open_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    """The demo game and Kiosk on a simulated Discord, with a server and three people."""
    async with open_world(tmp_path) as opened:
        yield opened
