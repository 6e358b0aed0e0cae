"""How long removals take, until when mutes last, and what is hidden at once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.features.errors import BadDate
from bot.features.moderation.hiding import HiddenTexts
from bot.features.moderation.times import read_moment, seconds_left
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages
from storage.moderation import LogCards, Moderation, Subject
from storage.removals import Removal, Removals
from storage.shown import RemovedMessages, WaitingEdits
from storage.vault import Vault, new_key
from tests.support.clock import ManualClock

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def removals_in(database: Database, clock: ManualClock) -> Removals:
    outbox = Messages(database, clock)
    messages = RemovedMessages(database, outbox, clock)
    vault = Vault([SecretStr(new_key())])
    return Removals(database, vault, messages, LogCards(database, outbox), clock)


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


async def test_whoever_reads_has_what_is_hidden_as_it_is_now(tmp_path: Path) -> None:
    clock = ManualClock()
    async with (
        open_database(f"sqlite:///{tmp_path}/kiosk.db", MIGRATIONS) as database,
        BackgroundTasks() as tasks,
    ):
        hidden = HiddenTexts(Moderation(database, clock), tasks)
        removals = removals_in(database, clock)
        in_hand = await hidden.here(1)
        assert not in_hand.hides(7, None)

        await removals.add(Removal(1, Subject(7), 5, "", "en-GB"))
        await hidden.refresh(1)

        assert in_hand.hides(7, None)
        assert not (await hidden.here(2)).hides(7, None)
        assert not (await hidden.here(None)).hides(7, None)
