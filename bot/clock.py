"""The clock by which Kiosk decides: the moment, what has passed, sleeps, timeouts and timers."""

import asyncio
import contextvars
import datetime as dt
import time
import typing
from collections import abc
from contextlib import AbstractAsyncContextManager

# Under simcord, `time.monotonic` is replaced, and doesn't move in the context of bot code.
_monotonic = time.monotonic


class Timer(typing.Protocol):
    def cancel(self) -> None: ...


class Clock:
    """The real clock. A simulated one takes its place if `open_bot` is handed one.

    Code that waits for the game, Discord or the database asks asyncio, for that time is real.
    """

    def now(self) -> dt.datetime:
        """Return the moment on the wall, in UTC."""
        return dt.datetime.now(dt.UTC)

    def monotonic(self) -> float:
        """Return seconds, from a beginning that means nothing."""
        return _monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        """Return a block that ends with TimeoutError after these seconds, None for never."""
        return asyncio.timeout(seconds)

    def call_later(self, seconds: float, callback: abc.Callable[[], object]) -> Timer:
        """Return the timer of a callback that runs in the caller's context."""
        # Under simcord, clocks don't move in the context of bot code.
        here = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return contextvars.Context().run(loop.call_later, seconds, lambda: here.run(callback))
