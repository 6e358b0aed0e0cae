"""Polling a game that changes, fails and moves its items about."""

import asyncio
import os
import random
from datetime import timedelta
from pathlib import Path

import pytest

from bot.features.following.comparing import subscription_key
from bot.rest import Rest
from game_service.app import KIOSK_TOKEN
from storage.member_watches import MemberWatches
from storage.subscriptions import PERSON, News, add_subscription
from tests.support.announcing import Desk, an_item, news_of, open_desk, thread_in, watch_of
from tests.support.commits import until_none
from tests.support.database_reads import DatabaseRead, watch_reads, watch_statements
from tests.support.gates import Happenings
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop, item

HOUR = timedelta(hours=1)


async def test_each_subscription_hears_what_it_asked_for(desk: Desk) -> None:
    await desk.subscribe(21, news=frozenset({News.CHEAPER}), max_cost=50)
    desk.shop.items[1]["cost"], desk.shop.items[9]["cost"] = 5, 60
    desk.shop.items.append(item(99))

    await desk.poll()

    cheaper = {News.CHEAPER}
    assert await desk.owed() == [
        (20, [(2, cheaper), (10, cheaper), (99, {News.NEW})]),
        (21, [(2, cheaper)]),
    ]


async def test_each_of_many_members_is_owed_a_new_item_once(desk: Desk) -> None:
    members = range(1, 1001)
    async with desk.database.transaction() as transaction:
        for member_id in members:
            wish = watch_of(member_id, 1, "en-US", name="hat")
            key = subscription_key(wish)
            await add_subscription(transaction, wish, key, desk.clock(), renews=False)
    desk.shop.items.append(item(99))

    await desk.poll()

    owed = await desk.database.fetch(
        "SELECT member_id, subject_id FROM messages"
        "  JOIN message_events ON message_key = key JOIN events ON events.id = event_id"
        " WHERE member_id IS NOT NULL ORDER BY member_id"
    )
    assert [(row["member_id"], row["subject_id"]) for row in owed] == [
        (number, 99) for number in members
    ]


async def test_what_goes_on_while_a_look_is_written_hears_of_it(desk: Desk) -> None:
    paused, stays = await desk.subscribe(21), await desk.subscribe(22)
    for one in (paused, stays):
        await desk.subscribed.stop(one.id, PERSON, now=desk.clock())
    event = news_of(an_item(99), News.NEW)

    owe = await desk.owing.news(1, [event])
    await desk.owing.resume(paused.id, tells_missed=True)
    await desk.following.record(await desk.followed(), [], [event], now=desk.clock(), owe=owe)

    assert await desk.owed() == [(channel, [(99, {News.NEW})]) for channel in (20, 21)]


async def test_a_game_that_numbers_its_items_anew_floods_no_channel(desk: Desk) -> None:
    desk.shop.items[:] = [item(number) for number in range(1000, 1101)]

    await desk.poll()

    assert [len(told) for _, told in await desk.owed()] == [101]


async def test_pages_that_are_as_before_count_as_read(desk: Desk) -> None:
    away = desk.shop.items.pop()
    # The first look notes that it is gone, the second that there is nothing new beside that.
    for _ in range(2):
        assert await desk.poll()
    desk.clock.advance(23 * HOUR)
    reads = Happenings[DatabaseRead]()
    watch_reads(desk.database, reads)
    desk.shop.pages_asked.clear()

    assert await desk.poll()

    assert desk.shop.pages_asked == [1, 2]
    assert not [read for read in reads.past if any("state" in dict(row) for row in read.rows)]
    assert (await desk.followed()).read_at == desk.clock()

    # That something is gone is told although the pages are as before.
    desk.clock.advance(2 * HOUR)
    assert await desk.poll()
    assert await desk.owed() == [(20, [(20, {News.GONE})])]
    desk.shop.items += [item(99), away]
    desk.shop.pages_asked.clear()
    assert await desk.poll()
    # Each page is asked for once, whichever of them has changed.
    assert desk.shop.pages_asked == [1, 2]
    assert (await desk.owed())[1:] == [(20, [(99, {News.NEW}), (20, {News.BACK})])]


async def test_what_another_process_has_seen_meanwhile_counts(
    desk: Desk, tmp_path: Path, shop: RogueShop
) -> None:
    before = list(desk.shop.items)
    assert await desk.poll()
    async with open_desk(tmp_path, shop, clock=desk.clock) as other:
        shop.items.pop()
        assert await other.poll()
    desk.clock.advance(25 * HOUR)
    shop.items = before

    assert await desk.poll()

    assert await desk.owed() == [(20, [(20, {News.BACK})])]


async def test_after_more_than_a_day_all_that_was_missed_is_one_message(desk: Desk) -> None:
    desk.shop.items[:0] = [item(number) for number in range(100, 123)]
    desk.clock.advance(25 * HOUR)

    await desk.poll()

    assert [len(told) for _, told in await desk.owed()] == [23]


async def test_another_processs_reading_counts(desk: Desk, tmp_path: Path, shop: RogueShop) -> None:
    async with open_desk(tmp_path, shop, clock=desk.clock) as other:
        for _ in range(25):
            desk.clock.advance(HOUR)
            assert await other.poll()
    desk.shop.items[:0] = [item(number) for number in range(100, 123)]

    await desk.poll()

    assert [len(told) for _, told in await desk.owed()] == [10, 10, 3]


async def test_a_page_that_fails_makes_nothing_gone_and_nothing_new_later(desk: Desk) -> None:
    desk.shop.failing_pages = {2}
    desk.shop.items.insert(0, item(99))
    assert not await desk.poll()
    desk.clock.advance(48 * HOUR)
    assert not await desk.poll()
    desk.shop.failing_pages = set()

    assert await desk.poll()

    # What could be read meanwhile was told all the same.
    assert await desk.owed() == [(20, [(99, {News.NEW})])]


