"""The worker: its duties run in one process at a time."""

import asyncio
import logging
from collections import abc
from typing import NoReturn

from discord.ext import tasks as loops

from bot import background
from bot import log as bot_log
from bot.ui.error_cards import log_error
from storage.claims import Claims
from storage.database.aside import is_aside
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

CLAIM = "worker"
# Before a duty that failed is begun anew; doubled each time it fails at once again.
_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0

# Runs until it is cancelled.
Duty = abc.Callable[[], abc.Awaitable[None]]


class Worker:
    """Runs its duties while it holds the worker's claim, and ends them before others may begin."""

    def __init__(self, claims: Claims, tasks: background.BackgroundTasks) -> None:
        self._claims = claims
        self._tasks = tasks
        self._duties: dict[str, Duty] = {}
        # Whether this process is the one whose worker works.
        self.is_active = False
        self._hourly = bot_log.Hourly(tasks.clock.monotonic)

    def add(self, name: str, duty: Duty) -> None:
        self._duties[name] = duty

    def add_looks(self, name: str, look: Duty, seconds: float) -> None:
        """Run a look when the worker begins, and again every so many seconds."""

        async def look_safely() -> None:
            is_aside.set(True)
            try:
                await look()
            except Exception as error:  # noqa: BLE001 - one bad look must not end all later ones
                await self._log(name, error)

        async def look_at_once() -> None:
            await look_safely()
            await asyncio.Event().wait()

        @loops.loop(seconds=seconds)
        async def look_again() -> None:
            if self.is_active:
                await look_safely()

        self.add(name, look_at_once)
        look_again.start()

    async def run(self) -> NoReturn:
        """Wait to be the active one, then work; again and again, until cancelled."""
        is_news = True
        while True:
            is_news |= await self._claims.wait_for(CLAIM)
            self.is_active = True
            if is_news:
                log.info("this process is the active worker")
            duties = [
                self._tasks.start(self._do(name, duty)) for name, duty in self._duties.items()
            ]
            try:
                await self._claims.lost(CLAIM)
            finally:
                self.is_active = False
                # Each may have last steps, also where this task is told to end once more.
                await background.finish_despite_cancel(self._tasks.end(*duties))
            if is_news := self._claims.is_alive:
                log.warning("this process is no longer the active worker")

    async def _do(self, name: str, duty: Duty) -> NoReturn:
        is_aside.set(True)
        loop = asyncio.get_running_loop()
        pause = _PAUSE_SECONDS
        while True:
            begun = loop.time()
            try:
                await duty()
            except Exception as error:  # noqa: BLE001 - no fault may end a duty for good
                await self._log(name, error)
            pause = _PAUSE_SECONDS if loop.time() - begun > _LONGEST_PAUSE_SECONDS else pause
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    async def _log(self, name: str, error: Exception) -> None:
        """Log why a duty failed, unless the claims have said already that the database is away."""
        _, others = ExceptionGroup("", [error]).split(DatabaseError)
        # Asking takes long where the database goes away meanwhile, and comes back.
        if others is not None or (await self._claims.answers() and not self._claims.was_away):
            more = self._hourly.note(f"{name} {bot_log.place_of(error)}")
            if more is not None:
                log.warning("duty %r failed under reference %s%s", name, log_error(error), more)
