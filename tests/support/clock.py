"""Clocks that tests set."""

import asyncio
import contextvars
import heapq
import math
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from bot.clock import Clock

# Under simcord, `time.monotonic` is replaced, and stands still in the context of bot code.
_monotonic = time.monotonic


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass
class ManualClock(Clock):
    """Stands still at the moment it was made until it is moved; each look moves it by `pace`.

    Sleeps and timers are real.
    """

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))
    pace: timedelta = timedelta()

    def now(self) -> datetime:
        self.moment += self.pace
        return self.moment

    def __call__(self) -> datetime:
        return self.now()

    def monotonic(self) -> float:
        return self.now().timestamp()

    def seconds(self) -> float:
        """Return the moment in seconds since 1970, for what counts in seconds alone."""
        return self.monotonic()

    def advance(self, by: timedelta | float) -> None:
        self.moment += by if isinstance(by, timedelta) else timedelta(seconds=by)


@dataclass(order=True)
class _Timer:
    due: float
    number: int
    callback: Callable[[], object] | None = field(compare=False)
    context: contextvars.Context = field(compare=False)

    def cancel(self) -> None:
        self.callback = None


@dataclass
class SteppedClock(Clock):
    """Moves only by `advance`. Hours pass in one jump, and each sleeper wakes once."""

    beginning: datetime
    _elapsed: float = 0.0
    _timers: list[_Timer] = field(default_factory=list[_Timer])
    _numbers: "count[int]" = field(default_factory=count)

    def now(self) -> datetime:
        return self.beginning + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        timer = self.call_later(seconds, lambda: woken.done() or woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        return asyncio.timeout(None) if seconds is None else self._timeout(seconds)

    @asynccontextmanager
    async def _timeout(self, seconds: float) -> AsyncGenerator[None]:
        async with asyncio.timeout(None) as timeout:
            timer = self.call_later(seconds, lambda: timeout.reschedule(0.0))
            try:
                yield
            finally:
                timer.cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> _Timer:
        due = self.monotonic() + max(seconds, 0.0)
        timer = _Timer(due, next(self._numbers), callback, contextvars.copy_context())
        heapq.heappush(self._timers, timer)
        if due <= self.monotonic():
            # No one needs to move the clock for what is due at once.
            asyncio.get_running_loop().call_soon(self._ring)
        return timer

    def advance(self, by: timedelta | float) -> None:
        """Let so much time pass at once; whatever is due then runs in the order of its moments."""
        self._elapsed += by.total_seconds() if isinstance(by, timedelta) else by
        self._ring()

    def next_in(self) -> float:
        """Return in how many seconds the next sleeper or timer is due."""
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        return max(self._timers[0].due - self._elapsed, 0.0) if self._timers else math.inf

    def _ring(self) -> None:
        due: list[_Timer] = []
        while self._timers and self._timers[0].due <= self.monotonic():
            due.append(heapq.heappop(self._timers))
        for timer in due:
            if timer.callback is not None:
                timer.context.run(timer.callback)


@dataclass
class RunningClock(SteppedClock):
    """Runs as the real one does, and is moved ahead by `advance`."""

    beginning: datetime = field(default_factory=utc_now)
    _begun: float = field(default_factory=_monotonic)

    def monotonic(self) -> float:
        return _monotonic() - self._begun + self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], object]) -> _Timer:
        timer = super().call_later(seconds, callback)
        loop = asyncio.get_running_loop()
        # Timers of asyncio may ring a moment too early.
        contextvars.Context().run(loop.call_later, max(seconds, 0.0) + 0.001, self._ring)
        return timer
