"""Carry requests to the game and answers back: where to, in which turn, within which time."""

import asyncio
import datetime as dt
import json
import logging
import math
import random
import re
import typing
from collections import abc
from contextlib import suppress
from email.utils import parsedate_to_datetime
from urllib.parse import urlencode

import aiohttp
from aiohttp import hdrs
from msgspec import Struct
from pydantic import SecretStr
from yarl import URL

from bot.clock import Clock
from bot.game import game_errors, rate_limit
from bot.game import game_errors as errors
from bot.game.models import YEARS
from bot.game.reading import read_complaint

T = typing.TypeVar("T")
BodyFormat = typing.Literal["json", "form"]

MAX_BODY_BYTES = 2 * 1024 * 1024
# A page of fifteen comments has some 20 kB. Ten times that takes a few milliseconds to read.
_LARGE_BODY_BYTES = 200_000
# Replaces the body of an error of which only a part came, or too much.
_UNREADABLE = b"?"
_RETRIED = frozenset({429, 502, 503, 504})
_TOKEN = re.compile(r"[\x21-\x7e]+")
_log = logging.getLogger(__name__)
_random = random.SystemRandom()


class Limits(Struct, frozen=True):
    """Times are in seconds. The defaults suit a member who waits for an answer in chat."""

    # A read, with all its attempts. One attempt leaves room for a second.
    read_budget: float = 10.0
    attempt_timeout: float = 6.0
    attempts: int = 3
    # The first pause before a retry lasts at most this long, each further one twice as long.
    backoff: float = 0.2
    # A write is sent once, so it gets longer. Connecting must end first, because a write that was
    # never sent is known not to have happened.
    write_timeout: float = 15.0
    connect_timeout: float = 4.0
    requests_per_second: float = 50.0
    burst: int = 100
    # For the end of the game's pause. A request that would have to wait longer fails at once.
    longest_wait: float = 5.0
    # Behind earlier requests, which only Kiosk's own pace holds up: 500 take eight seconds.
    longest_turn: float = 20.0
    public_page_seconds: float = 10.0
    private_page_seconds: float = 30.0
    # For public and for private pages each: enough for five catalogs of 3,000 items.
    cached_bytes: int = 32 * 2**20


class Caller(Struct, frozen=True):
    """The member on whose behalf a request is made. `member_id` is their Discord user id."""

    member_id: int
    token: SecretStr


class GameAnswer(Struct, frozen=True):
    """One HTTP answer. Look up `headers` in lower case. Its time is in seconds since 1970."""

    status: int
    headers: abc.Mapping[str, str]
    body: bytes
    received_at: float

    def __repr__(self) -> str:
        return f"<{self.status}, {len(self.body)} bytes>"


class Request(Struct, typing.Generic[T], frozen=True):
    """One HTTP request, and how the body of a successful answer to it is read.

    `caller` is None if the interface shows no authentication. `asker` is for whom it is made if
    that isn't the caller. After `send_before`, a moment of `Clock.monotonic`, it is not sent.
    """

    method: typing.Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    read: abc.Callable[[bytes], T]
    caller: Caller | None = None
    fields: abc.Mapping[str, str | int] | None = None
    asker: int | None = None
    send_before: float | None = None

    def __repr__(self) -> str:
        # The fields hold what members write.
        return f"<{self.method} {self.path}>"

    def result(self, answer: GameAnswer) -> T:
        """Return what a 2xx says. Raises the error that any other answer means."""
        status = answer.status
        detail = f"the game answered {status}"
        if 200 <= status < 300:
            try:
                return self.read(answer.body)
            except game_errors.MalformedResponse as error:
                error.status = status
                raise
        if status < 400:
            # A 302 or 303 is also how a server answers once it has done what a write asked for.
            not_done = (301, 302, 303, 307, 308) if self.method == "GET" else (301, 307, 308)
            error_class = (
                errors.ForeignRedirect if status in not_done else game_errors.MalformedResponse
            )
            raise error_class(detail, status=status)
        secret = self.caller.token.get_secret_value() if self.caller else ""
        wait = rate_limit.retry_after(answer.headers, answer.received_at)
        error_class = (
            errors.ServerFault if status >= 500 else errors.BY_STATUS.get(status, errors.Refused)
        )
        message = None
        fields = frozenset[str]()
        try:
            message, fields = read_complaint(answer.body, secret)
        except game_errors.MalformedResponse:
            if issubclass(error_class, errors.Refused):
                error_class = errors.ServerFault
                detail += ", but not in JSON"
        error = error_class(detail, message=message, status=status, retry_after=wait)
        if isinstance(error, errors.Invalid):
            error.fields = fields
        raise error


