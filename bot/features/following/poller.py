"""Looking at whatever is followed again and again, once for all who follow it."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Protocol

from msgspec import Struct

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
# A success that changed nothing is written this seldom.
_WRITTEN_FOR = timedelta(hours=1)
_Place = tuple[PlaceKind, int]


class Look(Protocol):
    """Reads what is followed, and was read before at a moment, and writes down what is new."""

    async def __call__(self, followed: Followed, read_at: datetime | None, /) -> str | None:
        """Return the name of the error that cut it short. Raises GameError, KioskError."""


class Status(Struct, frozen=True):
    """How the looks at something go; `read_at` is exact in the process that looks."""

    followed: Followed
    read_at: datetime | None
    next_look: datetime


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
        self._due: dict[_Place, datetime] = {}
        # When this process read each last.
        self._read_at: dict[_Place, datetime] = {}

    async def poll(self, kind: PlaceKind, game_id: int) -> bool:
        """Look at one, and write down what is new; return whether it could be read."""
        followed = await self._places.find(kind, game_id)
        if followed is None:
            return True
        try:
            failure = await self._looks[kind](followed, self.last_read(followed))
        except (GameError, KioskError) as error:
            failure = error.key
        now = self._clock()
        if failure is not None:
            log.warning("%s %s can't be read: %s", kind, game_id, failure)
            await self._places.note_failure(followed, failure, now)
            return False
        self._read_at[kind, game_id] = now
        if followed.failure or not followed.read_at or now - followed.read_at >= _WRITTEN_FOR:
            await self._places.note_read(followed, now)
        return True

    def last_read(self, followed: Followed) -> datetime | None:
        """Return when one was read last since it is followed: here, or by another process."""
        moments = (self._read_at.get((followed.kind, followed.game_id)), followed.read_at)
        since = followed.followed_at
        return max((each for each in moments if each and each >= since), default=None)

    async def catalogs(self) -> Sequence[Status]:
        """Return how the looks at each catalog go that anybody follows."""
        found = await self._places.all()
        return [self._status(each) for each in found if each.kind is PlaceKind.CATALOG]

    def _status(self, followed: Followed) -> Status:
        now = next_look = self._clock()
        if followed.failures:
            failed_at = followed.failed_at or now
            next_look = self.next_after(failed_at, followed.game_id, followed.failures)
        elif followed.version:
            next_look = self.next_after(now, followed.game_id)
        return Status(followed, self.last_read(followed), next_look)

    def next_after(self, look: datetime, number: int, failures: int = 0) -> datetime:
        """Return when one is due after a look: every process comes to the same moment.

        Turns are an interval apart; after looks that failed it takes longer each time.
        """
        if failures:
            longest = max(self._interval, _LONGEST_BACKOFF)
            wait = min(self._interval * 2 ** min(failures, 10), longest)
            return look + timedelta(seconds=wait)
        turn = int(look.timestamp() / self._interval) - 1 + _share(number)
        while (due := datetime.fromtimestamp(turn * self._interval, UTC)) <= look:
            turn += 1
        return due

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
                await self.plan()
                now = self._clock()
                for place, due in self._due.items():
                    if due <= now and place not in running:
                        task = tasks.create_task(self._take_turn(place, at_once))
                        running[place] = task
                        task.add_done_callback(lambda _, done=place: running.pop(done))
                        task.add_done_callback(lambda _: self._changed.set())
                waits = [
                    (due - now).total_seconds()
                    for place, due in self._due.items()
                    if place not in running
                ]
                with suppress(TimeoutError):
                    async with asyncio.timeout(min([_SECONDS_BETWEEN_LOOKS, *waits])):
                        await self._changed.wait()

    async def plan(self) -> None:
        """Give everything that is followed a moment, and forget the rest."""
        now = self._clock()
        followed = {(each.kind, each.game_id): each for each in await self._places.all()}
        self._due = {known: due for known, due in self._due.items() if known in followed}
        for place, one in followed.items():
            # After a start they are not all asked for at once, but such as nobody has looked at.
            spread = min(self._interval, _SECONDS_BETWEEN_LOOKS) if one.version else 0.0
            self._due.setdefault(place, now + timedelta(seconds=spread * _share(one.game_id)))

    async def _take_turn(self, place: _Place, at_once: asyncio.Semaphore) -> None:
        async with at_once:
            try:
                is_read = await self.poll(*place)
            except Exception:
                # Whatever is wrong with one, the others go on.
                log.exception("%s %s can't be polled", *place)
                is_read = False
        one = None if is_read else await self._places.find(*place)
        failures = 0 if one is None else one.failures
        self._due[place] = self.next_after(self._clock(), place[1], failures)


def _share(number: int) -> float:
    """Return from 0 up to 1 what looks drawn, and is the same in every process."""
    return int.from_bytes(blake2b(str(number).encode(), digest_size=4).digest()) / 2**32
