"""Fixtures for conversations about the shop."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.rogue_game import RogueShop
from tests.support.world import World, open_world


@pytest.fixture
async def rogue_world(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """A member linked to the rogue game."""
    async with open_world(tmp_path, shop.base_url) as opened:
        await opened.settle(opened.member, "any-token")
        yield opened
