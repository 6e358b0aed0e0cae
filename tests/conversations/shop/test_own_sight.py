"""A game that hides items by account: what is told is what Kiosk's account sees, and its member."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest
import simcord

from bot.features.feature_errors import ItemNotShown
from game_service.app import KIOSK_TOKEN
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World, open_world

MEMBER, FRIEND, MODERATOR = "members", "friends", "moderators"


@pytest.fixture
async def town(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """Three people, each linked to an account of their own, and a catalog with a name."""
    async with open_world(tmp_path, shop.base_url) as world:
        people = zip(people_of(world), (MEMBER, FRIEND, MODERATOR), strict=True)
        for actor, token in people:
            await world.settle(actor, token)
        await world.bot.features.directory.add(world.guild.id, PlaceKind.CATALOG, 1, "Season")
        let_discord_say(world, ALL)
        yield world


def people_of(world: World) -> Sequence[simcord.MemberActor]:
    return world.member, world.friend, world.moderator


async def stock(world: World, shop: RogueShop, *items: dict[str, Any]) -> None:
    """Add new items, and notify everyone who should get news about them."""
    poll = world.bot.features.poller.poll
    await poll(PlaceKind.CATALOG, 1)
    shop.items[:0] = items
    await poll(PlaceKind.CATALOG, 1)
    await tried(world)


def told(actor: Any) -> str:
    return "".join(map(text_of, actor.user.dm_channel.history())) if actor.user.dm_channel else ""


async def test_what_kiosks_account_is_not_shown_is_told_nobody_in_public(
    town: World, shop: RogueShop
) -> None:
    shop.hidden = {KIOSK_TOKEN: {98}}
    form = await town.slash("announce add", town.moderator, catalog="Season")
    kept = answer_of(await fill_in(town.moderator, form, channel=[town.channel]))
    await stock(town, shop, item(98, name="Secret Hat"), item(99, name="Straw Hat"))
    gallery = answer_of(await town.slash("shop browse", town.moderator, catalog="1"))
    assert "Secret Hat" in text_of(await town.moderator.click(gallery, label="Refresh"))

    await town.moderator.click(kept, label="Post newest items")
    await tried(town)
    preview = text_of(await town.moderator.click(kept, label="Preview"))

    announced, newest = [text_of(message) for message in town.channel.history()]
    for shown in (announced, newest, preview):
        assert "Straw Hat" in shown
        assert "Secret Hat" not in shown


async def test_an_item_that_kiosks_account_is_not_shown_can_not_be_watched(
    town: World, shop: RogueShop
) -> None:
    shop.hidden = {KIOSK_TOKEN: {3}}
    refused = f"### Kiosk can't watch this item\n{ItemNotShown.body}"
    assert refused in text_of(await town.slash("shop watch", item="3", catalog="1"))
    shown = answer_of(await town.slash("shop item", item="3", catalog="1"))
    assert refused in text_of(await town.member.click(shown, label="Watch"))
    assert "You're watching this item" in text_of(
        await town.slash("shop watch", item="4", catalog="1")
    )

    shop.hidden_catalogs = {KIOSK_TOKEN: {1}}
    hidden = "### Kiosk can't see this catalog"
    assert hidden in text_of(await town.slash("shop watch", item="2", catalog="1"))
    watches = answer_of(await town.slash("account watches"))
    assert [each["label"] for each in selects_of(watches)[0]["options"]] == ["Hat number 4"]


async def test_a_watch_tells_what_its_member_is_shown_and_does_not_own(
    town: World, shop: RogueShop
) -> None:
    for actor in people_of(town):
        await town.slash("shop watch", actor, name="straw")
    # One is shown both, one not the hat, and one has it already.
    shop.hidden, shop.owned_by = {FRIEND: {99}}, {MODERATOR: {99}}

    await stock(town, shop, item(98, name="Straw Cap"), item(99, name="Straw Hat"))

    for actor, hats in zip(people_of(town), (True, False, False), strict=True):
        assert ("Straw Cap" in told(actor), "Straw Hat" in told(actor)) == (True, hats)


async def test_who_is_shown_nothing_of_it_is_told_nothing(town: World, shop: RogueShop) -> None:
    for actor in people_of(town):
        await town.slash("shop watch", actor, name="straw")
    shop.hidden, shop.hidden_catalogs = {FRIEND: {99}}, {MODERATOR: {1}}

    await stock(town, shop, item(99, name="Straw Hat"))

    assert "Straw Hat" in told(town.member)
    assert [told(actor) for actor in (town.friend, town.moderator)] == ["", ""]
