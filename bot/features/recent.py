"""Spare the database what every command asks for and hardly anything changes."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# In seconds: another process, which has no way to tell of its changes, is heard of so much later.
_KEPT = 5.0
_MOST_VALUES = 1000


class Recent(Generic[K, V]):
    """What `read` gave for a key in the last seconds; whoever changes any of it calls `forget`."""

    def __init__(
        self, read: Callable[[K], Awaitable[V]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._clock = clock
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._changes = 0

    async def get(self, key: K) -> V:
        """Give a key's value. Raises what `read` raises."""
        kept = self._kept.get(key)
        if kept is not None and self._clock() < kept[0]:
            return kept[1]
        expires, changes = self._clock() + _KEPT, self._changes
        value = await self._read(key)
        # What was read while it changed may be what it was before.
        if changes == self._changes:
            self._keep(key, expires, value)
        return value

    def forget(self) -> None:
        """Read everything anew from here on; to be called once a change lasts."""
        self._changes += 1
        self._kept.clear()

    def _keep(self, key: K, expires: float, value: V) -> None:
        self._kept[key] = (expires, value)
        self._kept.move_to_end(key)
        if len(self._kept) > _MOST_VALUES:
            self._kept.popitem(last=False)
