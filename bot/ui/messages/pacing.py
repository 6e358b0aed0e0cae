"""The pace of requests to Discord for the whole bot, and its pauses."""

import asyncio
from collections import abc, deque

from bot.clock import Clock
from bot.ui.messages.verdicts import pause_after

RATE = 45
# Answers within a second: more would have come where some were held up on their way, together with
# those after them. Without this count, ten of 10,000 announcements met Discord's limit.
_MOST_ANSWERS = 46
_SECOND = 1.0
# A turn that comes late by so many seconds is made up for.
_LATE_SECONDS = 0.1
# Of the 10,000 invalid requests in 10 minutes after which Discord shuts the address out for a
# while; the others of this machine, and what comes with a restart, have the rest.
MOST_INVALID = 5000
_INVALID_PERIOD_SECONDS = 600.0
# In seconds, between two members to whom Kiosk writes for the first time.
OPENING_SECONDS = 10.0
# One after the other, so many failures are no fault of one request.
_ENOUGH = 5
_LONGEST_PAUSE_SECONDS = 60.0


class Pacing:
    """Gives turns, RATE a second and evenly, and none while too many were invalid."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answers = deque[float](maxlen=_MOST_ANSWERS)
        self._invalid = deque[float](maxlen=MOST_INVALID)
        self._next = clock.monotonic()
        self._in_line = asyncio.Lock()
        # The number of those who wait for a turn, and whom to tell that there is one fewer.
        self.waiting = 0
        self.on_turn: abc.Callable[[], object] = lambda: None

    async def turn(self) -> None:
        """Return when it is the caller's turn, in the order in which they came."""
        limits = (self._answers, _SECOND), (self._invalid, _INVALID_PERIOD_SECONDS)
        self.waiting += 1
        try:
            async with self._in_line:
                while True:
                    free_at = self._next
                    # A limit that is reached holds until the first that counts is old enough.
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
        """Count an answer, and whether Discord takes the request for invalid: 401, 403 or 429."""
        self._answers.append(self._clock.monotonic())
        if is_invalid:
            self._invalid.append(self._clock.monotonic())


class Openings:
    """Spaces new direct channels: Discord takes whoever opens many at once for a nuisance."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._free_at = self._last = clock.monotonic()
        # Those who wait each know their moment, so that none of them is tried in vain.
        self._promised: dict[int, float] = {}

    def wait(self, member_id: int) -> float:
        """Return in how many seconds to ask again; 0 for whoever may open a channel now."""
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
        """Open none for so long: Discord has refused this member's, whose turn comes first then."""
        until = self._clock.monotonic() + seconds
        later = until - (self._free_at - self._seconds)
        moved = {member: at + later for member, at in self._promised.items()}
        self._promised = {**moved, member_id: until}
        self._last += later
        self._free_at = until


class Trouble:
    """Counts failures that others will meet as well, so that Discord is left alone meanwhile."""

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
            self._until = self._clock.monotonic() + min(pause, _LONGEST_PAUSE_SECONDS)

    def most(self, most: int) -> int:
        """Return how many requests may be under way: in trouble, one alone finds out of its end."""
        if self._failures < _ENOUGH:
            return most
        return 1 if self._clock.monotonic() >= self._until else 0

    def seconds(self) -> float:
        return self._until - self._clock.monotonic() if self._failures >= _ENOUGH else 0.0
