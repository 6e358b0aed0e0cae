"""Fixtures for the shop without Discord."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.rogue_game import RogueShop
from tests.support.till import Till, open_till


@pytest.fixture
async def till(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Till]:
    async with open_till(tmp_path, shop.base_url) as opened:
        yield opened
