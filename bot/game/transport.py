"""Carry exchanges over aiohttp: timeouts, size limit, retries of reads, rate limit."""

import asyncio
import logging
import random
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import TypeVar

import aiohttp
from aiohttp import hdrs

from bot.game.address import redirect_target
from bot.game.errors import (
    Disconnected,
    ForeignRedirect,
    GameError,
    MalformedResponse,
    RateLimited,
    ServerFault,
    Timeout,
    TooLarge,
    TooLate,
    Unavailable,
    UnknownOutcome,
    Unreachable,
)
from bot.game.limits import Limits
from bot.game.observing import GameHealth, Observer
from bot.game.parsing import MAX_BODY
from bot.game.protocol import Answer, Exchange, Request, path_of
from bot.game.rate_limit import RateLimiter, pause_asked

T = TypeVar("T")

MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRIED = frozenset({429, 502, 503, 504})
# A page of fifteen comments has some 20 kB; ten times as much takes a few milliseconds to read.
_LARGE_BODY = 200_000
# aiohttp takes 0 for "no limit".
_SHORTEST_TIMEOUT = 0.05

_log = logging.getLogger(__name__)
_random = random.SystemRandom()


class _ConnectionCut(aiohttp.ClientConnectionError):
    """A cut connection, under a name that aiohttp does not send again for."""


