"""A moderator of a server who announces what the rogue game sells."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.support.rogue_game import RogueShop
from tests.support.world import World, open_world

ALL = discord.Permissions.all().value


@pytest.fixture
async def town(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """A moderator who is linked to the rogue game."""
    async with open_world(tmp_path, shop.base_url) as opened:
        await opened.settle(opened.moderator, "any-token")
        await opened.slash("setup catalog add", opened.moderator, id="1", name="Season")
        yield opened


async def use(world: World, name: str, **options: Any) -> Any:
    return await world.slash(f"announce {name}", world.moderator, **options)


async def add(world: World, **options: Any) -> Any:
    return await use(world, "add", **({"catalog": "Season", "channel": world.channel} | options))
