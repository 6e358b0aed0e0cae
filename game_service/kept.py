"""Keep values within a number of bytes: the value unused for longest leaves first."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

# Roughly what an entry takes beside its size, in bytes.
_OVERHEAD = 400


class Kept(Generic[K, V]):
    """Values by their keys, within `most_bytes` by the sizes given to `put`."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value for a key, None if there is none."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value of `size` bytes, in place of the one with this key."""
        self.drop(key)
        self._entries[key] = (value, size + _OVERHEAD)
        self._bytes += size + _OVERHEAD
        while self._bytes > self._most_bytes:
            self.drop(next(iter(self._entries)))

    def drop(self, key: K) -> None:
        """Forget a key, if there is a value for it."""
        _, size = self._entries.pop(key, (None, 0))
        self._bytes -= size

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self._bytes = 0
