"""One request for many readers: reads in flight are shared, and pages are kept for a while."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from typing import Any, Generic, TypeVar

from bot.game.background import BackgroundTasks

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SharedReads(Generic[K, V]):
    """Keeps the values last read by their keys; the one longest unused leaves when it is full.

    `seconds` count from the moment of asking, on the asker's `clock`.
    """

    def __init__(
        self,
        tasks: BackgroundTasks,
        size: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._size = size
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._in_flight: dict[K, asyncio.Task[V]] = {}
        self._tasks = tasks

    def peek(self, key: K) -> V | None:
        """Give what is kept and still fresh, without asking."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        expires, value = kept
        if self._clock() >= expires:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return value

    async def get(
        self, key: K, read: Callable[[], Coroutine[Any, Any, V]], *, fresh: bool = False
    ) -> V:
        """Give what is kept, else join the read in flight, else read.

        `fresh` passes over what is kept. Raises what `read` raises; failures are not kept.
        """
        kept = None if fresh else self.peek(key)
        if kept is not None:
            return kept
        task = self._in_flight.get(key)
        if task is None:
            task = self._in_flight[key] = self._tasks.start(read())
            task.add_done_callback(partial(self._settle, key, self._clock() + self._seconds))
        return await asyncio.shield(task)

    def forget(self, matches: Callable[[K], bool]) -> None:
        """Drop matching values, and disown matching reads in flight: they may be outdated too."""
        for key in [key for key in self._kept if matches(key)]:
            del self._kept[key]
        for key in [key for key in self._in_flight if matches(key)]:
            del self._in_flight[key]

    def _settle(self, key: K, expires: float, task: asyncio.Task[V]) -> None:
        if self._in_flight.get(key) is not task:
            return
        del self._in_flight[key]
        if task.cancelled() or task.exception() is not None:
            return
        self._kept[key] = (expires, task.result())
        self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)
