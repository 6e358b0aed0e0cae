"""What time it is, however the clock on the wall is set meanwhile."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def _now() -> datetime:
    return datetime.now(UTC)


class SteadyClock:
    """Tells UTC: the wall's time at the start, and what has passed since.

    A wall clock that jumps while the process runs lets no lease expire, and hides, deletes or
    settles nothing.
    """

    def __init__(
        self,
        wall: Callable[[], datetime] = _now,
        passing: Callable[[], float] = time.monotonic,
    ) -> None:
        self._passing = passing
        self._began_at = wall()
        self._began = passing()

    def __call__(self) -> datetime:
        """Return the moment, with its time zone."""
        return self._began_at + timedelta(seconds=self._passing() - self._began)
