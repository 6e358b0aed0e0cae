"""Signs of life, at /livez and /readyz of whatever port is open."""

import asyncio
import os
import time
import typing
from collections import abc
from contextlib import asynccontextmanager

import orjson
from aiohttp import web

from bot.program import status
from bot.program.kiosk import Kiosk
from bot.settings import SettingsError
from storage.errors import DatabaseError

# In seconds: what is later than this is as good as dead, to whoever asks for signs of life; and
# whoever collects metrics waits about ten for them.
_LOOP_DEAD_SECONDS = 5.0
DATABASE_PATIENCE_SECONDS = 3.0
_SECONDS_BETWEEN_LOOKS = 1.0
# A handler may still take so long once a port is closed.
_SECONDS_TO_CLOSE = 0.5


class Health:
    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        # In seconds: how late the event loop came to what was due, when it was last looked at.
        self._loop_delay = 0.0

    async def watch_loop(self, observe: abc.Callable[[float], object]) -> typing.NoReturn:
        while True:
            before = time.monotonic()
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            self._loop_delay = max(time.monotonic() - before - _SECONDS_BETWEEN_LOOKS, 0.0)
            observe(self._loop_delay)

    async def livez(self, _request: web.Request) -> web.Response:
        """Say whether this process moves, and does not take itself for a worker that it isn't."""
        faults: list[str] = []
        if self._loop_delay > _LOOP_DEAD_SECONDS:
            faults.append("the event loop stands still")
        worker = self._bot.worker_state()
        if worker is status.WorkerState.WITHOUT_CLAIM:
            faults.append("the worker works without its claim")
        facts = {"worker": worker, "gateway": self._bot.gateway_state()}
        return _answer(faults, {"loop_delay_seconds": self._loop_delay, **facts})

    async def readyz(self, _request: web.Request) -> web.Response:
        """Say whether members can be answered here, or by another process that this can follow."""
        faults: list[str] = []
        gateway = self._bot.gateway_state()
        try:
            async with asyncio.timeout(DATABASE_PATIENCE_SECONDS):
                await self._bot.features.installation.find_fact("any")
            if not self._bot.claims.is_alive:
                faults.append("the database can't be written")
        except (DatabaseError, TimeoutError):
            faults.append("the database does not answer")
        if gateway is status.GatewayState.AWAY:
            faults.append("Discord is not connected")
        if self._bot.is_ending:
            faults.append("this process ends")
        return _answer(faults, {"gateway": gateway})


@asynccontextmanager
async def serving(
    bot: Kiosk,
    app: web.Application,
    name: str,
    host: str | None,
    port: int,
    observe_delay: abc.Callable[[float], object] = lambda _: None,
) -> abc.AsyncGenerator[web.AppRunner]:
    """Serve signs of life and what else an application has, until the end.

    The port is that of the setting called `name`, on all addresses without a host. Hears how late
    the event loop is: `observe_delay`, in seconds. Raises SettingsError.
    """
    health = Health(bot)
    app.router.add_get("/livez", health.livez)
    app.router.add_get("/readyz", health.readyz)
    bot.tasks.start(health.watch_loop(observe_delay))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SECONDS_TO_CLOSE)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise SettingsError(
                [f"{name}: port {port} can't be had: {why}: name another one"]
            ) from error
        yield runner
    finally:
        await runner.cleanup()


def _answer(faults: list[str], facts: abc.Mapping[str, typing.Any]) -> web.Response:
    body = {"ok": not faults, "faults": faults, **facts}
    return web.Response(
        status=503 if faults else 200, body=orjson.dumps(body), content_type="application/json"
    )
