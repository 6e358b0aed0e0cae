"""The worker: its duties run in one process at a time."""

import logging
from collections import abc
from typing import NoReturn

from bot import background
from bot.log import Hourly, place_of
from bot.rest import Rest
from bot.ui.error_cards import log_error
from storage.claims import Claims
from storage.database.aside import is_aside
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

CLAIM = "worker"
# The pause before a failed duty starts again. It doubles each time the duty fails at once.
_PAUSE_SECONDS = 1.0
_MAX_PAUSE_SECONDS = 60.0

# Runs until it is cancelled, and waits by what it is given.
Duty = abc.Callable[[Rest], abc.Awaitable[None]]


class Worker:
    """Runs its duties while it holds the worker's claim, and ends them before others may begin."""

    def __init__(self, claims: Claims, tasks: background.BackgroundTasks) -> None:
        self._claims = claims
        self._tasks = tasks
        self._clock = tasks.clock
        self._duties: dict[str, tuple[Duty, Rest, abc.Callable[[], bool]]] = {}
        # Whether this process is the one whose worker works.
        self.is_active = False
        self._hourly = Hourly(tasks.clock.monotonic)

    def add(self, name: str, duty: Duty, is_idle: abc.Callable[[], bool] | None = None) -> None:
        """Add a duty. Unless `is_idle` says more, it has nothing to do while it rests."""
        rest = Rest(self._clock)
        self._duties[name] = duty, rest, is_idle or rest.is_idle

    def add_looks(
        self, name: str, duty: abc.Callable[[], abc.Awaitable[None]], seconds: float
    ) -> None:
        """Run a duty when the worker starts, and again every `seconds`."""

        async def look_again(rest: Rest) -> None:
            while True:
                try:
                    await duty()
                except Exception as error:  # noqa: BLE001 - one bad duty must not end later ones
                    await self._log(name, error)
                await rest.sleep(seconds)

        self.add(name, look_again)

    def is_idle(self) -> bool:
        """Return whether the worker is active, and no duty has anything to do."""
        return self.is_active and all(is_idle() for _, _, is_idle in self._duties.values())

    async def run(self) -> NoReturn:
        """Wait to be the active worker, then work. Repeat that until cancelled."""
        is_news = True
        while True:
            is_news |= await self._claims.wait_for(CLAIM)
            self.is_active = True
            if is_news:
                log.info("This process is the active worker")
            duties = [
                self._tasks.start(self._do(name, duty, rest))
                for name, (duty, rest, _) in self._duties.items()
            ]
            try:
                await self._claims.lost(CLAIM)
            finally:
                self.is_active = False
                # Each may have last steps, also if this task is cancelled once more.
                await background.finish_despite_cancel(self._tasks.end(*duties))
            if is_news := self._claims.is_alive:
                log.warning("This process is no longer the active worker")

    async def _do(self, name: str, duty: Duty, rest: Rest) -> NoReturn:
        is_aside.set(True)
        pause = _PAUSE_SECONDS
        while True:
            begun = self._clock.monotonic()
            try:
                await duty(rest)
            except Exception as error:  # noqa: BLE001 - no fault may end a duty for good
                await self._log(name, error)
            if self._clock.monotonic() - begun > _MAX_PAUSE_SECONDS:
                pause = _PAUSE_SECONDS
            await rest.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)

    async def _log(self, name: str, error: Exception) -> None:
        """Log why a duty failed, unless the claims have said already that the database is away."""
        _, others = ExceptionGroup("", [error]).split(DatabaseError)
        # Asking takes long if the database disappears and comes back in between.
        if others is not None or (await self._claims.answers() and not self._claims.was_away):
            more = self._hourly.note(f"{name} {place_of(error)}")
            if more is not None:
                log.warning("Duty %r failed, reference %s%s", name, log_error(error), more)