# Gets each try of a request, and returns at once: how many seconds it waited for its turn, how many
# it then took, and how it ended.
Observer = abc.Callable[[Request[typing.Any], float, float, game_errors.GameError | None], None]


class GameHealth(Struct):
    """The game's last answer, a refusal included, and its last failure."""

    answered_at: dt.datetime | None = None
    failed_at: dt.datetime | None = None
    failure: game_errors.GameError | None = None

    @property
    def is_well(self) -> bool:
        if self.failed_at is None:
            return True
        return self.answered_at is not None and self.answered_at > self.failed_at


class _ConnectionCut(aiohttp.ClientConnectionError):
    """A cut connection, under a name that aiohttp does not send again for."""


def open_write_session(proxy: str | None = None) -> aiohttp.ClientSession:
    # As many at once as there are members.
    connector = aiohttp.TCPConnector(force_close=True, limit=0)
    return aiohttp.ClientSession(connector=connector, proxy=proxy)


class Transport:
    """Performs requests. Run it on an event loop whose clock is the real one.

    Pauses and moments go by the `clock`. How long a request may take is real time.

    Writes go over `write_session`, whose connections carry one request each: whatever a game left
    behind on an older connection is never taken for the answer to a purchase.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base_url: str,
        limits: Limits,
        clock: Clock,
        *,
        write_session: aiohttp.ClientSession | None = None,
        body_format: BodyFormat = "json",
    ) -> None:
        self._session = session
        self._write_session = write_session or session
        self._base_url = base_url
        self._url = URL(base_url)
        self._limits = limits
        self._clock = clock
        self._body_format: BodyFormat = body_format
        self.limiter = rate_limit.RateLimiter(
            limits.requests_per_second, limits.burst, clock, longest_turn=limits.longest_turn
        )
        self.health = GameHealth()
        self.observers: list[Observer] = []
        # The game's clock as it was last sent: the header, and its moment with ours.
        self._date = ""
        self._told_time: tuple[dt.datetime, float] | None = None

    def game_now(self) -> dt.datetime | None:
        """Return the time by the game's own clock, or None before it has sent any."""
        if self._told_time is None:
            return None
        told, at = self._told_time
        return told + dt.timedelta(seconds=self._clock.monotonic() - at)

    async def read(self, request: Request[T]) -> T:
        """Perform a read, again if that may help, within the budget. Raises GameError."""
        deadline = self._clock.monotonic() + self._limits.read_budget
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self.perform(request, self._limits.attempt_timeout, deadline)
            except game_errors.GameError as error:
                # A 4xx of something in front of the game says as little as no answer.
                is_lost = isinstance(error, errors.Unavailable) and (error.status or 0) < 500
                jitter = _random.uniform(0, self._limits.backoff * 2 ** (attempt - 1))
                pause = max(error.retry_after or 0.0, jitter)
                is_last = (
                    attempt == self._limits.attempts or self._clock.monotonic() + pause >= deadline
                )
                if is_last or not (is_lost or error.status in _RETRIED):
                    raise
                _log.info("%s failed: %s. Trying again", request.path, error)
            await self._clock.sleep(pause)

    async def perform(self, request: Request[T], longest: float, deadline: float = math.inf) -> T:
        """Wait for the request's turn, send it once, and return what the answer says.

        The game has `longest` seconds to answer, and less if the deadline, a moment of
        `Clock.monotonic`, comes first. Raises GameError.
        """
        path = self._url.path.rstrip("/") + request.path
        account = request.caller.member_id if request.caller else None
        asker = (account if request.asker is None else request.asker) or rate_limit.THE_BOT
        asked_at = self._clock.monotonic()
        begun: float | None = None
        answer: GameAnswer | None = None
        failure: game_errors.GameError | None = None
        try:
            headers, body = _encoded(request, self._body_format)
            within = min(self._limits.longest_wait, deadline - asked_at)
            is_write = request.method != "GET"
            async with self.limiter.turn(asker, account, within=within, is_write=is_write):
                begun = self._clock.monotonic()
                # The time spent behind others is not taken from the game's time to answer.
                latest = min(begun + longest, deadline + begun - asked_at)
                answer = await self._send(request, headers, body, latest)
            if len(answer.body) < _LARGE_BODY_BYTES:
                return request.result(answer)
            # No one else's answer waits while a large one is read.
            return await asyncio.to_thread(request.result, answer)
        except game_errors.GameError as error:
            failure = error
            error.asked = request.method, path
            if error.retry_after:
                error.retry_at = self._clock.now() + dt.timedelta(seconds=error.retry_after)
            raise
        finally:
            status = answer.status if answer else failure and type(failure).__name__
            if begun is not None and status is not None:
                seconds = self._clock.monotonic() - begun
                fields = {"method": request.method, "path": path, "status": status}
                fields["milliseconds"] = round(seconds * 1000)
                _log.debug("Asked the game", extra=fields)
                if failure is None or isinstance(failure, errors.Refused):
                    self.health.answered_at = self._clock.now()
                elif not isinstance(failure, game_errors.TooLate):
                    self.health.failed_at = self._clock.now()
                    self.health.failure = failure
                for observer in self.observers:
                    observer(request, begun - asked_at, seconds, failure)

    async def _send(
        self,
        request: Request[typing.Any],
        headers: dict[str, str],
        body: bytes | None,
        deadline: float,
    ) -> GameAnswer:
        """Send a request once, and a read also to its redirects. Note the game's clock."""
        is_read = request.method == "GET"
        session = self._session if is_read else self._write_session
        if session.closed:
            raise errors.Unreachable("the session is closed")
        now = self._clock.monotonic()
        connect_timeout = self._limits.connect_timeout
        # A request goes out once it is connected, so that connecting has to end by then.
        in_time = math.inf if request.send_before is None else request.send_before - now
        if in_time <= 0:
            raise game_errors.TooLate("the moment to send it by is over")
        try:
            async with session.request(
                request.method,
                self._base_url + request.path,
                headers=headers,
                data=body,
                # aiohttp takes 0 for "no limit".
                timeout=aiohttp.ClientTimeout(
                    max(deadline - now, 0.05), min(connect_timeout, in_time)
                ),
                allow_redirects=is_read,
                max_redirects=4,
                raise_for_status=False,
                # Else a purchase, which has no body, would claim to send application/octet-stream.
                skip_auto_headers=(hdrs.CONTENT_TYPE,),
                middlewares=(self._send_plainly,),
            ) as response:
                content = await _body(response)
                received_at = self._clock.now().timestamp()
            self._note_time(response.headers.get("date", ""))
            if pause := rate_limit.pause_asked(response.headers, received_at):
                self.limiter.pause(request.caller and request.caller.member_id, pause)
            return GameAnswer(response.status, response.headers, content, received_at)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            fault = _fault(error, too_late=in_time < connect_timeout)
        except ValueError:
            if not is_read:
                raise
            fault = errors.ForeignRedirect("the game redirects to what is no address")
        # Raised out here, because some of aiohttp's errors carry the request's headers.
        raise fault

    def _note_time(self, date: str) -> None:
        # Most answers come within the same second as the last one.
        if date == self._date:
            return
        self._date = date
        # A header that isn't a date, or none, changes nothing.
        with suppress(ValueError, OverflowError):
            told = parsedate_to_datetime(date)
            # The ends of the calendar can't be reckoned with.
            if told.tzinfo and told.year in YEARS:
                self._told_time = (told, self._clock.monotonic())

    async def _send_plainly(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Keep aiohttp from adding what was not asked for, as a middleware for each request."""
        if request.url.origin() != self._url.origin():
            raise errors.ForeignRedirect("the game redirects to another host")
        # Cookies belong to the session, and so would carry one member's identity to the next.
        request.headers.popall(hdrs.COOKIE, None)
        try:
            return await handler(request)
        except aiohttp.ClientConnectorError:
            raise
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
            # aiohttp repeats a PUT or a DELETE by itself after these.
            raise _ConnectionCut(type(error).__name__) from error


def _encoded(
    request: Request[typing.Any], body_format: BodyFormat
) -> tuple[dict[str, str], bytes | None]:
    """Return a request's headers, the token among them, and its body. Raises Unauthorized."""
    # A page that a cache on the way kept may be long over, and another member's.
    headers = {"Accept": "application/json", "Cache-Control": "no-cache", "User-Agent": "Kiosk"}
    if request.caller:
        secret = request.caller.token.get_secret_value()
        if not _TOKEN.fullmatch(secret):
            raise errors.Unauthorized("the token has characters that no header can carry")
        headers["Authorization"] = f"Bearer {secret}"
    if request.fields is None:
        return headers, None
    if body_format == "form":
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return headers, urlencode(request.fields, errors="replace").encode()
    headers["Content-Type"] = "application/json"
    return headers, json.dumps(request.fields).encode()


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Read a body of at most MAX_BODY_BYTES. For an error's unreadable one, return non-JSON."""
    body = bytearray()
    try:
        if response.content.at_eof():
            # Empty, or already read by code that wrapped the session.
            body += await response.read()
        async for chunk in response.content.iter_any():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                # Closed, not released: the rest must not be read either.
                response.close()
                break
        if len(body) > MAX_BODY_BYTES:
            raise game_errors.MalformedResponse(f"the answer has more than {MAX_BODY_BYTES} bytes")
    except (aiohttp.ClientError, TimeoutError, OSError, game_errors.MalformedResponse):
        if response.status < 400:
            raise
        return _UNREADABLE
    return bytes(body)


def _fault(error: Exception, *, too_late: bool) -> game_errors.GameError:
    """Return what an aiohttp error means. `too_late` says why it had little time to connect."""
    name = type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ClientHttpProxyError):
        return _unreachable(error)
    if isinstance(error, aiohttp.TooManyRedirects | aiohttp.RedirectClientError):
        return errors.ForeignRedirect("the game redirects too often, or to what is no address")
    if isinstance(error, aiohttp.ConnectionTimeoutError) and too_late:
        return game_errors.TooLate("the moment to send it by was over before it was connected")
    if isinstance(error, aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL):
        return errors.Unreachable(f"no connection: {name}")
    if isinstance(error, TimeoutError):
        return errors.Timeout("the answer took too long")
    if isinstance(error, aiohttp.ClientResponseError):
        return game_errors.MalformedResponse("the answer is not HTTP")
    return errors.Unavailable(f"the connection was cut: {name}")


def _unreachable(
    error: aiohttp.ClientConnectorError | aiohttp.ClientHttpProxyError,
) -> game_errors.Unreachable:
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return errors.Unreachable(f"no connection: the proxy answers {error.status}")
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        wrong = getattr(error.certificate_error, "verify_message", "it is wrong")
        return errors.Untrusted(f"its certificate can't be verified: {wrong}")
    return errors.Unreachable(f"no connection: {error.os_error.strerror or type(error).__name__}")
