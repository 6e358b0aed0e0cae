"""Carry out what Kiosk owes to Discord: each once, as fast as Discord takes it."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from discord.http import HTTPClient
from msgspec.structs import replace

from bot.background import surely
from bot.worker.delivery import NONCE_HOLDS, Result, Results, deliver, is_repeatable, time_left
from bot.worker.kinds import Kind, Repeat
from bot.worker.pacing import Openings, Pacing, Trouble
from bot.worker.requests import Requests
from bot.worker.verdicts import BotTokenRefused, PutOff, Verdict
from storage.errors import DatabaseError
from storage.messages import DirectChannels, Message, Messages, Priority

log = logging.getLogger(__name__)

_MOST_IN_FLIGHT = 100
# Claimed together, so that a thousand are a few hundred transactions; the next follow before
# these have all had their turn.
_MOST_CLAIMED, _FEWEST_COMING = 27, 12
# What other processes have come to owe is found by then, in seconds.
_POLL = 5.0
_WITHOUT_DATABASE = 1.0
# Discord's longer waits belong into the table, not into a request, in seconds.
_LONGEST_WAIT = 30.0
# What has left is waited for so long at the end, in seconds.
_LAST_ANSWERS = 3.0
_CUT_OFF = "interrupted"
# Before every lane.
_BEFORE_ALL = -1
# More lanes than are wanted are looked at, since some wait.
_MARGIN = 16


class Dispatcher:
    """Sends what is owed, as a duty of the active worker; `add` the kinds before.

    `clock` tells the time by which entries are due; `now` counts seconds.
    """

    def __init__(
        self,
        messages: Messages,
        channels: DirectChannels,
        clock: Callable[[], datetime],
        *,
        pacing: Pacing | None = None,
        openings: Openings | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._messages = messages
        self._channels = channels
        self._clock = clock
        self.pacing = pacing or Pacing(now)
        self._openings = openings or Openings(0.0, now)
        self._now = now
        self._kinds: dict[str, Kind] = {}
        self._rounds = Rounds(messages)
        self._results = Results(messages, clock)
        self._trouble = Trouble(now)
        # By lane: one request is in flight for each.
        self._in_flight: dict[int, tuple[asyncio.Task[None], Requests]] = {}
        self.pacing.on_turn = self.wake
        self._is_refused = False

    def add(self, *kinds: Kind) -> None:
        """Carry out entries of these kinds, too."""
        self._kinds.update({kind.name: kind for kind in kinds})

    async def run(self, http: HTTPClient) -> None:
        """Send until cancelled."""
        http.max_ratelimit_timeout = _LONGEST_WAIT
        try:
            while True:
                await self._step(http)
        finally:
            await surely(self._end())
            # While the whole bot is to wait, the library holds everybody up, and whoever is cut
            # off in that wait never lets them go on. There is nothing to wait for without a login.
            if over := http._global_over:  # pyright: ignore[reportPrivateUsage]
                over.set()

    async def _step(self, http: HTTPClient) -> None:
        self._messages.news.clear()
        try:
            await self._results.write()
            await self._begin_next(http)
            seconds = await self._seconds_to_wait()
        except DatabaseError as error:
            log.warning("what is owed can't be read or written now: %s", error)
            await asyncio.sleep(_WITHOUT_DATABASE)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._messages.news.wait()

    async def _begin_next(self, http: HTTPClient) -> None:
        """Start to send what comes next, as many as there is room for."""
        coming = self._coming()
        under_way = len(self._in_flight)
        room = min(_MOST_CLAIMED - coming, self._trouble.most(_MOST_IN_FLIGHT) - under_way)
        if self._is_refused or room <= 0 or coming > _FEWEST_COMING:
            return
        busy = self._in_flight.keys() | self._results.lanes()
        found = await self._rounds.next(room, self._clock(), busy)
        if found:
            for message in await self._claim(found):
                self._start(message, self._kinds[message.kind], http)

    def _coming(self) -> int:
        """Return how many will want a turn: they are being drawn, or in line."""
        drawn = sum(not requests.is_ready for _, requests in self._in_flight.values())
        return drawn + self.pacing.waiting

    def wake(self) -> None:
        """Look at once for what is due, as soon as there is room for more."""
        if self._coming() <= _FEWEST_COMING:
            self._messages.news.set()

    async def _claim(self, found: list[Message]) -> list[Message]:
        claimed: list[Message] = []
        try:
            async with self._messages.transaction() as transaction:
                for message in found:
                    if await self._messages.claim(transaction, message, now=self._clock()):
                        claimed.append(message)
        except (asyncio.CancelledError, DatabaseError):
            # Whether that lasts or not, nothing was sent.
            for message in claimed:
                verdict = PutOff(
                    _CUT_OFF, timedelta(), is_doubtful=message.attempted_at is not None
                )
                self._results.add(Result(_held(message), self._kinds[message.kind], verdict))
            raise
        return claimed

    def _start(self, message: Message, kind: Kind, http: HTTPClient) -> None:
        left = time_left(message, kind, self._clock())
        requests = Requests(
            http=http,
            pacing=self.pacing,
            channels=self._channels,
            openings=self._openings,
            message=message,
            clock=self._clock,
            send_before=self._now() + (left or NONCE_HOLDS).total_seconds(),
            once=kind.repeat is Repeat.NEVER,
            now=self._now,
        )
        trying = deliver(message, kind, requests, is_late=left is None)
        task = asyncio.create_task(self._finish(trying, message, kind, requests))
        self._in_flight[message.lane] = task, requests

    async def _finish(
        self, trying: Coroutine[Any, Any, Verdict], message: Message, kind: Kind, requests: Requests
    ) -> None:
        is_doubtful = not is_repeatable(message, kind) and message.attempted_at is not None
        verdict: Verdict = PutOff("token refused", is_doubtful=is_doubtful)
        try:
            verdict = await trying
        except asyncio.CancelledError:
            is_doubtful = is_doubtful or requests.is_doubtful
            verdict = PutOff(_CUT_OFF, timedelta(), is_doubtful=is_doubtful)
            raise
        except BotTokenRefused:
            self._is_refused = True
            log.critical("Discord refuses the token: nothing is sent before a new start")
        finally:
            self._trouble.note(is_trouble=isinstance(verdict, PutOff) and verdict.is_trouble)
            self._results.add(Result(_held(message), kind, verdict))
            del self._in_flight[message.lane]
            self.wake()

    async def _seconds_to_wait(self) -> float:
        """Return when to look again, if nothing happens before."""
        now = self._clock()
        due_at = await self._messages.next_due(after=now)
        seconds = _POLL if due_at is None else min(_POLL, (due_at - now).total_seconds())
        return max(seconds, self._trouble.seconds())

    async def _end(self) -> None:
        """Let answers come to what has left, and send nothing more."""
        for task, requests in self._in_flight.values():
            if not requests.has_left:
                task.cancel()
        tasks = [task for task, _ in self._in_flight.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_ANSWERS)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(DatabaseError):
            await self._results.write()


def _held(message: Message) -> Message:
    """Return a message as it is once it is claimed."""
    return replace(message, attempts=message.attempts + 1)


class Rounds:
    """Goes round all lanes, each priority for itself, and remembers where it was.

    A lane that was served is the last of its round, so that the next one waits longest.
    """

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._last_served: dict[Priority, int] = {}

    async def next(self, most: int, now: datetime, busy: Collection[int]) -> list[Message]:
        """Return what is to be sent next: the first of each lane, where it is due and not busy."""
        chosen: list[Message] = []
        taken = set(busy)
        for priority in Priority:
            if len(chosen) < most:
                chosen += await self._walk(priority, most - len(chosen), now, taken)
        return chosen

    async def _walk(
        self, priority: Priority, most: int, now: datetime, taken: set[int]
    ) -> list[Message]:
        start = self._last_served.get(priority, _BEFORE_ALL)
        at, is_second_half = start, False
        chosen: list[Message] = []
        size = most + _MARGIN
        while True:
            heads = await self._messages.heads(priority, at, size, now)
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
