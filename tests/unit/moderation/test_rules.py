"""How long removals take, until when mutes last, and what is hidden at once."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.features.errors import BadDate
from bot.features.moderation.times import read_moment, seconds_left
from storage.shown import WaitingEdits

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("waiting", "seconds"),
    [
        ([], 0),
        # Three edits of old messages in six seconds.
        ([WaitingEdits(1, 3, 3)], 6.3),
        ([WaitingEdits(1, 10, 0)], 11),
        # Channels are served side by side,
        ([WaitingEdits(1, 100, 100), WaitingEdits(2, 100, 100)], 210),
        # but no more than 45 requests a second leave.
        ([WaitingEdits(channel, 1, 0) for channel in range(900)], 40),
    ],
)
def test_the_time_left_is_what_discord_takes_at_least(
    waiting: list[WaitingEdits], seconds: float
) -> None:
    assert seconds_left(waiting) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("7d", NOW + timedelta(days=7)),
        (" 12 H ", NOW + timedelta(hours=12)),
        ("30m", NOW + timedelta(minutes=30)),
        ("2w", NOW + timedelta(weeks=2)),
        ("2026-12-31", datetime(2026, 12, 31, tzinfo=UTC)),
        ("2026-05-01T14:30+02:00", NOW + timedelta(minutes=30)),
    ],
)
def test_a_mute_ends_at_a_day_or_after_a_length(typed: str, moment: datetime) -> None:
    assert read_moment(typed, NOW) == moment


@pytest.mark.parametrize(
    "typed", ["", "soon", "0d", "2026-04-30", "99999d", "-1d", "7 days", "9999-12-31T23:59-01:00"]
)
def test_what_is_over_or_no_time_is_refused(typed: str) -> None:
    with pytest.raises(BadDate):
        read_moment(typed, NOW)
