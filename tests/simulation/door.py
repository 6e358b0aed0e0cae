"""The game's door: every request passes it, is written down, and may meet a fault.

Nothing here is left to chance: the walk chooses each fault.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.clock import Clock

_DONE = (200, 201)
_HTML = "<html><body><h1>Bad gateway</h1></body></html>"


class Kind(StrEnum):
    """What can go wrong with a request to the game."""

    # Held until it is ended; then the game does what was asked and answers.
    SILENT = "silent"
    # The game does it first: only the answer is held.
    SILENT_ABOUT_IT = "silent about it"
    # Held until the clock has moved by the fault's seconds.
    SLOW = "slow"
    # Nothing is done.
    FAILS = "fails with 503 as JSON"
    FAILS_IN_HTML = "fails with 503 as HTML"
    FAILS_BEFORE = "fails with 502 of a proxy"
    CUTS = "cuts the connection"
    # Everything is done, and no one gets the answer.
    LOSES = "does it and cuts the connection"
    LOSES_BEFORE = "does it and answers 502 of a proxy"
    REFUSES_TOKEN = "refuses with 401"
    FORBIDS = "refuses with 403"
    LIMITS = "refuses with 429, and says for how many seconds"


class On(StrEnum):
    """Which requests a fault meets."""

    ALL = "all"
    READS = "reads"
    WRITES = "writes"


@dataclass(eq=False)
class Fault:
    """Something that goes wrong from `suffer` until `recover`, or so many `times`.

    `token` and `path` (a regular expression) narrow it down; lists of comments carry no token.
    """

    kind: Kind
    on: On = On.ALL
    token: str | None = None
    path: str | None = None
    times: int | None = None
    seconds: float = 30.0
    met: int = field(default=0, init=False)
    # By each request that is held: whether its connection is cut in the end.
    held: list["asyncio.Future[bool]"] = field(default_factory=list["asyncio.Future[bool]"])

    def meets(self, request: web.Request, token: str | None) -> bool:
        is_write = request.method != "GET"
        return (
            (self.times is None or self.met < self.times)
            and (self.on is On.ALL or is_write is (self.on is On.WRITES))
            and (self.token is None or self.token == token)
            and (self.path is None or re.search(self.path, request.path) is not None)
        )


@dataclass
class Write:
    """A request that changes the game, as it was seen at the door.

    `done` is the status with which the game carried it out, None if it never got there; `given` is
    the status that the caller was given, None if the connection was cut or nothing came yet. Where
    the answer is a comment, `names_player` tells whether it says whose it is.
    """

    token: str | None
    method: str
    path: str
    body: Mapping[str, Any]
    at: datetime
    done: int | None = None
    given: int | None = None
    names_player: bool = False


# Does what a request with this token asks for; a write is told its status.
CarryOut = Callable[[web.Request, str | None, Handler, Write | None], Awaitable[web.StreamResponse]]


@dataclass(eq=False)
class Door:
    """Hands each request on to the game, unless a fault meets it first."""

    clock: Clock
    _carry_out: CarryOut
    requests: int = 0
    # How many requests met a fault.
    met: int = 0
    in_hand: int = 0
    writes: list[Write] = field(default_factory=list[Write])
    faults: list[Fault] = field(default_factory=list[Fault])
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def suffer(self, fault: Fault) -> Fault:
        """Let something go wrong from now on; the fault that came first is met first."""
        self.faults.append(fault)
        return fault

    def recover(self, *faults: Fault, cuts: bool = False) -> None:
        """End these faults, or all; what is held goes on to the game, or is cut off."""
        for fault in faults or tuple(self.faults):
            self.faults.remove(fault)
            for request in fault.held:
                if not request.done():
                    request.set_result(cuts)

    @property
    def held(self) -> int:
        """How many requests are held at this moment."""
        return sum(len(fault.held) for fault in self.faults)

    async def until_held(self, count: int = 1) -> None:
        await self._until(lambda: self.held >= count)

    async def until_idle(self) -> None:
        """Wait until no request is in hand but those that are held."""
        await self._until(lambda: self.in_hand == self.held)

    def has_confirmed(self, text: str) -> bool:
        """Tell whether the sender of a text was told that it arrived."""
        return any(
            write.given in _DONE and str(write.body.get("content")) == text for write in self.writes
        )

    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.requests += 1
        self.in_hand += 1
        try:
            return await self._handle(request, handler)
        finally:
            self.in_hand -= 1
            self._changed.set()

    async def _handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or None
        fault = next((each for each in self.faults if each.meets(request, token)), None)
        if request.method == "GET" and fault is None:
            return await self._carry_out(request, token, handler, None)
        write = None
        if request.method != "GET":
            write = await self._note(request, token)
        answer = await self._met(fault, request, token, handler, write)
        if answer is None:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        if write is not None:
            write.given = answer.status
        return answer

    async def _met(
        self,
        fault: Fault | None,
        request: web.Request,
        token: str | None,
        handler: Handler,
        write: Write | None,
    ) -> web.StreamResponse | None:
        """Return what the caller is given, None if the connection is cut."""
        if fault is not None:
            self.met += 1
            fault.met += 1
            if fault.kind in (Kind.SILENT, Kind.SLOW) and await self._hold(fault):
                return None
            if fault.kind in _INSTEAD:
                return _INSTEAD[fault.kind](fault)
        answer = await self._carry_out(request, token, handler, write)
        if fault is not None:
            if fault.kind is Kind.LOSES:
                return None
            if fault.kind is Kind.LOSES_BEFORE:
                return _html(502)
            if fault.kind is Kind.SILENT_ABOUT_IT and await self._hold(fault):
                return None
        return answer

    async def _hold(self, fault: Fault) -> bool:
        """Hold a request; return whether its connection is cut in the end."""
        request = asyncio.get_running_loop().create_future()
        timer = None
        if fault.kind is Kind.SLOW:
            timer = self.clock.call_later(
                fault.seconds, lambda: request.done() or request.set_result(False)
            )
        fault.held.append(request)
        self._changed.set()
        try:
            return await request
        finally:
            fault.held.remove(request)
            if timer is not None:
                timer.cancel()

    async def _note(self, request: web.Request, token: str | None) -> Write:
        body = await request.read()
        is_json = request.content_type == "application/json" and body
        fields: dict[str, Any] = json.loads(body) if is_json else dict(await request.post())
        write = Write(token, request.method, _below_prefix(request), fields, self.clock.now())
        self.writes.append(write)
        return write

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._changed.clear()
            await self._changed.wait()


def _below_prefix(request: web.Request) -> str:
    return request.path.removeprefix("/api/v1")


def refusal(status: int, code: str, message: str, **headers: str) -> web.Response:
    return web.json_response(
        {"message": message, "code": code, "errors": {}}, status=status, headers=headers
    )


def _html(status: int) -> web.Response:
    return web.Response(text=_HTML, content_type="text/html", status=status)


_INSTEAD: Mapping[Kind, Callable[[Fault], web.Response | None]] = {
    Kind.FAILS: lambda _: refusal(503, "down", "The game is being repaired."),
    Kind.FAILS_IN_HTML: lambda _: _html(503),
    Kind.FAILS_BEFORE: lambda _: _html(502),
    Kind.CUTS: lambda _: None,
    Kind.REFUSES_TOKEN: lambda _: refusal(401, "unauthorized", "This access token is not valid."),
    Kind.FORBIDS: lambda _: refusal(403, "forbidden", "This account was closed."),
    Kind.LIMITS: lambda fault: refusal(
        429, "too_many_requests", "Too many requests.", **{"Retry-After": f"{fault.seconds:.0f}"}
    ),
}
