"""What it costs to poll catalogs of a thousand items with nothing new, and many threads.

The game is here. The polling is in a process of its own (`python -m benchmarks.polls FOLDER
ADDRESS`), which prints what that took.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import uvloop
from aiohttp import web

from benchmarks.measuring import Finding, Ratio, ratio_of, watching_loop
from benchmarks.processes import memory_of, told_by
from bot.rest import Rest
from storage.database import Database
from storage.names import PlaceKind
from tests.support.announcing import Desk, open_desk
from tests.support.rogue_game import RogueShop, item

_CATALOGS = range(1, 101)
_ITEMS = 1_000
_PER_PAGE = 15
_LAST_PAGE = -(-_ITEMS // _PER_PAGE)
_MANY_THREADS = 1_000
_FEW_THREADS = 100
_MANY_PLACES = 100_000
# The rows that the poller asks for at once.
_MAX_DUE = 16
_READINGS = 100
_MAX_SECONDS_STOPPED = 0.01
_ROUNDS = 3
# The time between two checks whether a pass of the poller is over.
_PAUSE_SECONDS = 0.05
_FOLLOW_MANY = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
INSERT INTO followed (kind, place_id, followed_at, due_at, read_at)
SELECT 'thread', i, 0, i, i FROM n
"""
_SUBSCRIBE_MANY = """
INSERT INTO subscriptions (
    key, kind, place_id, guild_id, channel_id, locale, created_by, created_at)
SELECT place_id, kind, place_id, place_id / 100, place_id, 'en-US', 1, 0 FROM followed
"""


def compare(folder: Path) -> Iterator[Finding]:
    """Poll all catalogs again and again."""
    place = folder / "polls"
    place.mkdir()
    found = asyncio.run(_measure(place))
    catalogs = "to poll 100 catalogs of 1,000 items, where nothing is new"
    seconds = ratio_of(list(zip(found["seconds"], found["bare"], strict=True)))
    beside = "bare aiohttp reading the same pages"
    yield Finding(f"processor time {catalogs}", beside, seconds, at_most=2.5)
    yield Finding(f"memory {catalogs}", "100 MiB", Ratio(found["memory"] / (100 * 2**20)))
    looks = _ROUNDS * len(_CATALOGS)
    # When it was looked at, which says when the next look is due.
    rows = Ratio(found["rows"] / looks)
    yield Finding(f"rows written {catalogs}", "one a look", rows, at_most=1)
    threads = "processor time of a pass of the poller over 1,000 threads"
    passes = ratio_of(list(zip(found["many"], found["few"], strict=True)))
    yield Finding(threads, "over 100", passes, at_most=12)
    stops = ratio_of([(stop, _MAX_SECONDS_STOPPED) for stop in found["stops"]])
    due = "the longest stop of the loop while the poller reads which of 100,000 places are due"
    yield Finding(due, "10 ms", stops, at_most=1)


async def _measure(folder: Path) -> dict[str, Any]:
    async with _serve_catalogs() as base_url:
        return await told_by("benchmarks.polls", str(folder), base_url)


@asynccontextmanager
async def _serve_catalogs() -> AsyncGenerator[str]:
    """Serve the same thousand items as every catalog, and every thread without comments."""
    pages: dict[int, bytes] = {}
    for page in range(1, _LAST_PAGE + 2):
        items = range((page - 1) * _PER_PAGE + 1, min(page * _PER_PAGE, _ITEMS) + 1)
        listed = [item(number) | {"has_purchased": False} for number in items]
        links = {"next": f"?page={page + 1}" if page < _LAST_PAGE else None}
        meta = {"current_page": page, "per_page": _PER_PAGE, "from": 1, "to": 1, "path": "/"}
        pages[page] = json.dumps({"data": listed, "links": links, "meta": meta}).encode()
    meta = {"current_page": 1, "per_page": _PER_PAGE, "from": None, "to": None, "path": "/"}
    nothing = json.dumps({"data": [], "links": {"next": None}, "meta": meta}).encode()

    async def serve(request: web.Request) -> web.Response:
        body = pages[int(request.query.get("page", "1"))]
        return web.Response(body=body, content_type="application/json")

    async def serve_nothing(_request: web.Request) -> web.Response:
        return web.Response(body=nothing, content_type="application/json")

    app = web.Application()
    app.router.add_get("/api/catalogs/{catalog}/items", serve)
    app.router.add_get("/api/threads/{thread}/comments", serve_nothing)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api"
    finally:
        await runner.cleanup()


