"""A clock that nobody sets."""

from datetime import UTC, datetime, timedelta

from bot.clock import SteadyClock


def test_a_wall_clock_that_jumps_changes_nothing() -> None:
    wall, passed = datetime(2026, 1, 1, tzinfo=UTC), 5.0
    clock = SteadyClock(lambda: wall, lambda: passed)

    wall += timedelta(days=1)
    passed += 60

    assert clock() == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
