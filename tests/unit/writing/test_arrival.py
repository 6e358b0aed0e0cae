"""Which comment a sent text has become: a table of what is known, and what follows."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.features.writing.rules import find
from bot.game.models import Comment, Player
from storage.writes import Write, WriteKind

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
def test_the_same_words_of_the_same_player_are_the_text_where_they_are_newer(
    what: str, known: Write, seen: Comment
) -> None:
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
def test_other_words_other_players_and_older_comments_are_not_the_text(
    what: str, known: Write, seen: Comment
) -> None:
    assert find(known, [seen], known=()) == (None, False), what


def test_of_several_that_may_be_it_the_oldest_is_shown() -> None:
    seen = [comment("Goodbye", number=105), comment(number=104), comment(number=103)]

    assert find(sent(), seen, known=()) == (seen[2], False)
    assert find(sent(), seen, known={103}) == (seen[1], True)
    assert find(sent(), seen, known={103, 104}) == (None, False)
