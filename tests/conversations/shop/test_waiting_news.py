"""What a watch tells of waits until it was looked at with its member's account, and comes once."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from game_service import admin
from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from storage.rows import to_micros
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.forum import EMPTY, number_of
from tests.support.owed import tried, try_again
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop, item
from tests.support.world import NEWCOMER, SUBSCRIBER, World, open_world

TOKEN = "any-token"
OLDER = "1 older update isn't shown."
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


async def wait_for_straw(world: World, shop: RogueShop) -> None:
    """Let a member watch, and what they watch for come."""
    await world.slash("shop watch", name="straw", catalog="1")
    poll = world.bot.features.poller.poll
    await poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    await poll(PlaceKind.CATALOG, 1)
    await tried(world)


def told(world: World) -> list[str]:
    member: Any = world.member
    channel = member.user.dm_channel
    return [text_of(message) for message in channel.history()] if channel else []


def looks(shop: RogueShop) -> int:
    return sum(asked.headers.get("authorization") == f"Bearer {TOKEN}" for asked in shop.asked)


async def change(world: World, sql: str, **values: Any) -> None:
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute(sql, **values)


async def link_again(world: World, token: str) -> None:
    """Link an account from the card of what is watched, which says that it is needed."""
    watches = await world.slash("account watches")
    assert "⚠️ " in text_of(watches)
    form = await world.member.click(answer_of(watches), label="Link account")
    await world.member.submit_modal(form, {"token": token})


async def told_all(world: World) -> str:
    """Wait until nothing waits any more, and give what was told."""
    await until_idle(world.bot)
    (news,) = told(world)
    return news


async def test_while_the_game_fails_news_waits_and_comes_once(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.failing = {TOKEN}
    await wait_for_straw(rogue_world, shop)
    await try_again(rogue_world)
    assert told(rogue_world) == []

    shop.failing = set()
    for _ in range(2):
        await try_again(rogue_world)
    (news,) = told(rogue_world)
    assert "Straw Hat" in news
    assert "⚠️" not in text_of(await rogue_world.slash("account watches"))


async def test_a_game_that_fails_for_days_loses_no_news_and_leaks_none(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.failing = {TOKEN}
    await wait_for_straw(rogue_world, shop)
    await rogue_world.pass_time(2 * DAY)
    await change(rogue_world, "UPDATE messages SET attempts = 200")
    await try_again(rogue_world)
    assert not (await rogue_world.slash("help")).followups

    shop.failing = set()
    await try_again(rogue_world)
    (news,) = told(rogue_world)
    assert OLDER in news


async def test_discord_failing_lets_nobody_look_again(rogue_world: World, shop: RogueShop) -> None:
    sending = "/channels/*/messages"
    rogue_world.env.inject_error("POST", sending, status=500, times=1)
    await wait_for_straw(rogue_world, shop)
    assert told(rogue_world) == []
    before = looks(shop)

    await try_again(rogue_world)

    assert len(told(rogue_world)) == 1
    assert looks(shop) == before


@pytest.mark.parametrize("seconds", [0, 100])
async def test_what_a_process_died_over_is_looked_at_before_it_is_told(
    rogue_world: World, shop: RogueShop, seconds: int
) -> None:
    shop.failing = {TOKEN}
    await wait_for_straw(rogue_world, shop)
    # As by one that held it, and had asked the game when it was killed.
    died = to_micros(rogue_world.bot.now() - timedelta(seconds=seconds))
    await change(rogue_world, "UPDATE messages SET attempted_at = :died", died=died)
    await try_again(rogue_world)
    assert not (await rogue_world.slash("help")).followups
    shop.failing, shop.owned = set(), {99}

    await try_again(rogue_world)

    assert not (await rogue_world.slash("help")).followups
    assert told(rogue_world) == []


async def test_while_a_link_is_refused_items_wait_and_come_once_it_is_made_again(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.expired = {TOKEN}
    await wait_for_straw(rogue_world, shop)
    assert told(rogue_world) == []

    await link_again(rogue_world, "another-token")

    assert "Straw Hat" in await told_all(rogue_world)
    watches = await rogue_world.slash("account watches")
    assert "⚠️" not in text_of(watches)
    assert "Link account" not in buttons_of(watches)


async def test_what_waited_longer_than_a_day_for_a_link_is_counted(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.expired = {TOKEN}
    await wait_for_straw(rogue_world, shop)
    await rogue_world.pass_time(2 * DAY)

    await link_again(rogue_world, "another-token")

    assert OLDER in await told_all(rogue_world)


async def test_news_that_waited_for_more_than_a_day_are_counted_beside_what_is_new(
    rogue_world: World, shop: RogueShop, caplog: pytest.LogCaptureFixture
) -> None:
    await wait_for_straw(rogue_world, shop)
    poll = rogue_world.bot.features.poller.poll
    shop.items.insert(0, item(100, name="Straw Boots"))
    await poll(PlaceKind.CATALOG, 1)
    await tried(rogue_world)
    assert len(told(rogue_world)) == 1

    rogue_world.env.inject_error("POST", "/channels/*/messages", status=500, times=1)
    await rogue_world.pass_time(timedelta(hours=26))
    shop.items.insert(0, item(101, name="Straw Coat"))
    await poll(PlaceKind.CATALOG, 1)
    await try_again(rogue_world)

    first, second = told(rogue_world)
    assert "Straw Hat" in first
    assert "Straw Coat" in second
    assert "and 1 older" in second
    assert "Straw Boots" not in second
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_news_of_one_item_names_its_own_catalog_alone(tmp_path: Path, demo: str) -> None:
    async with open_world(tmp_path, demo=demo) as world:
        assert world.game is not None
        await world.name_demo_places()
        await world.settle(world.member, SUBSCRIBER)
        watched = await world.slash("shop watch", name="thistle")
        named = "Attic, Outlet, and Season"
        assert f"appears in {named}" in text_of(watched)
        catalogs = await world.bot.features.announcing.following.due(PlaceKind.CATALOG, 100)
        for nth in range(2):
            if nth:
                await admin.add_item(world.game.database, 2, name="Thistle Hat", cost=300)
            for catalog_id in catalogs:
                await world.bot.features.poller.poll(PlaceKind.CATALOG, catalog_id)
        await tried(world)
        (news,) = told(world)
        assert "Thistle Hat" in news
        assert "New in Outlet" in news
        assert named not in news


async def test_replies_are_told_while_items_wait_for_a_link(tmp_path: Path, demo: str) -> None:
    async with open_world(tmp_path, demo=demo) as world:
        assert world.game is not None
        game = world.game.database
        await world.name_demo_places()
        await world.settle(world.member, SUBSCRIBER)
        await world.settle(world.friend, NEWCOMER)
        posted = await world.slash("forum post", thread=EMPTY, content="Who likes acorns?")
        await world.member.click(answer_of(posted), label="Watch replies")
        await world.slash("shop watch", name="thistle", catalog="1")
        answer = {"thread": EMPTY, "comment": str(number_of(posted))}

        async def look() -> None:
            await world.bot.features.poller.poll(PlaceKind.CATALOG, 1)
            await world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))

        await look()
        await world.slash("forum reply", world.friend, content="I do", **answer)
        await look()
        await tried(world)
        # Within an hour of that, both wait for one message.
        await admin.add_item(game, 1, name="Thistle Hat", cost=300)
        await game.execute("DELETE FROM tokens WHERE player_id = 1")
        await world.slash("forum reply", world.friend, content="So do we", **answer)
        await look()
        await world.pass_time(HOUR)
        await try_again(world)
        first, second = told(world)
        assert ["I do" in first, "So do we" in second] == [True, True]
        assert "Thistle Hat" not in second

        await admin.create_token(game, 1, "another-token")
        await link_again(world, "another-token")
        await world.pass_time(HOUR)
        for _ in range(2):
            await try_again(world)
        *_, third = told(world)
        assert "Thistle Hat" in third
        assert len(told(world)) == 3
