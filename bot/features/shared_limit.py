"""One limit towards the game for all processes: each has its share, and all keep every pause."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import NoReturn

from bot.changes import Changes
from bot.game.rate_limit import RateLimiter
from storage.errors import DatabaseError
from storage.installation import PAUSES, Pauses

# In seconds. A process that died is counted until its claim is over.
_BETWEEN_COUNTS = 5.0
# A shorter pause is over before others have heard of it.
_SHORTEST = 1.0
# Pauses that come closer together are told together.
_GATHERING = 0.2


class SharedLimit:
    """Keeps the limiter of this process in step with the others, in the background.

    No request waits for it. While the database is out of reach, each process goes on with the
    share it had. `count` tells how many processes live; it raises DatabaseError.
    """

    def __init__(
        self,
        limiter: RateLimiter,
        count: Callable[[], Awaitable[int]],
        pauses: Pauses,
        changes: Changes,
        now: Callable[[], datetime],
    ) -> None:
        self._limiter = limiter
        self._count = count
        self._pauses = pauses
        self._now = now
        # Of the accounts whose pauses are to be told.
        self._untold: set[int | None] = set()
        self._known_number: int | None = None
        self._news = asyncio.Event()
        limiter.on_pause = self._note_pause
        changes.follow(PAUSES, self._news.set)

    async def run(self) -> NoReturn:
        """Keep the share and the pauses current until cancelled."""
        async with asyncio.TaskGroup() as together:
            together.create_task(self._keep_pauses())
            while True:
                with suppress(DatabaseError):
                    await self.take_share()
                await asyncio.sleep(_BETWEEN_COUNTS)

    async def take_share(self) -> None:
        """Take an equal share of the rate. Raises DatabaseError; then it is as before."""
        self._limiter.share(1 / max(await self._count(), 1))

    async def exchange_pauses(self) -> None:
        """Tell others what the game asked this process for, and learn what it asked them for.

        Raises DatabaseError.
        """
        untold, self._untold = self._untold, set()
        lasting = {account: self._limiter.pause_of(account) for account in untold}
        lasting = {account: left for account, left in lasting.items() if left >= _SHORTEST}
        try:
            if lasting:
                await self._pauses.put(lasting, now=self._now())
        except DatabaseError:
            self._untold |= lasting.keys()
            raise
        number = self._known_number or 0
        async for pause in self._pauses.since(number):
            number = pause.number
            seconds = pause.seconds
            if self._known_number is None:
                # From before this process looked: how long before, only their clock can tell.
                seconds = min(seconds, (pause.ends_at - self._now()).total_seconds())
            self._limiter.learn_pause(pause.account_id, seconds)
        self._known_number = number

    async def _keep_pauses(self) -> NoReturn:
        while True:
            self._news.clear()
            try:
                await self.exchange_pauses()
            except DatabaseError:
                await asyncio.sleep(_BETWEEN_COUNTS)
                continue
            await asyncio.sleep(_GATHERING)
            await self._news.wait()

    def _note_pause(self, account: int | None) -> None:
        self._untold.add(account)
        self._news.set()
