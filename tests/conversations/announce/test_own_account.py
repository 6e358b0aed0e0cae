"""Kiosk's own account of the game: there is none, it is refused, or it isn't shown a catalog."""

import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.features.feature_errors import CatalogNotShown, NoOwnAccount, OwnAccountRefused
from bot.features.following.comparing import subscription_key
from cogs.panel.service import PanelService
from game_service.app import KIOSK_TOKEN
from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import (
    ALL,
    add,
    announce_a_hat,
    opened,
    press,
    restock,
    use,
)
from tests.support.announcing import catalog_in, own_account
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import EMPTY, number_of
from tests.support.languages import english_shown
from tests.support.owed import tried
from tests.support.panels import post_panel
from tests.support.permissions import let_discord_say
from tests.support.presses import press_again
from tests.support.rogue_game import RogueShop, item
from tests.support.world import NEWCOMER, SUBSCRIBER, World, open_world

SUPPORT = "https://kiosk.example/support"
NONE, WHOM = NoOwnAccount.body, NoOwnAccount.next_step
REFUSED = OwnAccountRefused.title
NOT_SHOWN = CatalogNotShown.title
SHOWN_NOTHING = "Kiosk's own account can't see this catalog."


async def announced_before(town: World, catalog_id: int = 1) -> None:
    announcing = town.bot.features.announcing
    new = catalog_in(town.guild.id, town.channel.id, catalog_id, created_by=town.moderator.id)
    await announcing.subscribed.add(new, subscription_key(new), now=announcing.now())


async def poll(town: World, catalog_id: int = 1) -> bool:
    return await town.bot.features.poller.poll(PlaceKind.CATALOG, catalog_id)


def leads_to_the_operator(shown: Any) -> bool:
    return SUPPORT in [button.get("url") for button in buttons_of(shown).values()]


def is_refused_without_one(shown: Any) -> bool:
    return f"{NONE}\n{WHOM}" in text_of(shown) and leads_to_the_operator(shown)


# There is none


