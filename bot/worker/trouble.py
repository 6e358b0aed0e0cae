"""Leave Discord alone while it is in trouble: what is sent then ends in doubt, or counts."""

import time
from collections.abc import Callable

from bot.worker.verdicts import pause_after

# One after the other, so many are no fault of one request.
_ENOUGH = 5
_LONGEST_PAUSE = 60.0


class Trouble:
    """Counts failures that others will meet as well; `now` counts seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._failures = 0
        self._until = now()

    def note(self, *, is_trouble: bool) -> None:
        """Note how a request went."""
        if not is_trouble:
            self._failures = 0
            return
        self._failures += 1
        if self._failures >= _ENOUGH:
            pause = pause_after(self._failures - _ENOUGH + 1).total_seconds()
            self._until = self._now() + min(pause, _LONGEST_PAUSE)

    def most(self, most: int) -> int:
        """Return how many requests may be under way: in trouble, one alone finds out of its end."""
        if self._failures < _ENOUGH:
            return most
        return 1 if self._now() >= self._until else 0

    def seconds(self) -> float:
        """Return how long to leave Discord alone."""
        return self._until - self._now() if self._failures >= _ENOUGH else 0.0
