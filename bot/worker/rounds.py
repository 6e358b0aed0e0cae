"""Whose turn it is: what goes first, and of that the lane that was served longest ago."""

from collections.abc import Collection
from datetime import datetime

from bot.domain.outbox import Entry, Priority
from storage.outbox import Outbox

_BEFORE_ALL = -1
# More than are wanted, since some lanes wait.
_MARGIN = 16


class Rounds:
    """Goes round all lanes, each priority for itself, and remembers where it was.

    A lane that was served is the last of its round, so that the next one waits longest.
    """

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._last_served: dict[Priority, int] = {}

    async def next(self, most: int, now: datetime, busy: Collection[int]) -> list[Entry]:
        """Return what is to be sent next: the first of each lane, where it is due and not busy."""
        chosen: list[Entry] = []
        taken = set(busy)
        for priority in Priority:
            if len(chosen) < most:
                chosen += await self._walk(priority, most - len(chosen), now, taken)
        return chosen

    async def _walk(
        self, priority: Priority, most: int, now: datetime, taken: set[int]
    ) -> list[Entry]:
        start = self._last_served.get(priority, _BEFORE_ALL)
        at, is_second_half = start, False
        chosen: list[Entry] = []
        size = most + _MARGIN
        while True:
            heads = await self._outbox.heads(priority, at, size, now)
            for head in heads:
                if is_second_half and head.lane > start:
                    return chosen
                at = head.lane
                if head.lane not in taken and head.due_at is not None and head.due_at <= now:
                    taken.add(head.lane)
                    chosen.append(head)
                    self._last_served[priority] = head.lane
                if len(chosen) == most:
                    return chosen
            if len(heads) < size:
                if is_second_half or start == _BEFORE_ALL:
                    return chosen
                at, is_second_half = _BEFORE_ALL, True
