"""A share of requests for each token, so that one caller can't crowd out the rest."""

import math
import time
from collections import Counter

from game_service.errors import TooManyRequests

_WINDOW = 60.0


class RateLimiter:
    """At most so many requests a minute for each key, counted in windows of one minute."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._counts: Counter[str] = Counter()
        self._window_ends = 0.0

    def count(self, key: str) -> None:
        """Count one request. Raises TooManyRequests when the share is used up."""
        now = time.monotonic()
        if now >= self._window_ends:
            # Starting over at once for all keeps nothing about keys that no longer ask.
            self._counts.clear()
            self._window_ends = now + _WINDOW
        self._counts[key] += 1
        if self._counts[key] > self._per_minute:
            raise TooManyRequests(math.ceil(self._window_ends - now))
