"""Fixtures for the shop without Discord."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.rogue_shop import RogueShop, open_rogue_shop
from tests.support.till import Till, open_till


@pytest.fixture
async def game() -> AsyncGenerator[RogueShop]:
    async with open_rogue_shop() as opened:
        opened.stock(20)
        yield opened


@pytest.fixture
async def till(tmp_path: Path, game: RogueShop) -> AsyncGenerator[Till]:
    async with open_till(tmp_path, game.base_url) as opened:
        yield opened
