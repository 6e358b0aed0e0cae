"""A share of requests for each token, so that one caller can't crowd out the rest."""

import math
from collections import Counter
from collections.abc import Callable

from game_service.errors import TooManyRequests

_WINDOW = 60.0


class RateLimiter:
    """A maximum of requests a minute for each key, counted in windows of one minute.

    `monotonic` gives seconds from a beginning that means nothing.
    """

    def __init__(self, per_minute: int, monotonic: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._monotonic = monotonic
        self._counts: Counter[str] = Counter()
        self._window_ends = -math.inf

    def count(self, key: str) -> None:
        """Count one request. Raises TooManyRequests when the share is used up."""
        now = self._monotonic()
        if now >= self._window_ends:
            # Starting over at once for all keeps nothing about keys that no longer ask.
            self._counts.clear()
            self._window_ends = now + _WINDOW
        self._counts[key] += 1
        if self._counts[key] > self._per_minute:
            raise TooManyRequests(math.ceil(self._window_ends - now))
