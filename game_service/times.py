"""Moments as the database keeps them: microseconds since 1970 in UTC."""

import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> int:
    """Give the present."""
    return to_microseconds(datetime.now(UTC))


def to_microseconds(moment: datetime) -> int:
    """Give an aware moment as it is stored."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def timestamp(microseconds: int) -> str:
    """Write a stored moment as ISO 8601 in UTC with microseconds and a Z (Interface 2.1)."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{_second(seconds)}.{rest:06}Z"


# A page of comments writes dozens, and the same few pages are read over and over.
@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
