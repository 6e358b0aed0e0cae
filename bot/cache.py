"""Values kept for a while, each read once for all who ask for it at the same time."""

import asyncio
import math
import typing
from collections import OrderedDict, abc
from functools import partial

from msgspec import Struct

from bot.background import BackgroundTasks

K = typing.TypeVar("K", bound=abc.Hashable)
V = typing.TypeVar("V")

# As `max_age`: nothing that is kept, but a read that is on its way is joined. 0 begins another.
ANEW = 1e-6
# In seconds: how late, at most, this process sees what other processes change.
SHARED_SECONDS = 5.0
# About how many bytes a value takes beside its size.
_OVERHEAD_BYTES = 500
_SWEEPS_IN_A_LIFETIME = 10


class _Entry(Struct, typing.Generic[V]):
    value: V
    read_at: float
    size: int


class TtlCache(typing.Generic[K, V]):
    """Keeps values for `lifetime` seconds since they were asked for, by the clock of the `tasks`.

    Above `most_bytes`, the value that was unused for longest is dropped. One alone is kept,
    whatever its size. `group_of` says which values are found together.
    """

    def __init__(
        self,
        tasks: BackgroundTasks,
        *,
        lifetime: float,
        most_bytes: int = 2**20,
        size: abc.Callable[[V], int] = lambda value: 0,
        group_of: abc.Callable[[K], int] = lambda key: 0,
    ) -> None:
        self._tasks = tasks
        self._lifetime = lifetime
        self._most_bytes = most_bytes
        self._size = size
        self._clock = tasks.clock
        self._group_of = group_of
        self._entries: OrderedDict[K, _Entry[V]] = OrderedDict()
        # The keys of each group, the one that was used last at the end.
        self._groups: dict[int, OrderedDict[K, None]] = {}
        self._in_flight: dict[K, asyncio.Task[V]] = {}
        self._bytes = 0
        self._swept_at = self._clock.monotonic()

    async def get(
        self,
        key: K,
        read: abc.Callable[[K], abc.Coroutine[typing.Any, typing.Any, V]],
        *,
        max_age: float = math.inf,
    ) -> V:
        """Return a value younger than `max_age` seconds, or read one. No failure is kept."""
        entry = self._entries.get(key)
        age = min(max_age, self._lifetime)
        if entry is not None and age > ANEW and self._clock.monotonic() - entry.read_at < age:
            self._note_use(key)
            return entry.value
        task = self._in_flight.get(key)
        # A caller who wants nothing that is kept joins no read: it may have begun too early.
        if task is None or max_age <= 0:
            task = self._in_flight[key] = self._tasks.start(read(key))
            task.add_done_callback(partial(self._settle, key, self._clock.monotonic()))
        return await asyncio.shield(task)

    def known(self, key: K, *, max_age: float = math.inf) -> V | None:
        entry = self._entries.get(key)
        if entry is None or self._clock.monotonic() - entry.read_at >= min(max_age, self._lifetime):
            return None
        self._note_use(key)
        return entry.value

    def read_at(self, key: K) -> float:
        """Return the moment of the clock at which a value was asked for, -inf for none."""
        entry = self._entries.get(key)
        return -math.inf if entry is None else entry.read_at

    def put(self, key: K, value: V, read_at: float | None = None) -> None:
        """Keep a value that was read by other code, now or at a moment of the clock."""
        self._drop(key)
        now = self._clock.monotonic()
        size = self._size(value) + _OVERHEAD_BYTES
        self._entries[key] = _Entry(value, now if read_at is None else read_at, size)
        self._groups.setdefault(self._group_of(key), OrderedDict())[key] = None
        self._bytes += size
        if now - self._swept_at > self._lifetime / _SWEEPS_IN_A_LIFETIME:
            self._swept_at = now
            for old in [k for k, v in self._entries.items() if now - v.read_at >= self._lifetime]:
                self._drop(old)
        while self._bytes > self._most_bytes and len(self._entries) > 1:
            self._drop(next(iter(self._entries)))

    def items(self) -> abc.Iterator[tuple[K, V]]:
        """Yield all values with their keys, the one that was used last first."""
        return self._fresh(self._entries)

    def items_of(self, group: int) -> abc.Iterator[tuple[K, V]]:
        """Yield the values of a group, as `items` does."""
        return self._fresh(self._groups.get(group, {}))

    def _fresh(self, keys: abc.Iterable[K]) -> abc.Iterator[tuple[K, V]]:
        now = self._clock.monotonic()
        for key, entry in reversed([(key, self._entries[key]) for key in keys]):
            if now - entry.read_at < self._lifetime:
                yield key, entry.value

    def change(self, matches: abc.Callable[[K], bool], change: abc.Callable[[V], V]) -> None:
        """Replace each value that matches by another one. Its age stays."""
        for key, entry in self._entries.items():
            if matches(key):
                entry.value = change(entry.value)

    def forget(self, matches: abc.Callable[[K], bool] = lambda _: True) -> None:
        """Drop matching values, and disown matching reads in flight: they may be outdated too."""
        self.outdate(matches)
        for key in [key for key in self._entries if matches(key)]:
            self._drop(key)

    def outdate(self, matches: abc.Callable[[K], bool], *, age: float = 0.0) -> None:
        """Let matching values be at least `age` seconds old. Disown matching reads in flight."""
        latest = self._clock.monotonic() - age
        for key, entry in self._entries.items():
            if matches(key):
                entry.read_at = min(entry.read_at, latest)
        for key in [key for key in self._in_flight if matches(key)]:
            del self._in_flight[key]

    def _settle(self, key: K, asked_at: float, task: asyncio.Task[V]) -> None:
        # Looked at first: otherwise the loop logs the failure of a read that no one waits for.
        has_failed = task.cancelled() or task.exception() is not None
        if self._in_flight.get(key) is not task:
            return
        del self._in_flight[key]
        if not has_failed:
            self.put(key, task.result(), asked_at)

    def _drop(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        self._bytes -= entry.size
        group = self._groups[self._group_of(key)]
        del group[key]
        if not group:
            del self._groups[self._group_of(key)]

    def _note_use(self, key: K) -> None:
        self._entries.move_to_end(key)
        self._groups[self._group_of(key)].move_to_end(key)
