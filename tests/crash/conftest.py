"""A Discord of our own, a game, and the bot as a real process between them."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.crash.town import Town, open_town
from tests.support.discord_standin import Discord, open_discord
from tests.support.program import Launcher


@pytest.fixture
async def discord() -> AsyncGenerator[Discord]:
    """The stand-in; it outlives every bot of the test."""
    async with open_discord() as opened:
        yield opened


@pytest.fixture
async def town(launcher: Launcher, tmp_path: Path) -> AsyncGenerator[Town]:
    """The stand-in, a game and the roads to both; it outlives every bot of the test."""
    async with open_town(launcher, tmp_path) as opened:
        yield opened
