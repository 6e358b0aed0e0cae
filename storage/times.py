"""How times are stored: whole microseconds since the epoch, which every engine sorts alike."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Turn an aware datetime into microseconds since the epoch, exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """Turn microseconds since the epoch into an aware datetime in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def moment(micros: int | None) -> datetime | None:
    """Return a stored time, None for none."""
    return None if micros is None else from_micros(micros)
