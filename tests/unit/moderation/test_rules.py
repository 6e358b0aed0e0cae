"""How long things last, what a reason is, and how large cards may be."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.features.directory import Place
from bot.features.feature_errors import BadDate, NothingToUndo, ReasonNeeded
from bot.features.moderation import ModerationService, RemovalStatus
from bot.features.moderation.times import read_moment
from bot.ui.drawing import Card
from cogs.decisions.decision_messages import decision_card
from cogs.moderate.cards import About, log_card, removal_card
from cogs.moderate.log_page import ShowLog, log_page
from cogs.moderate.reports import reported_card
from cogs.moderate.words_card import RULES, TELLING, rules_card, tried_card
from storage.cases import Reported
from storage.moderation import (
    NEWEST,
    Entries,
    LogLine,
    LogPlace,
    ModerationAction,
    ServerSettings,
    Subject,
)
from storage.names import PlaceKind
from storage.removals import MAX_REASON_LENGTH, Removal
from storage.shown import Progress, Unreached
from tests.support.discord_limits import card_faults
from tests.support.moderating import HERE, MODERATOR, REMOVAL, moderated_on, open_bench
from tests.support.wiring import open_wiring

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("7d", NOW + timedelta(days=7)),
        ("\u0667d", NOW + timedelta(days=7)),
        ("۲۰۲۶-۱۲-۳۱", datetime(2026, 12, 31, tzinfo=UTC)),
        (" 12 H ", NOW + timedelta(hours=12)),
        ("30m", NOW + timedelta(minutes=30)),
        ("2w", NOW + timedelta(weeks=2)),
        ("7 days", NOW + timedelta(days=7)),
        ("1 week", NOW + timedelta(weeks=1)),
        ("2d12h", NOW + timedelta(days=2, hours=12)),
        ("1w 2 d, 3h", NOW + timedelta(days=9, hours=3)),
        ("1 day and 12 hours", NOW + timedelta(days=1, hours=12)),
        ("\uff17 Tage", NOW + timedelta(days=7)),
        ("1 Woche und 2 Std.", NOW + timedelta(weeks=1, hours=2)),
        ("1 month", NOW + timedelta(days=30)),
        ("2 semaines et 3 jours", NOW + timedelta(days=17)),
        ("1 día y 12 horas", NOW + timedelta(hours=36)),
        ("1 mês", NOW + timedelta(days=30)),
        ("2 tygodnie, 5 godzin", NOW + timedelta(weeks=2, hours=5)),
        ("1週間と2日", NOW + timedelta(days=9)),
        ("2026-12-31", datetime(2026, 12, 31, tzinfo=UTC)),
        # In full-width characters.
        (
            "\uff12\uff10\uff12\uff16\uff0d\uff11\uff12\uff0d\uff13\uff11",
            datetime(2026, 12, 31, tzinfo=UTC),
        ),
        ("2026-12-31T00:00Z", datetime(2026, 12, 31, tzinfo=UTC)),
        ("2026-05-01T14:30+02:00", NOW + timedelta(minutes=30)),
    ],
)
def test_a_mute_ends_at_a_day_or_after_a_length(typed: str, moment: datetime) -> None:
    assert read_moment(typed, NOW) == moment


@pytest.mark.parametrize(
    "typed",
    [
        *("", "soon", "0d", "2026-04-30", "99999d", "9999y", "-1d", "7 dogs", "d", "7", "7j"),
        *("2026-12-31 6pm", "1.5h", "9999-12-31T23:59-01:00"),
    ],
)
def test_what_is_over_or_no_time_is_refused(typed: str) -> None:
    with pytest.raises(BadDate):
        read_moment(typed, NOW)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncGenerator[ModerationService]:
    async with (
        open_wiring(tmp_path, "http://127.0.0.1:9") as wired,
        open_bench(f"sqlite:///{tmp_path}/bench.db", wired.vault) as bench,
    ):
        moderated = moderated_on(bench.database, wired.vault, wired.tasks, bench.clock)

        async def is_gone(*_: int) -> bool:
            return False

        yield ModerationService(
            bench.removals,
            bench.held_back,
            bench.reports,
            bench.settings,
            moderated.policy,
            is_gone,
            wired.tasks,
            bench.clock,
        )


async def test_blanks_are_no_reason_and_a_long_one_is_cut(service: ModerationService) -> None:
    await service.settings.change(HERE, needs_reason=True)

    with pytest.raises(ReasonNeeded):
        await service.remove(replace(REMOVAL, reason=" \n "))
    removal = await service.remove(replace(REMOVAL, reason="a  b" * MAX_REASON_LENGTH))
    assert removal.reason.startswith("a ba b")
    assert len(removal.reason) == MAX_REASON_LENGTH


async def test_a_removal_is_undone_once(service: ModerationService) -> None:
    await service.remove(REMOVAL)

    undone = await asyncio.gather(
        *(service.restore(HERE, REMOVAL.subject, MODERATOR) for _ in range(2)),
        return_exceptions=True,
    )
    assert {type(each) for each in undone} == {Removal, NothingToUndo}


TODAY, MAX_ID = datetime(2026, 5, 1, tzinfo=UTC), 2**63 - 1


def subject(letter: str) -> Subject:
    return Subject(MAX_ID, MAX_ID, MAX_ID, letter * 500, f"{letter * 300}\n" * 40)


def removal(letter: str, *, ended: bool = False) -> Removal:
    return Removal(
        MAX_ID,
        subject(letter),
        MAX_ID,
        letter * MAX_REASON_LENGTH,
        "en-GB",
        until=TODAY,
        id=MAX_ID,
        case_id=MAX_ID,
        created_at=TODAY,
        ended_at=TODAY if ended else None,
        ended_by=MAX_ID,
    )


def status(removed: Removal) -> RemovalStatus:
    return RemovalStatus(
        removed,
        Progress(10**6, 10**6, 10**6, 5 * 10**6),
        [Unreached(MAX_ID, MAX_ID, "50013 missing permissions")] * 10,
        closed_log_id=MAX_ID,
    )


def cards(letter: str) -> Iterator[Card]:
    here, undone = status(removal(letter)), status(removal(letter, ended=True))
    yield removal_card(here)
    about = About(None, Place(PlaceKind.THREAD, MAX_ID, letter * 60), (MAX_ID, MAX_ID))
    yield from (log_card(here, 10**6, about), log_card(undone, 0, About()))
    last = LogPlace(NEWEST.at, 2 * 10**12)
    shown = ShowLog(3650, MAX_ID, MAX_ID, *last, Entries.SETTINGS)
    words = f"+ {letter * 60}\n" * 1000
    line = LogLine(HERE, MAX_ID, ModerationAction.WORDS, None, words, created_at=TODAY)
    row = "\N{RIGHTWARDS ARROW}".join([letter * 30] * 2)
    announced = replace(line, what=ModerationAction.ANNOUNCEMENTS, detail="\n".join([row] * 7))
    pages = [undone] * 5, [line] * 10, [announced] * 10, [line, line, *[undone] * 4]
    for entries in pages:
        yield log_page(entries, shown, last)
    yield decision_card(removal(letter), letter * 100)
    yield decision_card(removal(letter, ended=True), letter * 100)
    reasons = [letter * MAX_REASON_LENGTH] * 20
    word = letter * 60
    case = (MAX_ID, MAX_ID, subject(letter), "de", 10**6, reasons, TODAY, MAX_ID, word)
    released = Reported(
        *case, is_released=True, released_by=MAX_ID, first_at=TODAY, reported_at=TODAY
    )
    yield from (reported_card(Reported(*case), about), reported_card(released, About()))
    changed = ["1,000 words were added.", "1,000 words were removed."]
    yield rules_card([word] * 1000, ServerSettings(), RULES | TELLING, changed)
    yield tried_card(letter * 4000, word)


# What takes the most room: twice as many characters once it is escaped, or bytes.
@pytest.mark.parametrize("letter", ["*", "я", "雨", "🌰"])
async def test_a_card_with_the_most_that_can_stand_on_it_is_taken(letter: str) -> None:
    faults = [card_faults(card.to_components()) for card in cards(letter)]
    assert faults == [[]] * 13
