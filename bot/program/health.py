"""Ports of this process, and the signs of life at /livez and /readyz of each."""

import asyncio
import time
import typing
from collections import abc
from contextlib import asynccontextmanager

import orjson
from aiohttp import web

from bot.program import status
from bot.program.kiosk import Kiosk
from bot.program.needs import say_taken
from bot.settings import SettingsError

# In seconds: an event loop that is later than this is blocked.
_LOOP_DEAD_SECONDS = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0
# How long a handler may still take once a port is closed.
SECONDS_TO_CLOSE = 0.5


class Health:
    """Answers at once, from what was last seen."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        # In seconds: how late the event loop came to what was due, when it was last looked at.
        self._loop_delay = 0.0

    async def watch_loop(
        self, observe: abc.Callable[[float], object] = lambda _: None
    ) -> typing.NoReturn:
        """Measure how late the event loop is. `observe` gets it, in seconds."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            self._loop_delay = max(time.monotonic() - before - _SECONDS_BETWEEN_LOOKS, 0.0)
            observe(self._loop_delay)

    def _loop_faults(self) -> list[str]:
        return ["the event loop is blocked"] if self._loop_delay > _LOOP_DEAD_SECONDS else []

    async def livez(self, _request: web.BaseRequest) -> web.Response:
        """Say whether this process moves, and doesn't work as the worker without the claim."""
        faults = self._loop_faults()
        worker = self._bot.worker_state()
        if worker is status.WorkerState.WITHOUT_CLAIM:
            faults.append("the worker runs without its claim")
        facts = {"worker": worker, "gateway": self._bot.gateway_state()}
        return _answer(faults, (), {"loop_delay_seconds": self._loop_delay, **facts})

    async def readyz(self, _request: web.BaseRequest) -> web.Response:
        """Say whether another process would do better in this one's place.

        A fault that all processes share is only named: a balancer that leaves them all loses
        every press, and each of them could still answer with a sentence.
        """
        own = self._loop_faults()
        gateway = self._bot.gateway_state()
        if gateway is status.GatewayState.AWAY:
            own.append("no connection to Discord")
        if wrong_clock := self._bot.claims.wrong_clock:
            own.append(wrong_clock)
        if self._bot.is_ending:
            own.append("this process is stopping")
        shared = [*self._bot.faults.values()]
        claims = self._bot.claims
        if claims.is_away or not claims.is_alive:
            shared.append("the database doesn't answer, or can't be written")
        return _answer(own, shared, {"gateway": gateway})


@asynccontextmanager
async def serving(
    runner: web.BaseRunner, name: str, host: str | None, port: int
) -> abc.AsyncGenerator[None]:
    """Open the port of the setting called `name` until the end, on all addresses without a host.

    Raises SettingsError.
    """
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise SettingsError([f"{name}: {say_taken(port, error)}"]) from error
        yield
    finally:
        await runner.cleanup()


def _answer(
    own: abc.Sequence[str], shared: abc.Sequence[str], facts: abc.Mapping[str, typing.Any]
) -> web.Response:
    """Refuse for faults of this process's own. Only name those that it shares with others."""
    faults = [*own, *shared]
    body = {"ok": not faults, "faults": faults, **facts}
    return web.Response(
        status=503 if own else 200, body=orjson.dumps(body), content_type="application/json"
    )
