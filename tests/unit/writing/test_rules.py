"""Which comment a text has become, and when a write is looked at: tables."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.features.writing.rules import find, is_open, known_at, may_be_sent_again, next_due
from bot.game.models import Comment, Player
from storage.writes import OrderedItem, Write, WriteKind, WriteState

NOW = datetime(2026, 5, 1, 12, 0, 0, 500_000, tzinfo=UTC)
US, STRANGER = 7, 8
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
YEAR_ONE = datetime(1, 1, 1, tzinfo=UTC)


def sent(text: str = "Hello there", *, us: int | None = US, newest: int | None = 100) -> Write:
    kind = WriteKind.POST
    return Write(
        1, 2, kind, 3, body=text, player_id=us, sent_at=NOW, newest_before=newest, created_at=NOW
    )


def comment(
    text: str = "Hello there",
    *,
    number: int = 101,
    by: int | None = US,
    at: datetime = NOW + SECOND,
) -> Comment:
    player = Player(id=by, screen_name="Juniper")
    return Comment(id=number, player=player, content=text, created_at=at, children_count=0)


@pytest.mark.parametrize(
    ("what", "known", "seen"),
    [
        ("the same words", sent(), comment()),
        ("other case and white space", sent("Hello\n there"), comment("hello THERE ")),
        ("the list before is unknown", sent(newest=None), comment()),
        ("in the second it was sent", sent(), comment(at=NOW.replace(microsecond=0))),
        ("by a clock that is seconds behind", sent(newest=None), comment(at=NOW - 9 * SECOND)),
    ],
)
def test_a_newer_comment_of_ours_is_the_text(what: str, known: Write, seen: Comment) -> None:
    assert find(known, [seen], known=()) == (seen, True), what


@pytest.mark.parametrize(
    ("what", "known", "seen"),
    [
        ("newer, by a clock that is off", sent(), comment(at=NOW - 9 * HOUR)),
        ("newer, of the year 1", sent(), comment(at=YEAR_ONE)),
        ("we are unknown", sent(us=None), comment()),
        ("their writer is unknown", sent(), comment(by=None)),
    ],
)
def test_what_only_may_be_the_text_is_doubtful(what: str, known: Write, seen: Comment) -> None:
    assert find(known, [seen], known=()) == (seen, False), what


@pytest.mark.parametrize(
    ("what", "known", "seen"),
    [
        ("another player", sent(), comment(by=STRANGER)),
        ("in the list before", sent(), comment(number=100)),
        ("of an hour ago", sent(newest=None), comment(at=NOW - HOUR)),
        ("of last year", sent(newest=None), comment(at=NOW - 365 * DAY)),
        ("ours, other words", sent(), comment("Goodbye")),
        ("ours, with one more mark", sent(), comment("Hello there!")),
        ("we are unknown, other words", sent(us=None), comment("Goodbye")),
        ("other emoji", sent("😀"), comment("👍")),
    ],
)
def test_other_words_or_players_are_not_it(what: str, known: Write, seen: Comment) -> None:
    assert find(known, [seen], known=()) == (None, False), what


def test_of_several_that_may_be_it_the_oldest_is_shown() -> None:
    seen = [comment("Goodbye", number=105), comment(number=104), comment(number=103)]

    assert find(sent(), seen, known=()) == (seen[2], False)
    assert find(sent(), seen, known={103}) == (seen[1], True)
    assert find(sent(), seen, known={103, 104}) == (None, False)


CREATED = datetime(2026, 5, 1, tzinfo=UTC)
ASKED = CREATED + timedelta(seconds=8)
MINUTE = timedelta(minutes=1)
HAT = OrderedItem(1, "Straw Hat", 30, "Acorns", "Acorn")
KEPT, SENT, DONE = WriteState.KEPT, WriteState.SENT, WriteState.DONE
UNKNOWN, REFUSED = WriteState.UNKNOWN, WriteState.REFUSED


def a_write(kind: WriteKind, state: WriteState, **fields: Any) -> Write:
    return Write(1, 5, kind, 7, 8, state=state, created_at=CREATED, **fields)


LOST_POST = a_write(WriteKind.POST, UNKNOWN, asked_at=ASKED, reason="unanswered")
LOST_PURCHASE = a_write(WriteKind.PURCHASE, UNKNOWN, asked_at=ASKED, reason="unanswered", item=HAT)
LOST_REDEMPTION = a_write(WriteKind.REDEEM, UNKNOWN, asked_at=ASKED, reason="unanswered", item=HAT)
LOST_EDIT = a_write(WriteKind.EDIT, UNKNOWN, asked_at=ASKED, reason="unanswered")
NEVER_SENT = a_write(WriteKind.REPLY, KEPT, reason="unreachable")


@pytest.mark.parametrize("lost", [LOST_POST, LOST_PURCHASE])
def test_what_lost_its_answer_is_looked_for_since_the_game_was_asked(lost: Write) -> None:
    first, second, last = ASKED + 35 * SECOND, ASKED + 5 * MINUTE, ASKED + 15 * MINUTE

    assert next_due(lost, ASKED) == first
    assert next_due(lost, first - SECOND) == first
    assert next_due(lost, first) == second
    assert next_due(lost, second) == last
    assert next_due(lost, last) is None
    assert known_at(lost) == last


def test_a_change_is_made_again_since_it_was_written() -> None:
    assert next_due(LOST_EDIT, CREATED) == CREATED + 35 * SECOND
    assert next_due(LOST_EDIT, CREATED + 15 * MINUTE) is None


def test_a_new_text_that_was_never_sent_is_tried_for_an_hour() -> None:
    looks, now = list[timedelta](), CREATED
    while (now := next_due(NEVER_SENT, now)) is not None:
        looks.append(now - CREATED)

    assert looks == [MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE]
    assert known_at(NEVER_SENT) is None


@pytest.mark.parametrize(
    "write",
    [
        LOST_REDEMPTION,
        a_write(WriteKind.EDIT, KEPT, reason="unreachable"),
        a_write(WriteKind.POST, KEPT, reason="forbidden"),
        a_write(WriteKind.POST, SENT, reason="unreachable", asked_at=ASKED),
        a_write(WriteKind.POST, DONE, asked_at=ASKED),
        a_write(WriteKind.PURCHASE, REFUSED, item=HAT),
    ],
)
def test_nothing_else_is_looked_at_by_itself(write: Write) -> None:
    assert next_due(write, CREATED) is None


def test_what_is_in_doubt_may_be_sent_again_once_it_would_have_arrived() -> None:
    assert not may_be_sent_again(LOST_POST, ASKED + 34 * SECOND)
    assert may_be_sent_again(LOST_POST, ASKED + 35 * SECOND)
    assert may_be_sent_again(NEVER_SENT, CREATED)


def test_a_text_that_waits_is_not_under_way_and_one_that_is_sent_is() -> None:
    assert not is_open(NEVER_SENT)
    assert is_open(a_write(WriteKind.POST, SENT, asked_at=ASKED))