@pytest.fixture
async def alone(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """Kiosk has no account; a catalog is announced and watched from before, two are linked."""
    pages = {"support_url": SUPPORT}
    async with open_world(tmp_path, shop.base_url, game_token=None, pages=pages) as world:
        for actor in (world.member, world.moderator):
            await world.settle(actor, "any-token")
        await world.bot.features.directory.add(world.guild.id, PlaceKind.CATALOG, 1, "Season")
        let_discord_say(world, ALL)
        await announced_before(world)
        yield world


async def test_without_an_account_managers_are_told_whom_to_ask(alone: World) -> None:
    assert is_refused_without_one(await use(alone, "add", catalog="Season"))

    listed = await use(alone, "list")
    assert f"{NONE} {WHOM}\n**Season** in {alone.channel.mention}" in text_of(listed)
    assert leads_to_the_operator(listed)
    assert "Announce a catalog" not in buttons_of(listed)
    card = await opened(alone)
    assert f"\n-# {NONE}" in text_of(card)
    assert "Next reading" not in text_of(card)
    assert is_refused_without_one(await alone.moderator.click(card, label="Preview"))

    assert (
        "⚠️ **One problem to fix**\n**Kiosk has no account of its own**\n"
        "Item announcements are paused until the bot's operator gives "
    ) in text_of(await alone.slash("setup show", alone.moderator))


async def test_without_an_account_the_list_says_so_in_german(alone: World) -> None:
    speak_language(alone.env, "de")
    listed = await use(alone, "list")
    assert leads_to_the_operator(listed)
    assert not english_shown(alone.env, "de")


async def test_without_an_account_nothing_can_be_watched(alone: World, shop: RogueShop) -> None:
    for wish in ({"item": "2", "catalog": "1"}, {"name": "straw"}):
        assert is_refused_without_one(await alone.slash("shop watch", **wish))
    watches = await alone.slash("account watches")
    assert f"⚠️ {NONE} {WHOM}" in text_of(watches)
    assert leads_to_the_operator(watches)

    gallery = answer_of(await alone.slash("shop browse", catalog="1"))
    shown = await alone.slash("shop item", item="2", catalog="1")
    await alone.member.click(answer_of(shown), label="Share")
    shop.items.clear()
    empty = await alone.slash("shop browse", alone.moderator, catalog="1")
    assert "Watch it" not in text_of(empty)
    for card in (gallery, shown, alone.channel.last_message, empty):
        entries = [entry["label"] for each in selects_of(card) for entry in each["options"]]
        offered = [
            *buttons_of(card),
            *entries,
            str([each["placeholder"] for each in selects_of(card)]),
        ]
        assert not [label for label in offered if "watch" in label.lower()], offered
    # As on a card from before.
    pressed = await press_again(alone.member, alone.channel, gallery, "kiosk.watch:1:1:2")
    assert is_refused_without_one(pressed)


async def test_threads_replies_and_words_need_no_account(tmp_path: Path, demo: str) -> None:
    async with open_world(tmp_path, demo=demo, game_token=None) as world:
        await world.name_demo_places()
        await world.settle(world.member, SUBSCRIBER)
        await world.settle(world.friend, NEWCOMER)
        posted = await world.slash("forum post", thread=EMPTY, content="Who likes acorns?")
        await world.member.click(answer_of(posted), label="Watch replies")
        await world.slash("forum watch", words="squirrel", thread=EMPTY)
        followed = {"thread": EMPTY, "channel": world.channel}
        await world.slash("announce thread", world.moderator, **followed)
        look = world.bot.features.poller.poll
        await look(PlaceKind.THREAD, int(EMPTY))

        answer = {"comment": str(number_of(posted)), "content": "I do, very much"}
        await world.slash("forum reply", world.friend, thread=EMPTY, **answer)
        await world.slash("forum post", world.friend, thread=EMPTY, content="My squirrel")
        await look(PlaceKind.THREAD, int(EMPTY))
        await tried(world)

        member: Any = world.member
        (told,) = member.user.dm_channel.history()
        assert "**Sprig replied to you** · Quiet corner\n> I do, very much" in text_of(told)
        assert "**A comment with “squirrel”** · Quiet corner\n> **Sprig**: My squirrel" in text_of(
            told
        )
        shown = "".join(text_of(message) for message in world.channel.history())
        assert ["I do, very much" in shown, "My squirrel" in shown] == [True, True]


async def test_without_an_account_a_panel_counts_no_new_items(
    alone: World, shop: RogueShop
) -> None:
    poller, panel = alone.bot.features.poller, await post_panel(alone)
    # While there was one, an item was new.
    before = replace(poller, own_account=own_account(poller.client, poller.clock))
    await before.poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    await before.poll(PlaceKind.CATALOG, 1)
    await alone.bot.services[PanelService].redraw(alone.guild.id)

    shown = await panel.after(minutes=11)

    assert "**Catalogs**\nSeason" in shown
    assert "new this week" not in shown


# It is refused


async def test_what_comes_while_the_account_is_refused_is_announced_after(
    town: World, shop: RogueShop
) -> None:
    await announce_a_hat(town, shop)
    shop.expired = {KIOSK_TOKEN}
    shop.items.insert(0, item(98, name="Felt Hat"))
    for _ in range(3):
        assert not await poll(town)
    await tried(town)

    setup = text_of(await town.slash("setup show", town.moderator))
    why = f"{OwnAccountRefused.body} {OwnAccountRefused.next_step}"
    assert f"⚠️ **One problem to fix**\n**{REFUSED}**\n{why}\n" in setup
    card = await opened(town)
    assert f"⚠️ Reading failed: {REFUSED} (first <t:" in text_of(card)
    assert {"Pause", "Edit"} <= buttons_of(card).keys()
    assert REFUSED in text_of(await press(town, "Preview"))
    assert REFUSED in text_of(await add(town, news=["back"]))
    assert "Felt Hat" not in text_of(town.channel.last_message)

    shop.expired = set()
    assert await poll(town)
    await tried(town)
    assert "Felt Hat" in text_of(town.channel.last_message)
    assert REFUSED not in text_of(await town.slash("setup show", town.moderator))


# It isn't shown a catalog


async def test_a_catalog_that_the_account_is_not_shown_is_said_there_and_others_are_read(
    town: World, shop: RogueShop
) -> None:
    shop.catalogs, shop.hidden_catalogs = {1, 2}, {KIOSK_TOKEN: {2}}
    await town.bot.features.directory.add(town.guild.id, PlaceKind.CATALOG, 2, "Outlet")
    let_discord_say(town, ALL)

    refused = await add(town, catalog="Outlet")
    assert f"### {NOT_SHOWN}\n{CatalogNotShown.body}\n" in text_of(refused)
    assert "This server has no announcements yet." in text_of(await use(town, "list"))

    await add(town)
    # As it was shown when it was announced.
    await announced_before(town, 2)
    assert not await poll(town, 2)
    assert "Straw Hat" in text_of(await restock(town, shop, "Straw Hat"))
    read, hidden = [text_of(await opened(town, number)) for number in (0, 1)]
    assert "Reading failed" not in read
    assert f"⚠️ Reading failed: {NOT_SHOWN} (first <t:" in hidden
    setup = text_of(await town.slash("setup show", town.moderator))
    (what,) = re.findall(rf"\*\*One problem to fix\*\*\n(.*)\n{SHOWN_NOTHING}\n", setup)
    assert "Outlet" in what
