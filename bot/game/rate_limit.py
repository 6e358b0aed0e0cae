"""Rate limits: Kiosk's own, and those that the game asks for."""

import asyncio
import contextlib
import math
import re
from collections import abc
from email.utils import parsedate_to_datetime
from weakref import WeakValueDictionary

from aiolimiter import AsyncLimiter
from msgspec import Struct

from bot.clock import Clock
from bot.game import game_errors

# The asker if no member waits. No one on Discord has this id.
THE_BOT = 0
# A broken header must not silence the bot for years.
MAX_PAUSE_SECONDS = 300.0
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?")
# Per member. No write waits for another one: for what is bought or posted at the same time, there
# are narrower bounds above.
_READS_AT_ONCE = 6
_READS_WAITING = 40
_WRITES_AT_ONCE = 10
# A reset above this counts from 1970, in seconds or in milliseconds. Below, it counts from now.
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12


class _Asked(Struct, weakref=True):
    """One member's requests, reads or writes: a few are in flight, the others wait."""

    in_flight: asyncio.Semaphore
    number: int = 0


class RateLimiter:
    """Lets requests through at a steady rate with room for a burst.

    Each member has a few reads in flight, the bot itself has one. Writes don't wait for reads. A
    pause that the game asks for only applies to one account, or to the requests without a token.
    """

    def __init__(self, per_second: float, burst: int, clock: Clock, *, longest_turn: float) -> None:
        self._clock = clock
        self._rate = AsyncLimiter(burst, burst / per_second)
        # Only one read waits for the rate: a write has that one before it, not all of them.
        self._next_read = asyncio.Lock()
        self._longest_turn = longest_turn
        self._asked = WeakValueDictionary[tuple[int, bool], _Asked]()
        self._paused_until: dict[int | None, float] = {}

    @contextlib.asynccontextmanager
    async def turn(
        self, asker: int, account: int | None, *, within: float, is_write: bool = False
    ) -> abc.AsyncGenerator[None]:
        """Wait for a turn, and hold it while the request is under way.

        `asker` is the member for whom it is made, `account` the one whose token it has. Raises
        RateLimited if the game's pause is longer than `within` seconds, or the wait for a turn too
        long, and TooManyAtOnce if the asker has too many waiting already.
        """
        at_once = _WRITES_AT_ONCE if is_write else _READS_AT_ONCE if asker != THE_BOT else 1
        asked = self._asked.setdefault((asker, is_write), _Asked(asyncio.Semaphore(at_once)))
        if asked.number >= (at_once if is_write else at_once + _READS_WAITING):
            raise game_errors.TooManyAtOnce("too many requests of one member are waiting")
        asked.number += 1
        try:
            async with asyncio.timeout(self._longest_turn) as waiting, asked.in_flight:
                pause = self._paused_until.get(account, -math.inf) - self._clock.monotonic()
                if pause > within:
                    raise game_errors.RateLimited("the game asked for a pause", retry_after=pause)
                if pause > 0:
                    await self._clock.sleep(pause)
                async with contextlib.nullcontext() if is_write else self._next_read:
                    await self._rate.acquire()
                waiting.reschedule(None)
                yield
        except TimeoutError:
            raise game_errors.RateLimited("the wait for a turn is too long") from None
        finally:
            asked.number -= 1

    def pause(self, account: int | None, seconds: float) -> None:
        """Hold back this account's requests for `seconds`. None means those without a token."""
        now = self._clock.monotonic()
        self._paused_until = {
            paused: end for paused, end in self._paused_until.items() if end > now
        }
        self._paused_until[account] = now + seconds


def retry_after(headers: abc.Mapping[str, str], now: float) -> float | None:
    """Read Retry-After, seconds or a date, as seconds from `now` (seconds since 1970)."""
    value = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(value):
        return _bounded(float(value))
    try:
        return _bounded(parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def pause_asked(headers: abc.Mapping[str, str], now: float) -> float | None:
    """Return the seconds for which the game wants no request, by Retry-After or X-RateLimit-*."""
    if "retry-after" in headers:
        asked = retry_after(headers, now)
        if asked is not None:
            return asked
    reset = headers.get("x-ratelimit-reset", "").strip()
    if headers.get("x-ratelimit-remaining", "").strip() != "0" or not _NUMBER.fullmatch(reset):
        return None
    moment = float(reset)
    if moment >= _EPOCH_MILLISECONDS:
        moment /= 1000
    return _bounded(moment - now if moment >= _EPOCH_SECONDS else moment)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_PAUSE_SECONDS)
