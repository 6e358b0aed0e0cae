"""Carry exchanges to the game and back: each in its turn, within its time, reads again if lost."""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TypeVar

import aiohttp
from msgspec import Struct

from bot.game.errors import (
    Disconnected,
    ForeignRedirect,
    GameError,
    MalformedResponse,
    RateLimited,
    Refused,
    ServerFault,
    Timeout,
    TooLate,
    Unavailable,
    UnknownOutcome,
    Unreachable,
)
from bot.game.models import YEARS
from bot.game.protocol import Answer, Exchange, Request, path_of
from bot.game.rate_limit import THE_BOT, RateLimiter, pause_asked
from bot.game.wire import Wire

T = TypeVar("T")
_RETRIED = frozenset({429, 502, 503, 504})
# A page of fifteen comments has some 20 kB; ten times as much takes a few milliseconds to read.
_LARGE_BODY = 200_000
_log = logging.getLogger(__name__)
_random = random.SystemRandom()
# Many answers come within the same second.
_read_date = lru_cache(maxsize=1)(parsedate_to_datetime)


class Limits(Struct, frozen=True):
    """Times are in seconds; the defaults suit a member who waits for an answer in chat."""

    # A read, with all its attempts; one attempt leaves room for a second.
    read_budget: float = 10.0
    attempt_timeout: float = 6.0
    attempts: int = 3
    # The first pause before a retry lasts at most this long, each further one twice as long.
    backoff: float = 0.2
    # A write is sent once, so it gets longer, but with the look at what became of it less than
    # half a minute. Connecting must end first, because a write that was never sent is known not
    # to have happened.
    write_timeout: float = 15.0
    connect_timeout: float = 4.0
    requests_per_second: float = 50.0
    burst: int = 100
    # Whoever would have to wait longer for the end of the game's pause is told so at once.
    longest_wait: float = 5.0
    # Behind those who came before, whom nothing but our own pace holds up: 500 take eight seconds.
    longest_turn: float = 20.0
    public_page_seconds: float = 10.0
    private_page_seconds: float = 30.0
    # For public and for private pages each, in bytes of memory: enough for five catalogs of 3,000
    # items.
    cached_bytes: int = 32 * 2**20


class Observer:
    """Hears of each try of a request; what it does must take no time."""

    def on_answer(
        self, request: Request, waited: float, seconds: float, error: GameError | None
    ) -> None:
        """Hear that a try had waited so long for its turn, then took so many seconds, and ended."""

    def on_retry(self, request: Request) -> None:
        """Hear that a read is asked for again."""


class GameHealth(Observer):
    """When the game last answered, and how it failed last."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.answered_at: datetime | None = None
        self.failed_at: datetime | None = None
        self.failure: GameError | None = None

    @property
    def is_well(self) -> bool:
        """Whether it answered after it had last failed, or was never asked."""
        failed_at, answered_at = self.failed_at, self.answered_at
        return failed_at is None or (answered_at is not None and answered_at > failed_at)

    def on_answer(
        self, request: Request, waited: float, seconds: float, error: GameError | None
    ) -> None:
        """Note it: a refusal is an answer too."""
        if error is None or isinstance(error, Refused):
            self.answered_at = self._now()
        elif not isinstance(error, TooLate):
            self.failed_at, self.failure = self._now(), error


class Transport:
    """Performs exchanges; run it where the event loop's clock is the real one.

    Writes go over `write_session`, whose connections carry one request each: whatever a game left
    behind on an older connection is never taken for the answer to a purchase.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        limits: Limits,
        now: Callable[[], datetime],
        write_session: aiohttp.ClientSession | None = None,
    ) -> None:
        self._now = now
        self._wire = Wire(session, write_session or session, limits.connect_timeout, now)
        self._limits = limits
        self.limiter = RateLimiter(
            limits.requests_per_second, limits.burst, longest_turn=limits.longest_turn
        )
        self.health = GameHealth(now)
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
                _log.info("%s: %s, asking again", path_of(exchange.request.url), error)
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
        request, answer = exchange.request, None
        account = request.caller.member_id if request.caller else None
        asked_at, begun = time.monotonic(), None
        try:
            headers = request.headers()
            async with self.limiter.turn(
                (account if request.asker is None else request.asker) or THE_BOT,
                account,
                within=min(self._limits.longest_wait, deadline - asked_at),
                is_write=request.method != "GET",
            ):
                begun = time.monotonic()
                # What was spent behind others is not taken from the game's time to answer.
                latest = min(begun + longest, deadline + begun - asked_at)
                answer = await self._wire.send(request, headers, latest)
            self._heed(answer, account)
            if len(answer.body) < _LARGE_BODY:
                result = exchange.decipher(answer)
            else:
                # Nobody else's answer waits while a large one is read.
                result = await asyncio.to_thread(exchange.decipher, answer)
        except GameError as error:
            error.asked = request.method, path_of(request.url)
            if error.retry_after:
                error.retry_at = self._now() + timedelta(seconds=error.retry_after)
            if begun is not None:
                self._tell(request, answer, begun - asked_at, begun, error)
            raise
        self._tell(request, answer, begun - asked_at, begun, None)
        return result

    def _heed(self, answer: Answer, account: int | None) -> None:
        """Note the game's time, and the pause that it asks for."""
        # A header that is no date, or none, leaves what was told before.
        with suppress(ValueError, OverflowError):
            told = _read_date(answer.headers.get("date", ""))
            aware = told if told.tzinfo else told.replace(tzinfo=UTC)
            # The ends of the calendar can't be reckoned with.
            if aware.year in YEARS:
                self._told_time = (aware, time.monotonic())
        pause = pause_asked(answer.headers, answer.received_at)
        if pause:
            self.limiter.pause(account, pause)

    def _tell(
        self,
        request: Request,
        answer: Answer | None,
        waited: float,
        begun: float,
        error: GameError | None,
    ) -> None:
        seconds = time.monotonic() - begun
        if _log.isEnabledFor(logging.DEBUG):
            fields = {
                "method": request.method,
                "path": path_of(request.url),
                "status": answer.status if answer else error and error.key,
                "milliseconds": round(seconds * 1000),
            }
            _log.debug("asked the game", extra=fields)
        for observer in self.observers:
            observer.on_answer(request, waited, seconds, error)