async def test_a_catalog_is_not_known_by_half(tmp_path: Path, shop: RogueShop) -> None:
    async with open_desk(tmp_path, shop) as desk:
        await desk.subscribe()
        shop.failing_pages = {2}
        assert not await desk.poll()
        shop.failing_pages = set()
        assert await desk.poll()

        assert await desk.owed() == []


async def test_two_processes_announce_once(tmp_path: Path, shop: RogueShop) -> None:
    async with open_desk(tmp_path, shop) as one, open_desk(tmp_path, shop) as other:
        await one.subscribe()
        await one.poll()
        await other.poll()
        shop.items.insert(0, item(99))

        await asyncio.gather(one.poll(), other.poll())
        await asyncio.gather(one.poll(), other.poll())

        assert await one.owed() == [(20, [(99, {News.NEW})])]


async def test_without_an_account_only_threads_are_looked_at(
    tmp_path: Path, shop: RogueShop
) -> None:
    thread = thread_in(1, 30, 0, 1)
    async with open_desk(tmp_path, shop, game_token=None) as desk:
        await desk.subscribe()
        await desk.subscribed.add(thread, subscription_key(thread), now=desk.clock())
        polling = asyncio.create_task(desk.poller.run(Rest(desk.clock)))
        await until_idle(desk.poller)
        polling.cancel()

        catalog = await desk.followed()
    assert (catalog.read_at, catalog.failures) == (None, 0)


async def test_that_the_game_refuses_kiosks_account_is_logged_once_an_hour(
    tmp_path: Path, shop: RogueShop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.catalogs, shop.expired = {1, 2}, {KIOSK_TOKEN}
    logged: list[int] = []
    async with open_desk(tmp_path, shop) as desk:
        await desk.subscribe()
        await desk.subscribe(place_id=2)
        for _ in range(5):
            assert not await desk.poll(1)
            assert not await desk.poll(2)
            logged.append(caplog.text.count("The game refuses GAME_TOKEN"))
            desk.clock.advance(timedelta(minutes=20))

    assert logged == [1, 1, 1, 2, 2]


async def test_catalogs_that_stay_unreadable_are_one_line_an_hour(
    tmp_path: Path, shop: RogueShop, caplog: pytest.LogCaptureFixture
) -> None:
    gone = (5, 6, 7)
    async with open_desk(tmp_path, shop) as desk:
        for place_id in gone:
            await desk.subscribe(place_id=place_id)
        for _ in range(4):
            for place_id in gone:
                assert not await desk.poll(place_id)
            desk.clock.advance(timedelta(minutes=20))

    named = "catalog 6, catalog 7, catalog 5"
    assert [line for line in caplog.messages if "Can't read" in line] == [
        "Can't read catalog 5: not_found",
        f"Can't read catalog 5: not_found (8 more since the last such line: {named})",
    ]


async def test_a_failing_catalog_stops_no_other(tmp_path: Path, shop: RogueShop) -> None:
    async with open_desk(tmp_path, shop, interval=1.0) as desk:
        await desk.subscribe(place_id=2)
        polling = asyncio.create_task(desk.poller.run(Rest(desk.clock)))
        await until_none(desk.database, "SELECT 1 FROM followed WHERE failure IS NULL")
        await desk.subscribe()
        desk.poller.hurry()
        await until_none(desk.database, "SELECT 1 FROM followed WHERE place_id = 1 AND version = 0")
        polling.cancel()

        assert set(await desk.following.items(1)) == {*range(1, 21)}


async def test_who_watches_is_read_before_what_is_new_is_written(desk: Desk) -> None:
    for member in range(1, 4):
        watch = watch_of(member, 1, "en-US", subject_id=99, subject_name="Straw Hat")
        parts = {subscription_key(watch): watch}
        assert await MemberWatches(desk.database).add(parts, now=desk.clock(), most=9)
    desk.shop.items.insert(0, item(99, name="Straw Hat"))
    statements: list[str] = []
    watch_statements(desk.database, statements)

    assert await desk.poll()

    assert not [sql for sql in statements if "member_id IS NOT NULL" in sql]
    rows = await desk.database.fetch("SELECT member_id FROM messages WHERE kind = 'watch'")
    assert {row["member_id"] for row in rows} == {1, 2, 3}


SEED = int(os.environ.get("KIOSK_SEED") or random.randrange(1 << 32))
LOOKS = 96
# What is away for longer is news when it returns.
A_DAY = timedelta(hours=23)


async def test_in_a_day_of_changes_every_new_item_is_told_once_and_nothing_else(desk: Desk) -> None:
    chance, shop = random.Random(SEED), desk.shop
    away: list[dict[str, object]] = []
    new: list[int] = []
    for _ in range(LOOKS):
        desk.clock.advance(A_DAY / LOOKS)
        happening = chance.choice(("new", "away", "back", "move", "fail", "nothing"))
        if happening == "new":
            new.append(100 + len(new))
            shop.items.insert(chance.randrange(len(shop.items)), item(new[-1]))
        elif happening == "away" and len(shop.items) > 10:
            away.append(shop.items.pop(chance.randrange(len(shop.items))))
        elif happening == "back" and away:
            shop.items.append(away.pop())
        elif happening == "move":
            chance.shuffle(shop.items)
        shop.fails_every = 3 if happening == "fail" else 0
        await desk.poll()
    shop.fails_every = 0
    shop.items += away
    await desk.poll()

    told = [event for _, events in await desk.owed() for event in events]
    assert sorted(told) == [(number, {News.NEW}) for number in new], f"KIOSK_SEED={SEED}"
