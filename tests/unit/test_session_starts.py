"""How long Kiosk waits before it connects, by what Discord says of how often it may."""

import pytest
from discord import SessionStartLimits

from bot.program.session_starts import find_wait

DAY = 86_400.0
# What connecting costs a bot that ends at once, in seconds.
A_START = 5.0


@pytest.mark.parametrize(
    ("shards", "left", "reset_after", "seconds"),
    [
        (1, 1000, 79_200_000, 0.0),
        (1, 500, 79_200_000, 0.0),
        (1, 499, 499_000, 1.0),
        (4, 400, 400_000, 4.0),
        # By then, Discord has begun to count again.
        (4, 2, 60_000, 60.0),
        (1, 0, 60_000, 60.0),
        (1, 0, 0, 0.0),
    ],
)
def test_the_wait_spreads_what_is_left_until_discord_counts_anew(
    shards: int, left: int, reset_after: int, seconds: float
) -> None:
    assert find_wait(shards, limits_of(left, reset_after))[0] == pytest.approx(seconds)


@pytest.mark.parametrize("shards", [1, 3, 16])
def test_a_loop_of_crashes_never_uses_up_what_discord_allows(shards: int) -> None:
    left = 1000
    passed = 0.0
    while passed < DAY:
        wait, reason = find_wait(shards, limits_of(left, round((DAY - passed) * 1000)))
        assert bool(reason) is (left < 500)
        passed += wait + A_START
        if passed < DAY:
            left -= shards
        assert left >= 0


def limits_of(left: int, reset_after: int) -> SessionStartLimits:
    return SessionStartLimits(
        total=1000, remaining=left, reset_after=reset_after, max_concurrency=1
    )
