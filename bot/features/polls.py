"""Looking at what is followed again and again, until it can't be posted any more."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Protocol

from bot.domain.announcing import NewFollow, NewSubscription
from storage.messages import NewMessage, Priority

log = logging.getLogger(__name__)

# In seconds: how long what fails waits at most, unless the interval is longer; and how soon it is
# noticed that another process has come to follow something.
_LONGEST_BACKOFF = 900.0
_SECONDS_BETWEEN_LOOKS = 5.0
_MOST_AT_ONCE = 4
PAUSED_KIND = "paused"


class Polled(Protocol):
    """What is followed: `version` is 0 before its first reading."""

    @property
    def version(self) -> int:
        """How often something was written about it."""
        ...

    @property
    def failures(self) -> int:
        """How many looks in a row have failed."""
        ...


class Polls(ABC):
    """Polls what is followed, by its number; one process at a time does."""

    def __init__(self, name: str, clock: Callable[[], datetime], interval: float) -> None:
        self._name = name
        self._clock = clock
        self._interval = interval
        self._changed = asyncio.Event()
        self._due: dict[int, datetime] = {}

    @abstractmethod
    async def followed(self) -> Mapping[int, Polled]:
        """Return what is followed."""

    @abstractmethod
    async def find(self, number: int, /) -> Polled | None:
        """Return one that is followed."""

    @abstractmethod
    async def poll(self, number: int, /) -> bool:
        """Look at one, and write down what is new; return whether it could be read."""

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
        running: dict[int, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._changed.clear()
                await self._plan()
                now = self._clock()
                for number, due in self._due.items():
                    if due <= now and number not in running:
                        task = tasks.create_task(self._take_turn(number, at_once))
                        running[number] = task
                        task.add_done_callback(lambda _, done=number: running.pop(done))
                        task.add_done_callback(lambda _: self._changed.set())
                waits = [
                    (due - now).total_seconds()
                    for number, due in self._due.items()
                    if number not in running
                ]
                with suppress(TimeoutError):
                    async with asyncio.timeout(min([_SECONDS_BETWEEN_LOOKS, *waits])):
                        await self._changed.wait()

    async def _plan(self) -> None:
        """Give everything that is followed a moment, and forget the rest."""
        now = self._clock()
        followed = await self.followed()
        self._due = {known: due for known, due in self._due.items() if known in followed}
        for number, one in followed.items():
            # After a start they are not all asked for at once, but such as nobody has looked at.
            spread = min(self._interval, _SECONDS_BETWEEN_LOOKS) if one.version else 0.0
            self._due.setdefault(number, now + timedelta(seconds=spread * _share(number)))

    async def _take_turn(self, number: int, at_once: asyncio.Semaphore) -> None:
        async with at_once:
            try:
                is_read = await self.poll(number)
            except Exception:
                # Whatever is wrong with one, the others go on.
                log.exception("%s %s can't be polled", self._name, number)
                is_read = False
        one = None if is_read else await self.find(number)
        failures = 0 if one is None else one.failures
        self._due[number] = self.next_after(self._clock(), number, failures)


def _share(number: int) -> float:
    """Return from 0 up to 1 what looks drawn, and is the same in every process."""
    return int.from_bytes(blake2b(str(number).encode(), digest_size=4).digest()) / 2**32


def code_of(reason: str) -> int:
    """Return Discord's code at the start of a refusal's reason, 0 where there is none."""
    code = reason.partition(" ")[0]
    return int(code) if code.isdecimal() else 0


def pause_notice(
    one: NewSubscription | NewFollow, number: int, code: int, now: datetime
) -> NewMessage:
    """Return what is owed to the server of what was paused, which has this number."""
    what = "follow" if isinstance(one, NewFollow) else "announcement"
    return NewMessage(
        PAUSED_KIND,
        f"{PAUSED_KIND}:{what}:{number}:{now.timestamp():.0f}",
        Priority.ANNOUNCEMENT,
        # It goes elsewhere, but waits for no other server's.
        channel_id=one.channel_id,
        payload={
            "what": what,
            "guild": one.guild_id,
            "channel": one.channel_id,
            "locale": one.locale,
            "code": code,
        },
    )
