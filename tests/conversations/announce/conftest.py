"""A moderator of a server who announces what the rogue game sells."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import discord
import pytest

from storage.names import PlaceKind
from tests.support.cards import answer_of, selects_of
from tests.support.forms import fill_in
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World, open_world

ALL = discord.Permissions.all().value
SEND = discord.Permissions(send_messages=True)
NOTHING = discord.Permissions.none()


@pytest.fixture
async def town(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """A moderator who is linked to the rogue game."""
    async with open_world(tmp_path, shop.base_url) as opened:
        await opened.settle(opened.moderator, "any-token")
        # As from before: naming it by command would leave a page of it at hand.
        await opened.bot.features.directory.add(opened.guild.id, PlaceKind.CATALOG, 1, "Season")
        yield opened


async def deny(
    world: World, channel_id: int | None = None, denied: discord.Permissions = SEND
) -> None:
    """Deny everyone the permissions `denied` in a channel, and no others any longer."""
    change = world.bot.http.edit_channel_permissions
    everyone = world.guild.default_role.id
    await change(channel_id or world.channel.id, everyone, "0", str(denied.value), 0)


async def use(world: World, name: str, **options: Any) -> Any:
    return await world.slash(f"announce {name}", world.moderator, **options)


async def add(world: World, catalog: str = "Season", **filled: Any) -> Any:
    form = await use(world, "add", catalog=catalog)
    return await fill_in(world.moderator, form, **{"channel": [world.channel], **filled})


async def opened(world: World, number: int = 0) -> Any:
    """Open an announcement of the list, and give its card."""
    card = answer_of(await use(world, "list"))
    entry = selects_of(card)[0]["options"][number]["value"]
    await world.moderator.select(card, [entry])
    return card


async def edit(world: World, **changes: Any) -> Any:
    """Change the first announcement of the list by its form."""
    card = await opened(world)
    form = await world.moderator.click(card, label="Edit")
    return await fill_in(world.moderator, form, **changes)


async def press(world: World, *labels: str) -> Any:
    """Press one button after another on the first announcement's card, and give the card."""
    card = await opened(world)
    for label in labels:
        await world.moderator.click(card, label=label)
    return card


async def announce_a_hat(town: World, shop: RogueShop) -> Any:
    """Let a new item appear in a catalog that is announced, and give what was posted."""
    let_discord_say(town, ALL)
    await add(town)
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    posted = town.channel.last_message
    assert posted is not None
    return posted


async def restock(town: World, shop: RogueShop, *names: str) -> Any:
    """Let new items be announced, and give what was posted."""
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items[:0] = [item(90 + number, name=name) for number, name in enumerate(names)]
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    return town.channel.last_message
