"""What hears of every request to the game, and the game's health as the last ones tell it."""

import time
from collections.abc import Callable

from bot.game.errors import GameError, Refused, TooLate
from bot.game.protocol import Request


class Observer:
    """Hears of each try of a request; what it does must take no time."""

    def on_turn(self, seconds: float) -> None:
        """Hear that a request waited so long for its turn."""

    def on_answer(self, request: Request, seconds: float, error: GameError | None) -> None:
        """Hear that a try ended after so many seconds, well or with an error."""

    def on_retry(self, request: Request) -> None:
        """Hear that a read is asked for again."""


class GameHealth(Observer):
    """When the game last answered, and how it failed last; moments are of `now`, in seconds."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.answered_at: float | None = None
        self.failed_at: float | None = None
        self.failure: GameError | None = None

    @property
    def is_well(self) -> bool:
        """Whether it answered after it had last failed, or was never asked."""
        return self.failed_at is None or (self.answered_at or 0) > self.failed_at

    def on_answer(self, request: Request, seconds: float, error: GameError | None) -> None:
        """Note it: a refusal is an answer too."""
        if error is None or isinstance(error, Refused):
            self.answered_at = self._now()
        elif not isinstance(error, TooLate):
            self.failed_at, self.failure = self._now(), error
