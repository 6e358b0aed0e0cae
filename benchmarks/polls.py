"""What it costs to poll a hundred catalogs of a thousand items where nothing is new.

The game is here; whoever polls is a process of its own (`python -m benchmarks.polls FOLDER
ADDRESS`), which tells what that took.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import uvloop
from aiohttp import web

from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import memory_of, told_by
from storage.database import Database
from tests.support.announcing import open_desk
from tests.support.rogue_game import RogueShop, item

_CATALOGS = range(1, 101)
_ITEMS = 1_000
_PER_PAGE = 15
_LAST_PAGE = -(-_ITEMS // _PER_PAGE)
_ROUNDS = 3


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


async def _measure(folder: Path) -> dict[str, Any]:
    async with _serve_catalogs() as base_url:
        return await told_by("benchmarks.polls", str(folder), base_url)


@asynccontextmanager
async def _serve_catalogs() -> AsyncGenerator[str]:
    """Serve the same thousand items as every catalog."""
    pages: dict[int, bytes] = {}
    for page in range(1, _LAST_PAGE + 2):
        items = range((page - 1) * _PER_PAGE + 1, min(page * _PER_PAGE, _ITEMS) + 1)
        listed = [item(number) | {"has_purchased": False} for number in items]
        links = {"next": f"?page={page + 1}" if page < _LAST_PAGE else None}
        meta = {"current_page": page, "per_page": _PER_PAGE, "from": 1, "to": 1, "path": "/"}
        pages[page] = json.dumps({"data": listed, "links": links, "meta": meta}).encode()

    async def serve(request: web.Request) -> web.Response:
        body = pages[int(request.query.get("page", "1"))]
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get("/api/catalogs/{catalog}/items", serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api"
    finally:
        await runner.cleanup()


async def _poll(folder: Path, base_url: str) -> dict[str, Any]:
    """Return the processor's seconds of each round, the memory in bytes, and the rows written.

    `bare` are the seconds that it took to read the same pages and do nothing with them.
    """
    shop = RogueShop()
    shop.base_url = base_url
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
                    await _read(session, f"{base_url}/catalogs/{number}/items")
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
