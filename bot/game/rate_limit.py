"""When the next request may go out: our own politeness, and what the game asks for."""

import asyncio
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from bot.game.errors import RateLimited

# A broken header must not silence the bot for years.
LONGEST_PAUSE = 300.0
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,9})?")
# A reset above this counts from 1970, in seconds or in milliseconds; below, from now.
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12


class RateLimiter:
    """Lets requests through at a steady rate with room for a burst (GCRA).

    A pause that the game asks for holds for one member alone, or for the requests without a
    token: whoever spends their own allowance silences nobody else.
    """

    def __init__(self, per_second: float, burst: int) -> None:
        self._interval = 1 / per_second
        self._slack = (burst - 1) * self._interval
        self._next_turn = 0.0
        self._paused_until: dict[int | None, float] = {}

    async def turn(self, member_id: int | None, *, within: float) -> None:
        """Wait for a turn; raises RateLimited when it would take longer than `within` seconds."""
        now = time.monotonic()
        polite = self._next_turn - self._slack - now
        asked = self._paused_until.get(member_id, 0.0) - now
        wait = max(polite, asked, 0.0)
        if wait > within:
            raise RateLimited("the wait for a turn is too long", retry_after=wait)
        self._next_turn = max(self._next_turn, now) + self._interval
        if wait:
            await asyncio.sleep(wait)

    def pause(self, member_id: int | None, seconds: float) -> None:
        """Let no request of this member through for so long; None means those without token."""
        now = time.monotonic()
        self._paused_until = {
            member: until for member, until in self._paused_until.items() if until > now
        }
        self._paused_until[member_id] = now + seconds


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read Retry-After, seconds or a date, as seconds from `now` (seconds since 1970)."""
    value = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(value):
        return _bounded(float(value))
    try:
        return _bounded(parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def pause_asked(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds for which the game wants no request, by Retry-After or X-RateLimit-*."""
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
    return min(max(seconds, 0.0), LONGEST_PAUSE)
