"""Pace and pause the requests of the whole bot to Discord."""

import asyncio
from collections import abc, deque

from bot.clock import Clock
from bot.ui.messages.verdicts import pause_after

RATE = 45
# Maximum answers within a second. Answers that are held up arrive together with later ones.
# Without this count, ten of 10,000 announcements met Discord's limit.
_MAX_ANSWERS = 46
_SECOND = 1.0
# How much delay of a turn is made up for.
_LATE_SECONDS = 0.1
# After 10,000 invalid requests in 10 minutes, Discord blocks the address for a while. The rest is
# left for other programs on this machine, and for a restart.
MAX_INVALID = 5000
_INVALID_PERIOD_SECONDS = 600.0
# The time between first messages to two members.
OPENING_SECONDS = 10.0
# This many failures in a row aren't the fault of one request.
_ENOUGH = 5
_MAX_PAUSE_SECONDS = 60.0


class Pacing:
    """Gives RATE turns a second, evenly, and none while too many requests were invalid."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answers = deque[float](maxlen=_MAX_ANSWERS)
        self._invalid = deque[float](maxlen=MAX_INVALID)
        self._next = clock.monotonic()
        self._in_line = asyncio.Lock()
        # How many callers wait for a turn, and the function to call when one has had it.
        self.waiting = 0
        self.on_turn: abc.Callable[[], object] = lambda: None

    async def turn(self) -> None:
        """Wait for the caller's turn, in the order of the calls."""
        limits = (self._answers, _SECOND), (self._invalid, _INVALID_PERIOD_SECONDS)
        self.waiting += 1
        try:
            async with self._in_line:
                while True:
                    free_at = self._next
                    # A reached limit holds until the oldest request that counts is old enough.
                    for counted, period in limits:
                        if len(counted) == counted.maxlen:
                            free_at = max(free_at, counted[0] + period)
                    if (delay := free_at - self._clock.monotonic()) <= 0:
                        break
                    await self._clock.sleep(delay)
                self._next = max(self._next, self._clock.monotonic() - _LATE_SECONDS) + 1 / RATE
        finally:
            self.waiting -= 1
            self.on_turn()

    def count_answer(self, *, is_invalid: bool = False) -> None:
        """Count an answer, and whether Discord counts the request as invalid: 401, 403 or 429."""
        self._answers.append(self._clock.monotonic())
        if is_invalid:
            self._invalid.append(self._clock.monotonic())


class Openings:
    """Spaces out new direct channels, since opening many at once looks like spam to Discord."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._free_at = self._last = clock.monotonic()
        # The time promised to each member who waits, so that no try is in vain.
        self._promised: dict[int, float] = {}

    def wait(self, member_id: int) -> float:
        """Return after how many seconds to ask again, 0 if the member's channel may open now."""
        now = self._clock.monotonic()
        at = self._promised.pop(member_id, None)
        if at is None:
            at = max(now, self._last)
            self._last = at + self._seconds
        at = max(at, self._free_at)
        if at > now:
            self._promised[member_id] = at
            return at - now
        self._free_at = now + self._seconds
        return 0.0

    def hold(self, member_id: int, seconds: float) -> None:
        """Open no channel for `seconds`, since Discord refused this member's. It is first then."""
        until = self._clock.monotonic() + seconds
        later = until - (self._free_at - self._seconds)
        moved = {member: at + later for member, at in self._promised.items()}
        self._promised = {**moved, member_id: until}
        self._last += later
        self._free_at = until


class Trouble:
    """Counts failures that other requests will also meet, and pauses requests to Discord."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._until = clock.monotonic()

    def count(self, *, is_trouble: bool) -> None:
        if not is_trouble:
            self._failures = 0
            return
        self._failures += 1
        if self._failures >= _ENOUGH:
            pause = pause_after(self._failures - _ENOUGH + 1).total_seconds()
            self._until = self._clock.monotonic() + min(pause, _MAX_PAUSE_SECONDS)

    def most(self, most: int) -> int:
        """Return how many requests may run: in trouble, a single one tests whether it is over."""
        if self._failures < _ENOUGH:
            return most
        return 1 if self._clock.monotonic() >= self._until else 0

    def seconds(self) -> float:
        return self._until - self._clock.monotonic() if self._failures >= _ENOUGH else 0.0
