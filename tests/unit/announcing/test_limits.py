"""A game that takes so many looks of one account: catalogs wait for it, and nothing else does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.features.following.comparing import subscription_key
from bot.rest import Rest
from storage.names import PlaceKind
from tests.support.announcing import QUICK, Desk, open_desk, thread_in
from tests.support.commits import until_none
from tests.support.game_samples import comment
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop

# The client itself waits for no pause that the game asks for, as for none that is long.
IMPATIENT = replace(QUICK, attempts=1, longest_wait=0.001)


@pytest.fixture
async def desk(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Desk]:
    """Twenty catalogs of twenty pages are followed, and none was read."""
    shop.per_page = 2
    shop.stock(39)
    shop.catalogs = set(range(1, 21))
    async with open_desk(tmp_path, shop, limits=IMPATIENT) as opened:
        for catalog_id in shop.catalogs:
            await opened.subscribe(place_id=catalog_id)
        yield opened


@asynccontextmanager
async def polling(desk: Desk) -> AsyncGenerator[None]:
    running = asyncio.create_task(desk.poller.run(Rest(desk.clock)))
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_catalogs_are_read_to_their_ends_and_go_on_at_the_page_that_was_refused(
    desk: Desk, shop: RogueShop
) -> None:
    shop.rate = (60, 0.02)

    async with polling(desk):
        await until_none(desk.database, "SELECT 1 FROM followed WHERE read_at IS NULL")

    # The first reading goes there and back.
    pages = [(catalog, page) for catalog in shop.catalogs for page in range(1, 21)]
    assert shop.shown == dict.fromkeys(pages, 2)
    refused = len(shop.asked) - shop.shown.total()
    # One notices it for all of them.
    assert shop.shown.total() // 60 <= refused < 2 * shop.shown.total() // 60
    assert not await desk.database.fetch("SELECT 1 FROM followed WHERE failures > 0")


async def test_what_waits_longest_is_looked_at_first(tmp_path: Path, shop: RogueShop) -> None:
    shop.catalogs = set(range(1, 21))
    async with open_desk(tmp_path, shop) as desk:
        for catalog_id in reversed(range(1, 21)):
            await desk.subscribe(place_id=catalog_id)
            desk.clock.advance(1)
        async with polling(desk):
            await until_none(desk.database, "SELECT 1 FROM followed WHERE read_at IS NULL")

    asked = dict.fromkeys(request.path.split("/")[3] for request in shop.asked)
    assert {int(number) for number in list(asked)[:8]} == set(range(13, 21))


async def test_a_shorter_interval_counts_from_the_start(tmp_path: Path, shop: RogueShop) -> None:
    async with open_desk(tmp_path, shop, interval=86_400.0) as desk:
        await desk.subscribe()
        assert await desk.poll()
    async with open_desk(tmp_path, shop, clock=desk.clock, interval=60.0) as desk, polling(desk):
        await until_idle(desk.poller)
        due = await desk.following.due(PlaceKind.CATALOG, 1)

    assert due[1] <= desk.clock() + timedelta(minutes=1)


async def test_a_thread_is_looked_at_while_catalogs_wait(desk: Desk, shop: RogueShop) -> None:
    shop.busy_pages, shop.busy_for = {1}, "300"
    shop.comments = [comment()]
    thread = thread_in(1, 30, 0, 1)

    async with polling(desk):
        await shop.arrived.wait()
        await desk.subscribed.add(thread, subscription_key(thread), now=desk.clock())
        desk.poller.hurry()
        await until_idle(desk.poller)

    assert len(await desk.following.comments(1)) == 0
    catalogs = [await desk.following.place(PlaceKind.CATALOG, each) for each in shop.catalogs]
    assert {(each.read_at, each.failures) for each in catalogs if each} == {(None, 0)}


async def test_after_an_hour_a_look_gives_up(desk: Desk, shop: RogueShop) -> None:
    shop.busy_pages, shop.busy_for = {1}, "0.01"
    shop.before_page = lambda _: desk.clock.advance(timedelta(minutes=25))

    assert not await desk.poll()

    assert len(shop.asked) == 3
    place = await desk.following.place(PlaceKind.CATALOG, 1)
    assert place is not None
    assert place.failure == "rate_limited"
