"""How long a shard waits before it tells Discord who it is."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from discord import SessionStartLimits

from bot.background import BackgroundTasks
from bot.program.connecting import Sharding, wait_after_repeats, wait_for_budget
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import open_database
from storage.installation import Installation, Recent
from tests.support.clock import ManualClock
from tests.support.databases import address_at

NOW = datetime(2026, 5, 1, tzinfo=UTC)
DAY = 86_400


def recent(number: int, seconds_ago: float = 0) -> Recent:
    last = NOW - timedelta(seconds=seconds_ago)
    return Recent(number, last, last)


def limits(remaining: int, *, total: int = 1000, reset_after: int = DAY) -> SessionStartLimits:
    return SessionStartLimits(
        total=total, remaining=remaining, reset_after=reset_after * 1000, max_concurrency=1
    )


def test_a_shard_that_starts_now_and_then_never_waits() -> None:
    assert wait_after_repeats(Recent(0, None, None), NOW) == 0
    assert wait_after_repeats(recent(4), NOW) == 0


def test_a_shard_that_starts_again_and_again_waits_longer_each_time() -> None:
    waits = [wait_after_repeats(recent(number), NOW) for number in range(5, 14)]

    assert waits == [10, 20, 40, 80, 160, 320, 640, 900, 900]


def test_what_has_passed_since_the_last_time_counts() -> None:
    assert wait_after_repeats(recent(7, seconds_ago=30), NOW) == 10
    assert wait_after_repeats(recent(7, seconds_ago=41), NOW) == 0


def test_a_crash_loop_spends_a_small_part_of_a_day() -> None:
    moment, times = NOW, list[datetime]()
    while moment < NOW + timedelta(days=1):
        hour = [time for time in times if time > moment - timedelta(hours=1)]
        last = times[-1] if times else None
        moment += timedelta(seconds=wait_after_repeats(Recent(len(hour), last, last), moment) + 2)
        times.append(moment)

    assert len(times) < 300


def test_while_the_day_has_plenty_left_nobody_waits() -> None:
    assert wait_for_budget(limits(250), recent(1), NOW) == 0
    assert wait_for_budget(limits(1), Recent(0, None, None), NOW) == DAY


def test_the_fewer_are_left_the_longer_a_shard_waits() -> None:
    waits = [wait_for_budget(limits(left), recent(1), NOW) for left in (249, 200, 100, 50)]

    assert waits == sorted(waits)
    assert waits[0] > 0
    assert wait_for_budget(limits(100), recent(1, seconds_ago=DAY), NOW) == 0


def test_the_last_ones_are_kept_until_the_day_is_over() -> None:
    assert wait_for_budget(limits(22), recent(0, seconds_ago=DAY), NOW) == 0
    assert wait_for_budget(limits(21), recent(0, seconds_ago=DAY), NOW) == DAY
    assert wait_for_budget(limits(0, reset_after=60), recent(0, seconds_ago=DAY), NOW) == 60


async def test_a_day_that_is_over_has_given_its_identifies_back(tmp_path: Path) -> None:
    clock = ManualClock(NOW)

    async def ask() -> SessionStartLimits:
        return limits(90, reset_after=3600)

    async with (
        open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database,
        BackgroundTasks() as tasks,
    ):
        sharding = Sharding(Claims(database), Installation(database), tasks, clock, ask)
        assert sharding.identifies_left is None
        await sharding.brake(0)
        assert sharding.identifies_left == 90
        clock.advance(3599)
        assert sharding.identifies_left == 90
        clock.advance(1)

        assert sharding.identifies_left == 1000
