"""Looking at whatever is followed again and again, once for all who follow it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from bot.errors import KioskError
from bot.game.errors import GameError
from storage.following import Followed, FollowedPlaces
from storage.names import PlaceKind

log = logging.getLogger(__name__)

# In seconds: how long what fails waits at most, unless the interval is longer; and how soon it is
# noticed that another process has come to follow something.
_LONGEST_BACKOFF = 900.0
_SECONDS_BETWEEN_LOOKS = 5.0
_MOST_AT_ONCE = 8
_Place = tuple[PlaceKind, int]
# Reads what is followed, and writes down what is new; returns the name of the error that cut it
# short. Raises GameError, KioskError.
Look = Callable[[Followed], Awaitable[str | None]]


class Poller:
    """Looks at all that is followed; one process at a time does."""

    def __init__(
        self,
        places: FollowedPlaces,
        looks: Mapping[PlaceKind, Look],
        clock: Callable[[], datetime],
        interval: float,
    ) -> None:
        self._places = places
        self._looks = looks
        self._clock = clock
        self._interval = interval
        self._changed = asyncio.Event()

    async def poll(self, kind: PlaceKind, game_id: int) -> bool:
        """Look at one, and write down what is new; return whether it could be read."""
        followed = await self._places.find(kind, game_id)
        if followed is None:
            return True
        try:
            failure = await self._looks[kind](followed)
        except (GameError, KioskError) as error:
            failure = error.key
        now = self._clock()
        if failure is not None:
            log.warning("%s %s can't be read: %s", kind, game_id, failure)
            await self._places.note_failure(followed, failure, now)
            return False
        await self._places.note_read(followed, now)
        return True

    def next_look(self, followed: Followed) -> datetime:
        """Return when one is due: every process comes to the same moment.

        Turns are an interval apart; after looks that failed it takes longer each time.
        """
        if followed.failures and followed.failed_at is not None:
            longest = max(self._interval, _LONGEST_BACKOFF)
            wait = min(self._interval * 2 ** min(followed.failures, 10), longest)
            return followed.failed_at + timedelta(seconds=wait)
        if followed.read_at is None:
            return followed.followed_at
        turn = int(followed.read_at.timestamp() / self._interval) - 1 + _share(followed.game_id)
        while (due := datetime.fromtimestamp(turn * self._interval, UTC)) <= followed.read_at:
            turn += 1
        return due

    async def catalogs(self) -> Sequence[Followed]:
        """Return all catalogs that anybody follows."""
        return [each for each in await self._places.all() if each.kind is PlaceKind.CATALOG]

    def hurry(self) -> None:
        """Look at once whether something is followed that was not before."""
        self._changed.set()

    async def run(self) -> None:
        """Poll until cancelled."""
        at_once = asyncio.Semaphore(_MOST_AT_ONCE)
        running: dict[_Place, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                # What ends while all are read has been noted too late to be seen among them.
                busy, followed = set(running), await self._places.all()
                now, waits = self._clock(), [_SECONDS_BETWEEN_LOOKS]
                for each in followed:
                    place, due = (each.kind, each.game_id), self.next_look(each)
                    if place in busy:
                        continue
                    if due > now:
                        waits.append((due - now).total_seconds())
                        continue
                    task = tasks.create_task(self._take_turn(place, at_once))
                    running[place] = task
                    task.add_done_callback(lambda _, done=place: running.pop(done))
                    task.add_done_callback(lambda _: self._changed.set())
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(waits)):
                        await self._changed.wait()

    async def _take_turn(self, place: _Place, at_once: asyncio.Semaphore) -> None:
        try:
            async with at_once:
                await self.poll(*place)
        except Exception:
            # Whatever is wrong with one, the others go on; nobody may have noted that it failed.
            log.exception("%s %s can't be polled", *place)
            await asyncio.sleep(self._interval)


def _share(number: int) -> float:
    """Return from 0 up to 1 what looks drawn, and is the same in every process."""
    return int.from_bytes(blake2b(str(number).encode(), digest_size=4).digest()) / 2**32
