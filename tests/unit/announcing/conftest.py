"""A process that polls a game which does what a test wants."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.announcing import Desk, open_desk
from tests.support.rogue_game import RogueShop


@pytest.fixture
async def desk(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Desk]:
    """The rogue shop's twenty items are known, and channel 20 gets all that is new."""
    async with open_desk(tmp_path, shop) as opened:
        await opened.subscribe()
        assert await opened.poll()
        yield opened
