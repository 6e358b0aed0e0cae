"""Fixtures for conversations about the shop."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cards import answer_of
from tests.support.rogue_game import RogueShop
from tests.support.world import World, open_world


async def browse(world: World, **options: Any) -> Any:
    return answer_of(await world.slash("shop browse", catalog="1", **options))


@pytest.fixture
async def rogue_world(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """A member linked to the rogue game."""
    async with open_world(tmp_path, shop.base_url) as opened:
        await opened.settle(opened.member, "any-token")
        yield opened
