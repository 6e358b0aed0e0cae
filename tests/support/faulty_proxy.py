"""A proxy between the bot and the game that holds up, loses, repeats and cuts what passes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial

import aiohttp
import yarl
from aiohttp import web

from tests.support.gates import Gates, Happenings

_HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "transfer-encoding",
    "content-length",
    "content-encoding",
}

Forward = Callable[[], Awaitable[web.Response]]


class Fault(Enum):
    LOST_REQUEST = auto()
    """The connection ends before the game has seen the request."""
    LOST_ANSWER = auto()
    """The game has answered, and the connection ends without a byte of it."""
    CUT_ANSWER = auto()
    """The connection ends in the middle of the answer."""
    REPEATED_REQUEST = auto()
    """The game sees the request twice, and its second answer is the one that arrives."""
    MAINTENANCE = auto()
    """The game has not seen the request, and says that it is down."""


@dataclass(frozen=True)
class Passing:
    method: str
    path: str


def is_read(passing: Passing) -> bool:
    return passing.method == "GET"


def is_write(passing: Passing) -> bool:
    return not is_read(passing)


@dataclass
class FaultyProxy:
    """Sends everything on to `target`, except when it has been told to fail.

    `arriving` holds requests before the game sees them, `leaving` their answers before the bot
    does. `forwarded` is what was sent to the game, repetitions included. With a `manner`, the game
    answers in its way.
    """

    target: str
    base_url: str = ""
    arriving: Gates[Passing] = field(default_factory=Gates[Passing])
    leaving: Gates[Passing] = field(default_factory=Gates[Passing])
    forwarded: Happenings[Passing] = field(default_factory=Happenings[Passing])
    manner: Callable[[web.Request, Forward], Awaitable[web.Response]] | None = None
    session: aiohttp.ClientSession | None = None
    _runner: web.AppRunner | None = None
    _ended: Happenings[Passing] = field(default_factory=Happenings[Passing])
    _on_the_way: int = 0
    _faults: list[tuple[Callable[[Passing], bool], Fault]] = field(
        default_factory=list[tuple[Callable[[Passing], bool], Fault]]
    )

    @contextmanager
    def failing(self, fault: Fault, wanted: Callable[[Passing], bool]) -> Generator[None]:
        entry = (wanted, fault)
        self._faults.append(entry)
        try:
            yield
        finally:
            self._faults.remove(entry)

    def fault_of(self, passing: Passing) -> Fault | None:
        return next((fault for wanted, fault in self._faults if wanted(passing)), None)

    @asynccontextmanager
    async def closed(self) -> AsyncGenerator[None]:
        """Let no one in while the block runs, so that no connection can be made."""
        await self.stop()
        try:
            yield
        finally:
            await self.listen(yarl.URL(self.base_url).port or 0)

    async def listen(self, port: int = 0) -> None:
        """Let the bot in, on any free port unless one is given."""
        app = web.Application()
        app.router.add_route("*", "/{anything:.*}", self.relay)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        host = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.base_url = host + _path_of(self.target)

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def passed(self, wanted: Callable[[Passing], bool]) -> None:
        """Wait until one that is wanted, from now on, has come to its end, whichever it was."""
        await self._ended.first(wanted, since=len(self._ended.past))

    async def quiet(self) -> None:
        """Wait until nothing is on its way any more, from any sender."""
        await self._ended.until(lambda: not self._on_the_way)

    async def relay(self, request: web.Request) -> web.StreamResponse:
        """Send one request on, and its answer back."""
        session = self.session
        assert session is not None
        passing = Passing(request.method, request.path)
        self._on_the_way += 1
        try:
            return await self._relay(session, request, passing)
        finally:
            self._on_the_way -= 1
            self._ended.add(passing)

    async def _relay(
        self, session: aiohttp.ClientSession, request: web.Request, passing: Passing
    ) -> web.StreamResponse:
        fault = self.fault_of(passing)
        try:
            body = await request.read()
        except ConnectionResetError:
            # Its sender died in the middle of it.
            return _hang_up(request)
        await self.arriving.pass_by(passing)
        if fault is Fault.LOST_REQUEST:
            return _hang_up(request)
        if fault is Fault.MAINTENANCE:
            return web.json_response({"message": "Down for maintenance"}, status=503)
        try:
            response = await self._ask(session, request, body)
            if fault is Fault.REPEATED_REQUEST:
                response = await self._ask(session, request, body)
        except aiohttp.ClientError:
            # The game is gone, or went while it answered.
            return _hang_up(request)
        await self.leaving.pass_by(passing)
        if fault is Fault.LOST_ANSWER:
            return _hang_up(request)
        if fault is Fault.CUT_ANSWER:
            return await _cut_short(request, response)
        return response

    async def _ask(
        self, session: aiohttp.ClientSession, request: web.Request, body: bytes
    ) -> web.Response:
        self.forwarded.add(Passing(request.method, request.path))
        forward = partial(self._forward, session, request, body)
        return await (forward() if self.manner is None else self.manner(request, forward))

    async def _forward(
        self, session: aiohttp.ClientSession, request: web.Request, body: bytes
    ) -> web.Response:
        async with session.request(
            request.method,
            self.target + request.path_qs.removeprefix(_path_of(self.base_url)),
            headers=request.headers,
            data=body,
        ) as response:
            headers = {k: v for k, v in response.headers.items() if k.lower() not in _HOP_BY_HOP}
            return web.Response(status=response.status, headers=headers, body=await response.read())


@asynccontextmanager
async def open_proxy(target: str) -> AsyncGenerator[FaultyProxy]:
    """Listen on a free port of loopback until the block ends; `target` is the game's base URL."""
    proxy = FaultyProxy(target)
    async with aiohttp.ClientSession() as session:
        proxy.session = session
        try:
            await proxy.listen()
            yield proxy
        finally:
            await proxy.stop()


def _path_of(url: str) -> str:
    return yarl.URL(url).path.rstrip("/")


def _hang_up(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _cut_short(request: web.Request, response: web.Response) -> web.StreamResponse:
    body = response.body
    assert isinstance(body, bytes)
    half = web.StreamResponse(status=response.status, headers=response.headers)
    half.content_length = len(body)
    await half.prepare(request)
    await half.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return half