async def _send_plainly(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Keep aiohttp from adding what was not asked for, as a middleware for each request."""
    # Cookies belong to the session, and so would carry one member's identity to the next.
    request.headers.popall(hdrs.COOKIE, None)
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        # aiohttp repeats a PUT or a DELETE by itself after these.
        raise _ConnectionCut(type(error).__name__) from error


def open_write_session() -> aiohttp.ClientSession:
    """Return a session whose connections carry one request each, for `Transport`'s writes."""
    trace = aiohttp.TraceConfig()

    async def check(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
        # The last moment before the request: connecting may have taken long.
        _check_in_time(context.trace_request_ctx)

    trace.on_connection_create_end.append(check)
    # As many at once as there are members.
    connector = aiohttp.TCPConnector(force_close=True, limit=0)
    return aiohttp.ClientSession(connector=connector, trace_configs=[trace])


def _check_in_time(send_before: float | None) -> None:
    if send_before is not None and time.monotonic() >= send_before:
        raise TooLate("the moment to send it by is over")


class Transport:
    """Performs exchanges; run it where the event loop's clock is the real one.

    Writes go over `write_session`, whose connections carry one request each: whatever a game left
    behind on an older connection is never taken for the answer to a purchase.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        limits: Limits,
        write_session: aiohttp.ClientSession | None = None,
    ) -> None:
        self._session = session
        self._write_session = write_session or session
        self._limits = limits
        self.limiter = RateLimiter(limits.requests_per_second, limits.burst)
        self.health = GameHealth()
        self.observers: list[Observer] = [self.health]
        # What the game's clock said last, and when that was by ours.
        self._told_time: tuple[datetime, float] | None = None

    def game_now(self) -> datetime | None:
        """Return the time by the game's own clock, None before it has told any."""
        if self._told_time is None:
            return None
        told, at = self._told_time
        return told + timedelta(seconds=time.monotonic() - at)

    async def read(self, exchange: Exchange[T]) -> T:
        """Perform a read, again where that may help, within the budget. Raises GameError."""
        deadline = time.monotonic() + self._limits.read_budget
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._perform(exchange, self._limits.attempt_timeout, deadline)
            except GameError as error:
                pause = self._pause_before_retry(error, attempt)
                if pause is None or time.monotonic() + pause >= deadline:
                    raise
                _log.info("%s: %s, asking again", exchange.request.path, error)
            for observer in self.observers:
                observer.on_retry(exchange.request)
            await asyncio.sleep(pause)

    async def write(self, exchange: Exchange[T]) -> T:
        """Perform a write, once.

        Raises UnknownOutcome when it may have happened, another GameError when it has not.
        """
        timeout = self._limits.write_timeout
        try:
            return await self._perform(exchange, timeout, time.monotonic() + timeout)
        except (ForeignRedirect, Unreachable):
            raise
        except (Unavailable, MalformedResponse) as cause:
            raise UnknownOutcome(cause) from cause

    def _pause_before_retry(self, error: GameError, attempt: int) -> float | None:
        """Return the seconds to wait before the next attempt, None when there is none."""
        lost = isinstance(error, Timeout | Disconnected | Unreachable)
        refused = isinstance(error, RateLimited | ServerFault) and error.status in _RETRIED
        if attempt == self._limits.attempts or not (lost or refused):
            return None
        jitter = _random.uniform(0, self._limits.backoff * 2 ** (attempt - 1))
        return max(error.retry_after or 0.0, jitter)

    async def _perform(self, exchange: Exchange[T], longest: float, deadline: float) -> T:
        try:
            return await self._in_turn(exchange, longest, deadline)
        except GameError as error:
            error.asked = exchange.request.method, exchange.request.path
            raise

    async def _in_turn(self, exchange: Exchange[T], longest: float, deadline: float) -> T:
        request = exchange.request
        headers = request.headers()
        patience = min(self._limits.longest_wait, deadline - time.monotonic())
        account = request.member_id
        turn = self.limiter.turn(
            account if request.asker is None else request.asker,
            account,
            within=patience,
            behind_others=self._limits.longest_turn,
            is_write=request.method != "GET",
        )
        asked_at = time.monotonic()
        async with turn:
            begun = time.monotonic()
            for observer in self.observers:
                observer.on_turn(begun - asked_at)
            try:
                # What was spent behind others is not taken from the game's time to answer.
                latest = min(begun + longest, deadline + begun - asked_at)
                answer = await self._answer(request, headers, latest)
            except GameError as error:
                self._tell(request, begun, error)
                raise
        return await self._read(exchange, answer, begun)

    async def _read(self, exchange: Exchange[T], answer: Answer, begun: float) -> T:
        request = exchange.request
        pause = pause_asked(answer.headers, answer.received_at)
        if pause:
            self.limiter.pause(request.member_id, pause)
        try:
            if len(answer.body) < _LARGE_BODY:
                result = exchange.decipher(answer)
            else:
                # Nobody else's answer waits while a large one is read.
                result = await asyncio.to_thread(exchange.decipher, answer)
        except GameError as error:
            self._tell(request, begun, error)
            raise
        self._tell(request, begun, None)
        return result

    def _tell(self, request: Request, begun: float, error: GameError | None) -> None:
        seconds = time.monotonic() - begun
        for observer in self.observers:
            observer.on_answer(request, seconds, error)

    async def _answer(self, request: Request, headers: dict[str, str], deadline: float) -> Answer:
        url = request.url
        answer = await self._send_noted(request, url, headers, deadline)
        self._note_time(answer)
        redirects = 0
        while request.method == "GET" and answer.status in _REDIRECTS:
            redirects += 1
            if redirects > MAX_REDIRECTS:
                raise ForeignRedirect("the game redirects too often")
            url = redirect_target(url, answer.headers.get("location", ""))
            answer = await self._send_noted(request, url, headers, deadline)
        return answer

    async def _send_noted(
        self, request: Request, url: str, headers: dict[str, str], deadline: float
    ) -> Answer:
        begun = time.monotonic()
        status: int | str = "cut off"
        try:
            answer = await self._send(request, url, headers, deadline)
            status = answer.status
        except GameError as error:
            status = error.key
            raise
        else:
            return answer
        finally:
            fields = {
                "method": request.method,
                "path": path_of(url),
                "status": status,
                "milliseconds": round((time.monotonic() - begun) * 1000),
            }
            _log.debug("asked the game", extra=fields)

    def _note_time(self, answer: Answer) -> None:
        # A header that is no date, or none, leaves what was told before.
        with suppress(ValueError, OverflowError):
            told = parsedate_to_datetime(answer.headers.get("date", ""))
            aware = told if told.tzinfo else told.replace(tzinfo=UTC)
            self._told_time = (aware, time.monotonic())

    async def _send(
        self, request: Request, url: str, headers: dict[str, str], deadline: float
    ) -> Answer:
        session = self._session if request.method == "GET" else self._write_session
        if session.closed:
            raise Unreachable("the session is closed")
        timeout = max(deadline - time.monotonic(), _SHORTEST_TIMEOUT)
        _check_in_time(request.send_before)
        try:
            async with session.request(
                request.method,
                url,
                headers=headers,
                data=request.body,
                timeout=aiohttp.ClientTimeout(timeout, self._limits.connect_timeout),
                allow_redirects=False,
                raise_for_status=False,
                # Else a purchase, which has no body, would claim to send application/octet-stream.
                skip_auto_headers=(hdrs.CONTENT_TYPE,),
                middlewares=(_send_plainly,),
                trace_request_ctx=request.send_before,
            ) as response:
                body = await _body(response)
                names = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status, names, body, time.time())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            fault = _fault(error)
        # Raised out here, because some of aiohttp's errors carry the request's headers.
        raise fault


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Read a body of at most MAX_BODY bytes; of an error, as much of it as comes."""
    body = bytearray()
    try:
        if response.content.at_eof():
            # Empty, or already read by whoever wrapped the session.
            body += await response.read()
        else:
            async for chunk in response.content.iter_any():
                body += chunk
                if len(body) > MAX_BODY:
                    # Closed, not released: the rest must not be read either.
                    response.close()
                    break
    except (aiohttp.ClientError, TimeoutError, OSError):
        if response.status < 400:
            raise
        # The status has said it already, and a definite no must not become an unknown outcome.
    if len(body) > MAX_BODY:
        if response.status < 400:
            raise TooLarge(f"the answer has more than {MAX_BODY} bytes")
        return b""
    return bytes(body)


def _fault(error: Exception) -> GameError:
    if isinstance(error, aiohttp.ClientConnectorError):
        return Unreachable(f"no connection: {error.os_error.strerror or type(error).__name__}")
    if isinstance(error, aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL):
        return Unreachable(f"no connection: {type(error).__name__}")
    if isinstance(error, TimeoutError):
        return Timeout("the answer took too long")
    if isinstance(error, aiohttp.ClientResponseError):
        return MalformedResponse("the answer is not HTTP")
    return Disconnected(f"the connection was cut: {type(error).__name__}")
