"""A Discord of our own, a game, and the bot as a real process between them."""

from collections.abc import AsyncGenerator

import pytest

from tests.support.discord_standin import Discord, open_discord


@pytest.fixture
async def discord() -> AsyncGenerator[Discord]:
    """The stand-in; it outlives every bot of the test."""
    async with open_discord() as opened:
        yield opened
