"""Moments as the database keeps them: microseconds since 1970 in UTC."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

# Gives the real time, in UTC.
Now = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Without its zone, which would be written too.
_NAIVE_EPOCH = _EPOCH.replace(tzinfo=None)


def utc_now() -> datetime:
    """Return the real time, for callers that get no other `now`."""
    return datetime.now(UTC)


def to_microseconds(moment: datetime) -> int:
    """Return an aware moment as it is stored."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def timestamp(microseconds: int) -> str:
    """Write a moment as ISO 8601 with microseconds and a Z (docs/connect-your-game.md#comment)."""
    moment = _NAIVE_EPOCH + timedelta(microseconds=microseconds)
    return f"{moment.isoformat(timespec='microseconds')}Z"
