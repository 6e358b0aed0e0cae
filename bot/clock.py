"""What time it is, asked here alone: everybody else is handed `now`."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the moment by the clock on the wall, with its time zone."""
    return datetime.now(UTC)
