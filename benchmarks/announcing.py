"""What announcing costs: ten thousand deliveries at Discord's limits, and polls of many catalogs.

The stand-in for Discord and the game are here; whoever delivers or polls is a process of its own
(`python -m benchmarks.announcing ours FOLDER`), which prints what it took.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from discord.http import HTTPClient, Route, handle_message_parameters
from msgspec.structs import replace

from benchmarks.measuring import Finding, Ratio
from bot.app import open_bot
from bot.domain.announcing import News, NewSubscription
from bot.domain.names import PlaceKind
from bot.domain.outbox import Entry
from bot.features.announcing.deliveries import sample
from bot.kiosk import Kiosk
from bot.settings import load_settings
from bot.worker.kinds import Transaction
from bot.worker.requests import tracing
from bot.worker.verdicts import Settled
from cogs.announce.announcement import announcement
from cogs.announce.kinds import AnnouncementKind
from storage import MIGRATIONS
from storage.database import Database, open_database
from tests.support.announcing import open_desk
from tests.support.discord_standin import Discord, open_discord
from tests.support.rogue_shop import RogueShop, item, open_rogue_shop
from tests.support.world import KEY

_DELIVERIES, _SERVERS = 10_000, 500
# As 45 a second allow.
_SECONDS = _DELIVERIES / 45
_RATE = 45
_CATALOGS, _ITEMS, _PER_PAGE = 100, 1_000, 15
_MEMBER = 4242


def compare(folder: Path) -> Iterator[Finding]:
    """Deliver, deliver plainly, and poll."""
    ours = asyncio.run(_deliveries("ours", folder))
    yield Finding(
        "10,000 announcements in 10,000 channels",
        "the 222 s that 45 a second allow",
        Ratio(ours["seconds"] / _SECONDS),
        at_most=1.05,
    )
    yield Finding("announcements that met a limit", "one", Ratio(ours["refused"]), at_most=0)
    plain = asyncio.run(_deliveries("plain", folder))
    yield Finding(
        "processor time of an announcement",
        "a message of a plain discord.py loop",
        Ratio(ours["processor"] / plain["processor"]),
    )
    polls = asyncio.run(_polls(folder))
    catalogs = "to poll 100 catalogs of 1,000 items, where nothing is new"
    yield Finding(f"processor time {catalogs}", "a second", Ratio(polls["processor"]))
    yield Finding(f"memory {catalogs}", "100 MiB", Ratio(polls["memory"] / (100 * 2**20)))
    yield Finding(f"rows written {catalogs}", "one row", Ratio(polls["rows"]), at_most=0)


async def _deliveries(role: str, folder: Path) -> dict[str, float]:
    place = folder / role
    place.mkdir()
    async with open_rogue_shop() as shop, open_discord() as discord:
        shop.stock(20)
        if role == "plain":
            # It knows nothing that would keep it within them.
            discord.state.limits.in_a_second = _DELIVERIES
        channels = [discord.state.add_channel() for _ in range(_DELIVERIES)]
        (place / "channels.json").write_text(json.dumps(channels), "utf-8")
        result = await _run(role, place, discord, shop.base_url)
        _check(discord)
        return result | {"refused": discord.state.limits.invalid}


async def _polls(folder: Path) -> dict[str, float]:
    place = folder / "polls"
    place.mkdir()
    async with _serve_catalogs() as base_url:
        return await _run("polls", place, None, base_url)


def _check(discord: Discord) -> None:
    """Raise where a channel has not exactly one message."""
    heard = [message.channel_id for message in discord.state.messages]
    assert len(heard) == len(set(heard)) == _DELIVERIES


async def _run(role: str, folder: Path, discord: Discord | None, game: str) -> dict[str, float]:
    environment = {
        **os.environ,
        "STANDIN_API": discord.state.api_url if discord else "",
        "DISCORD_TOKEN": discord.state.token if discord else "",
        "DATABASE_URL": f"sqlite:///{folder / 'kiosk.db'}",
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": game,
        "GAME_TOKEN": "the-operators",
        "EMOJIS": "False",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.announcing", role, str(folder)),
        env=environment,
        stdout=subprocess.PIPE,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(told.splitlines()[-1])


@asynccontextmanager
async def _serve_catalogs() -> AsyncGenerator[str]:
    """Serve the same thousand items as every catalog."""
    pages: dict[int, bytes] = {}
    last = -(-_ITEMS // _PER_PAGE)
    for page in range(1, last + 2):
        items = range((page - 1) * _PER_PAGE + 1, min(page * _PER_PAGE, _ITEMS) + 1)
        listed = [item(number) | {"has_purchased": False} for number in items]
        links = {"next": f"?page={page + 1}" if page < last else None}
        meta = {"current_page": page, "per_page": _PER_PAGE, "from": 1, "to": 1, "path": "/"}
        pages[page] = json.dumps({"data": listed, "links": links, "meta": meta}).encode()

    async def serve(request: web.Request) -> web.Response:
        body = pages[int(request.query.get("page", "1"))]
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get("/api/catalogs/{catalog}/items", serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        port = runner.addresses[0][1]
        yield f"http://127.0.0.1:{port}/api"
    finally:
        await runner.cleanup()


class _Counted(AnnouncementKind):
    """Announcements, of which it is known when all are settled."""

    def __init__(self, bot: Kiosk, left: int) -> None:
        super().__init__(bot.features, bot.refusals)
        self._left = left
        self.done = asyncio.Event()

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        await super().on_settled(transaction, entry, verdict)
        transaction.on_commit(self._count)

    def _count(self) -> None:
        self._left -= 1
        if not self._left:
            self.done.set()


async def _deliver(folder: Path) -> dict[str, float]:
    """Announce one new item to all channels."""
    channels: list[int] = json.loads((folder / "channels.json").read_text("utf-8"))
    async with open_bot(load_settings()) as bot, _discord() as http:
        announcing = bot.features.announcing
        for number, channel in enumerate(channels):
            wanted = frozenset({News.NEW})
            await announcing.add(
                NewSubscription(number % _SERVERS + 1, channel, 0, 1, wanted, "en-US", _MEMBER)
            )
        await announcing.poller.poll(1)
        await _let_something_be_new()
        kind = _Counted(bot, len(channels))
        bot.dispatcher.add(kind)
        begun, used = time.perf_counter(), time.process_time()
        await announcing.poller.poll(1)
        running = asyncio.create_task(bot.dispatcher.run(http))
        await kind.done.wait()
        found = {
            "seconds": time.perf_counter() - begun,
            "processor": time.process_time() - used,
        }
        running.cancel()
        return found


async def _let_something_be_new() -> None:
    """Forget one item, so that the next look finds it new."""
    async with open_database(os.environ["DATABASE_URL"], MIGRATIONS) as database:
        await database.execute("DELETE FROM seen_items WHERE item_id = 7")
        await database.execute("UPDATE followed_catalogs SET version = version + 1")


async def _deliver_plainly(folder: Path) -> dict[str, float]:
    """Send the same card to all channels, 45 a second, and nothing else."""
    channels: list[int] = json.loads((folder / "channels.json").read_text("utf-8"))
    async with open_bot(load_settings()) as bot, _discord() as http:
        announcing = bot.features.announcing
        items = await announcing.items(1, _MEMBER, whole=False)
        new = NewSubscription(1, channels[0], 0, 1, frozenset({News.NEW}), "en-US", _MEMBER)
        one = await announcing.add(new)
        place = await bot.features.directory.place(1, PlaceKind.CATALOG, 1)
        event = sample(one, items, announcing.clock())
        assert event is not None
        begun, used = time.perf_counter(), time.process_time()

        async def send(channel: int) -> None:
            card = announcement([replace(event, id=channel)], place)
            payload = handle_message_parameters(view=card).payload
            route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
            await http.request(route, json=payload)

        async with asyncio.TaskGroup() as tasks:
            for number, channel in enumerate(channels):
                await asyncio.sleep(begun + number / _RATE - time.perf_counter())
                tasks.create_task(send(channel))
        return {
            "seconds": time.perf_counter() - begun,
            "processor": time.process_time() - used,
        }


async def _poll(folder: Path) -> dict[str, float]:
    """Look at all catalogs once more, when nothing is new."""
    shop = RogueShop()
    shop.base_url = os.environ["GAME_BASE_URL"]
    async with open_desk(folder, shop, game_token="the-operators") as desk:
        for number in range(1, _CATALOGS + 1):
            await desk.subscribe(number, catalog_id=number)
            assert await desk.poll(number)
            assert await desk.poll(number)
        before = await _changes(desk.database)
        used = time.process_time()
        for number in range(1, _CATALOGS + 1):
            assert await desk.poll(number)
        processor = time.process_time() - used
        return {
            "processor": processor,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "rows": await _changes(desk.database) - before,
        }


async def _changes(database: Database) -> int:
    """Return how many rows the writing connection has changed so far."""
    async with database.transaction() as transaction:
        row = await transaction.fetch_one("SELECT total_changes() AS changed")
    assert row is not None
    return int(row["changed"])


@asynccontextmanager
async def _discord() -> AsyncGenerator[HTTPClient]:
    Route.BASE = os.environ["STANDIN_API"]
    http = HTTPClient(asyncio.get_running_loop(), http_trace=tracing())
    await http.static_login(os.environ["DISCORD_TOKEN"])
    try:
        yield http
    finally:
        await http.close()


_ROLES: dict[str, Any] = {"ours": _deliver, "plain": _deliver_plainly, "polls": _poll}

if __name__ == "__main__":
    print(json.dumps(asyncio.run(_ROLES[sys.argv[1]](Path(sys.argv[2])))))
