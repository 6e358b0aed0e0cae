"""Learn what other processes have changed: a number for each topic, and a hint where there is one.

Every process reads all the numbers (storage/changes.py) every few seconds, and forgets what it
remembers of a topic whose number is another one: that is the truth. A hint only makes it look
sooner, and may get lost.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from typing import NoReturn

from storage.changes import read_numbers
from storage.database import Database
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

# In seconds: when a change made by one process holds in every other, at the latest.
HOLDS_WITHIN = 5.0
# Between two looks, and between two however many hints there are.
_PAUSE, _SHORTEST_PAUSE = 2.0, 0.2


class Changes:
    """What this process knows of changes; `run` keeps it current in the background."""

    def __init__(
        self,
        database: Database,
        *,
        pause: float = _PAUSE,
        passing: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._pause = pause
        self._passing = passing
        self._numbers: Mapping[str, int] = {}
        self._followers: defaultdict[str, list[Callable[[], object]]] = defaultdict(list)
        # When the numbers were last read, by the moment of asking.
        self._current_at = float("-inf")
        self._hinted = asyncio.Event()

    def follow(self, topic: str, forget: Callable[[], object]) -> None:
        """Call `forget` whenever a topic may have changed."""
        self._followers[topic].append(forget)

    def max_age(self, lifetime: float) -> float:
        """Return how old, in seconds, what is remembered of a followed topic may be.

        That is its lifetime, but hardly anything while nobody can say whether it has changed: the
        `limit` of a TtlCache.
        """
        is_current = self._passing() - self._current_at < HOLDS_WITHIN
        return lifetime if is_current else min(lifetime, HOLDS_WITHIN)

    async def look(self) -> None:
        """Read the numbers, and let everything be forgotten that has changed."""
        asked_at = self._passing()
        numbers = await read_numbers(self._database)
        changed = {topic for topic in numbers if numbers[topic] != self._numbers.get(topic)}
        self._numbers = numbers
        for topic in changed:
            for forget in self._followers[topic]:
                forget()
        self._current_at = asked_at

    async def run(self) -> NoReturn:
        """Look again and again, until cancelled."""
        async with asyncio.TaskGroup() as together:
            together.create_task(self._hear_hints())
            fails = False
            while True:
                self._hinted.clear()
                try:
                    await self.look()
                except DatabaseError as error:
                    if not fails:
                        log.warning("what other processes change can't be read: %s", error)
                    fails = True
                else:
                    fails = False
                shortest = min(self._pause, _SHORTEST_PAUSE)
                await asyncio.sleep(shortest)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._pause - shortest):
                        await self._hinted.wait()

    async def _hear_hints(self) -> None:
        async with aclosing(self._database.hints()) as hints:
            async for _ in hints:
                self._hinted.set()
