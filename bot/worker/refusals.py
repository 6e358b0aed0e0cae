"""Whether refusals are the servers' doing, or Discord's own trouble."""

import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import discord

from bot.domain.outbox import HELD_BACK
from bot.worker.verdicts import TryAgain, is_refusal

log = logging.getLogger(__name__)

# Of the sends of so many seconds; a few alone say nothing.
_SECONDS = 60.0
_LARGEST_SHARE = 0.05
_FEWEST_REFUSALS = 5


class Refusals:
    """Counts how sends end; `now` counts seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._ends: deque[tuple[float, bool]] = deque()
        self._is_alerted = False

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Let a send end as it does; where too many are refused at once, it is to be tried again.

        Raises TryAgain for such a refusal.
        """
        try:
            yield
        except discord.HTTPException as error:
            self._note(is_refused=is_refusal(error))
            if is_refusal(error) and self._is_storm():
                raise TryAgain(f"{HELD_BACK}: {error}") from error
            raise
        self._note(is_refused=False)

    def _note(self, *, is_refused: bool) -> None:
        now = self._now()
        self._ends.append((now, is_refused))
        while self._ends[0][0] < now - _SECONDS:
            self._ends.popleft()

    def _is_storm(self) -> bool:
        refused = sum(is_refused for _, is_refused in self._ends)
        is_storm = refused >= _FEWEST_REFUSALS and refused > _LARGEST_SHARE * len(self._ends)
        if is_storm and not self._is_alerted:
            log.error(
                "%s of %s announcements were refused within a minute: that is Discord, not the "
                "servers, so none is paused",
                refused,
                len(self._ends),
            )
        self._is_alerted = is_storm
        return is_storm