async def _poll(folder: Path, base_url: str) -> dict[str, Any]:
    """Return what polling catalogs costs, and what it costs that many threads are followed."""
    shop = RogueShop()
    shop.base_url = base_url
    return {
        **await _poll_catalogs(folder, shop),
        **await _time_passes(folder, shop),
        "stops": await _time_stops(folder, shop),
    }


async def _poll_catalogs(folder: Path, shop: RogueShop) -> dict[str, Any]:
    """Return the processor's seconds of each round, the memory in bytes, and the rows written.

    `bare` are the seconds that it took to read the same pages and do nothing with them.
    """
    async with open_desk(folder, shop, game_token="the-operators") as desk:
        for number in _CATALOGS:
            await desk.subscribe(number, place_id=number)
            # After the second look it is known which pages hold nothing new.
            assert await desk.poll(number)
            assert await desk.poll(number)
        before = await _changes(desk.database)
        seconds = list[float]()
        bare = list[float]()
        async with aiohttp.ClientSession() as session:
            for _ in range(_ROUNDS):
                begun = time.process_time()
                for number in _CATALOGS:
                    assert await desk.poll(number)
                seconds.append(time.process_time() - begun)
                begun = time.process_time()
                for number in _CATALOGS:
                    await _read(session, f"{shop.base_url}/catalogs/{number}/items")
                bare.append(time.process_time() - begun)
        return {
            "seconds": seconds,
            "bare": bare,
            # What a process has had at most is counted from the one that started it.
            "memory": memory_of(os.getpid()) * 1024,
            "rows": await _changes(desk.database) - before,
        }


async def _read(session: aiohttp.ClientSession, url: str) -> None:
    for page in range(1, _LAST_PAGE + 1):
        async with session.get(url, params={"page": page}) as response:
            await response.read()


async def _time_passes(folder: Path, shop: RogueShop) -> dict[str, list[float]]:
    """Return the processor's seconds in which many threads and few are looked at once, in turn."""
    taken: dict[str, list[float]] = {"many": [], "few": []}
    async with (
        _polling(folder, shop, _MANY_THREADS) as many,
        _polling(folder, shop, _FEW_THREADS) as few,
    ):
        for _ in range(_ROUNDS + 1):
            taken["many"].append(await _time_pass(many))
            taken["few"].append(await _time_pass(few))
    # The first one doesn't count: it notes what is there already.
    return {which: seconds[1:] for which, seconds in taken.items()}


@asynccontextmanager
async def _polling(folder: Path, shop: RogueShop, threads: int) -> AsyncGenerator[Desk]:
    """Let the poller run while so many threads are followed."""
    place = folder / f"{threads} threads"
    place.mkdir()
    async with open_desk(place, shop) as desk:
        await _follow(desk.database, threads)
        polling = asyncio.create_task(desk.poller.run(Rest(desk.clock)))
        yield desk
        polling.cancel()
        with suppress(asyncio.CancelledError):
            await polling


async def _time_pass(desk: Desk) -> float:
    # So that all are due.
    desk.clock.advance(2 * desk.poller.interval)
    begun = time.process_time()
    desk.poller.hurry()
    while await _is_any_due(desk):  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(_PAUSE_SECONDS)
    return time.process_time() - begun


async def _is_any_due(desk: Desk) -> bool:
    due = await desk.following.due(PlaceKind.THREAD, 1)
    return min(due.values()) <= desk.clock()


async def _time_stops(folder: Path, shop: RogueShop) -> list[float]:
    """Return the longest times that the loop is blocked, in seconds."""
    place = folder / "places"
    place.mkdir()
    async with open_desk(place, shop) as desk:
        await _follow(desk.database, _MANY_PLACES)
        longest = list[float]()
        for _ in range(_ROUNDS):
            async with watching_loop() as stops:
                for _ in range(_READINGS):
                    await desk.following.due(PlaceKind.THREAD, _MAX_DUE)
            longest.append(max(stops))
        return longest


async def _follow(database: Database, threads: int) -> None:
    """Let a channel follow each of so many threads."""
    async with database.transaction() as transaction:
        await transaction.execute(_FOLLOW_MANY, most=threads)
        await transaction.execute(_SUBSCRIBE_MANY)


async def _changes(database: Database) -> int:
    """Return how many rows the writing connection has changed so far."""
    async with database.transaction() as transaction:
        row = await transaction.fetch_one("SELECT total_changes() AS changed")
    assert row is not None
    return int(row["changed"])


if __name__ == "__main__":
    # On the loop that Kiosk runs on.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(runner.run(_poll(Path(sys.argv[1]), sys.argv[2]))))
