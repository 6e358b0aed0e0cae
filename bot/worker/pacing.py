"""How fast Discord may be asked for the whole bot, and when it is to be left alone."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from msgspec import Struct, field

from bot.domain.outbox import Priority
from bot.worker.verdicts import pause_after

RATE = 45
# Of the 50 that Discord counts within a second, as reports say that exactly as many are too many.
MOST = 48
_SECOND = 1.0
# A turn that comes late is made up for, but not many at once.
_MOST_MADE_UP = 9
# Of the 10,000 invalid requests in 10 minutes after which Discord shuts the address out for a
# while; the others of this machine, and what comes with a restart, have the rest.
MOST_INVALID, _INVALID_PERIOD = 5000, 600.0
# One after the other, so many failures are no fault of one request.
_ENOUGH = 5
_LONGEST_PAUSE = 60.0


class Pacing:
    """Gives turns, RATE a second and evenly, and none while too many were invalid.

    Of all requests that Discord may count within one second, MOST have had a turn at most,
    whatever holds them up on their way: each is taken into account from its turn until a second
    after its answer, by when Discord has counted it for certain. From that second goes the time
    that the quickest answer took, since the next request is as long on its way.

    `now` counts seconds, and `sleep` passes them.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._now = now
        self._sleep = sleep
        self._invalid: deque[float] = deque(maxlen=MOST_INVALID)
        self._next = now()
        self._in_line = asyncio.Lock()
        self._under_way = 0
        self._ended: deque[float] = deque(maxlen=MOST)
        self._end = asyncio.Event()
        self._quickest = _SECOND
        # How many wait for a turn, and whom to tell that there is one fewer.
        self.waiting = 0
        self.on_turn: Callable[[], object] = lambda: None

    async def turn(self) -> None:
        """Return when it is the caller's turn, in the order in which they came; it is to `end`."""
        self.waiting += 1
        try:
            async with self._in_line:
                while (delay := self._delay()) > 0:
                    if self._under_way < MOST:
                        await self._sleep(delay)
                    else:
                        self._end.clear()
                        await self._end.wait()
                self._under_way += 1
                self._next = max(self._next, self._now() - _MOST_MADE_UP / RATE) + 1 / RATE
        finally:
            self.waiting -= 1
            self.on_turn()

    def end(self, took: float | None = None) -> None:
        """Note that a turn is over; `took` is how many seconds its answer took, if there is one."""
        self._under_way -= 1
        self._ended.append(self._now())
        self._end.set()
        if took is not None:
            self._quickest = min(self._quickest, took)

    def note_invalid(self) -> None:
        """Note an answer that Discord counts as an invalid request: 401, 403 or 429."""
        self._invalid.append(self._now())

    def _delay(self) -> float:
        """Return how many seconds there are until the next turn, 0 or less for none."""
        free_at = self._next
        room = MOST - self._under_way
        if not room:
            return _SECOND
        if len(self._ended) >= room:
            # A few answers say little about how quick they can be.
            known = self._quickest if len(self._ended) == MOST else 0.0
            free_at = max(free_at, self._ended[-room] + _SECOND - known)
        if len(self._invalid) == MOST_INVALID:
            free_at = max(free_at, self._invalid[0] + _INVALID_PERIOD)
        return free_at - self._now()


class _Line(Struct):
    """Those of one urgency: the moments promised to them, all `pushed_back` by so many seconds."""

    free_at: float
    pushed_back: float = 0.0
    promised: dict[int, float] = field(default_factory=dict[int, float])


class Openings:
    """Lets one new direct channel be opened every so many seconds; `now` counts seconds.

    What is more urgent goes first, and pushes back what was promised to others. Discord takes a
    bot that opens many at once for one that annoys people.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._free_at = now()
        # Those who wait each know their moment, so that none of them is tried in vain.
        self._lines = {priority: _Line(self._free_at) for priority in Priority}

    def wait(self, member_id: int, priority: Priority) -> float:
        """Return in how many seconds to ask again; 0 for whoever may open a channel now."""
        now, line = self._now(), self._lines[priority]
        promised = line.promised.pop(member_id, None)
        at = self._join(priority, now) if promised is None else promised + line.pushed_back
        at = max(at, self._free_at)
        if at > now:
            line.promised[member_id] = at - line.pushed_back
            return at - now
        self._free_at = now + self._seconds
        return 0.0

    def _join(self, priority: Priority, now: float) -> float:
        """Return the moment after all that is as urgent, and let the others be later."""
        before = [line.free_at for other, line in self._lines.items() if other <= priority]
        at = max(now, self._free_at, *before)
        self._lines[priority].free_at = at + self._seconds
        for other, line in self._lines.items():
            if other > priority and line.free_at > at:
                line.free_at += self._seconds
                line.pushed_back += self._seconds
        return at


class Trouble:
    """Counts failures that others will meet as well; `now` counts seconds.

    Discord is left alone while it is in trouble: what is sent then ends in doubt, or counts.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._failures = 0
        self._until = now()

    def note(self, *, is_trouble: bool) -> None:
        """Note how a request went."""
        if not is_trouble:
            self._failures = 0
            return
        self._failures += 1
        if self._failures >= _ENOUGH:
            pause = pause_after(self._failures - _ENOUGH + 1).total_seconds()
            self._until = self._now() + min(pause, _LONGEST_PAUSE)

    def most(self, most: int) -> int:
        """Return how many requests may be under way: in trouble, one alone finds out of its end."""
        if self._failures < _ENOUGH:
            return most
        return 1 if self._now() >= self._until else 0

    def seconds(self) -> float:
        """Return how long to leave Discord alone."""
        return self._until - self._now() if self._failures >= _ENOUGH else 0.0
