"""The port: /livez, /readyz and /metrics, on loopback alone."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import orjson
from aiohttp import web
from msgspec import Struct
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.features.operating import WorkerState
from bot.game.client import GameClient
from bot.kiosk import Kiosk
from bot.monitoring.metrics import CacheCollector, Metrics
from bot.monitoring.observers import DiscordObserver, GameObserver
from bot.settings import SettingsError
from storage.database import Database
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
# In seconds: what is later than this is as good as dead, to whoever asks for signs of life; and
# whoever collects metrics waits about ten for them.
_LOOP_IS_DEAD = 5.0
_DATABASE_PATIENCE = 3.0
_SECONDS_BETWEEN_LOOKS = 1.0


@asynccontextmanager
async def serve(
    port: int, bot: Kiosk, client: GameClient, database: Database
) -> AsyncGenerator[None]:
    """Measure a bot that has not logged in, and tell of it until the end. Raises SettingsError."""
    metrics = Metrics()
    metrics.registry.register(CacheCollector({"comments": client.comments, "items": client.items}))
    database.time_read = metrics.database_seconds.labels("read").time
    database.time_transaction = metrics.database_seconds.labels("transaction").time
    client.observe(GameObserver(metrics))
    pages = _Pages(bot, metrics, DiscordObserver(metrics, bot))
    bot.tasks.start(pages.watch_loop())
    app = web.Application()
    app.router.add_get("/livez", pages.livez)
    app.router.add_get("/readyz", pages.readyz)
    app.router.add_get("/metrics", pages.show_metrics)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port)
        try:
            await site.start()
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise SettingsError(
                [f"MONITORING_PORT: port {port} can't be had: {why}: name another one"]
            ) from error
        host, port = runner.addresses[0][:2]
        log.info("how this process is: http://%s:%s/readyz and /metrics", host, port)
        yield
    finally:
        await runner.cleanup()


class _Pages(Struct):
    bot: Kiosk
    metrics: Metrics
    discord: DiscordObserver
    # In seconds: how late the event loop came to what was due, when it was last looked at.
    loop_delay: float = 0.0

    async def watch_loop(self) -> NoReturn:
        while True:
            before = time.monotonic()
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            self.loop_delay = max(time.monotonic() - before - _SECONDS_BETWEEN_LOOKS, 0.0)
            self.metrics.loop_delay.observe(self.loop_delay)

    async def livez(self, _request: web.Request) -> web.Response:
        """Say whether this process moves, and does not take itself for a worker that it isn't."""
        faults: list[str] = []
        if self.loop_delay > _LOOP_IS_DEAD:
            faults.append("the event loop stands still")
        worker = self.bot.process_status().worker
        if worker is WorkerState.WITHOUT_LEASE:
            faults.append("the worker works without its lease")
        return _answer(faults, {"loop_delay_seconds": self.loop_delay, "worker": worker})

    async def readyz(self, _request: web.Request) -> web.Response:
        """Say whether members can be answered: the database is there, every shard is connected."""
        faults: list[str] = []
        status = self.bot.process_status()
        try:
            async with asyncio.timeout(_DATABASE_PATIENCE):
                await self.bot.features.operating.installation.find_fact("any")
            if not status.can_write:
                faults.append("the database can't be written")
        except (DatabaseError, TimeoutError):
            faults.append("the database does not answer")
        if not status.has_its_shards:
            faults.append("not every shard is connected")
        shards = {"shards": status.shards_wanted, "shards_connected": status.shards_connected}
        return _answer(faults, shards)

    async def show_metrics(self, _request: web.Request) -> web.Response:
        """Give everything to Prometheus; without the database, what is known without it."""
        await self._measure()
        page = generate_latest(self.metrics.registry)
        return web.Response(body=page, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def _measure(self) -> None:
        bot, metrics, now = self.bot, self.metrics, self.bot.now()
        status = bot.process_status()
        metrics.shards.labels("connected").set(status.shards_connected)
        # One at least, before Discord has said how many.
        wanted = 1 if status.shards_wanted is None else status.shards_wanted
        metrics.shards.labels("wanted").set(wanted)
        metrics.worker.set(bot.worker.is_active)
        metrics.invalid_requests.set(self.discord.count_invalid())
        if status.identifies_left is not None:
            metrics.identifies_left.set(status.identifies_left)
        if not bot.worker.is_active:
            # What it saw while it was is another's to tell.
            metrics.set_polls((), now)
        try:
            async with asyncio.timeout(_DATABASE_PATIENCE):
                metrics.set_numbers(await bot.features.operating.installation.count(now), now)
                if bot.worker.is_active:
                    polls = await bot.features.poller.catalogs()
                    metrics.set_polls([each.read_at or each.followed_at for each in polls], now)
            metrics.database_up.set(status.can_write)
        except (DatabaseError, TimeoutError) as error:
            metrics.database_up.set(0)
            log.warning("what is under way can't be counted: %s", error or "no answer in time")


def _answer(faults: list[str], facts: Mapping[str, Any]) -> web.Response:
    body = {"ok": not faults, "faults": faults, **facts}
    return web.Response(
        status=503 if faults else 200, body=orjson.dumps(body), content_type="application/json"
    )
