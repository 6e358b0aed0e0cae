"""Which comment a sent text has become: a table of what is known, and what follows."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.features.forum.arrival import Likeness, SentText, find, judge
from bot.game.models import Comment, Player

NOW = datetime(2026, 5, 1, 12, 0, 0, 500_000, tzinfo=UTC)
OTHER, DOUBTFUL, CERTAIN = Likeness
US, STRANGER = 7, 8
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
YEAR_ONE = datetime(1, 1, 1, tzinfo=UTC)


def sent(
    text: str = "Hello there",
    *,
    us: int | None = US,
    newest: int | None = 100,
    is_dated: bool = True,
) -> SentText:
    return SentText(text, us, NOW, newest, now=NOW + HOUR, is_dated=is_dated)


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
    ("what", "known", "seen", "verdict"),
    [
        ("the same words", sent(), comment(), CERTAIN),
        ("the list before is unknown", sent(newest=None), comment(), CERTAIN),
        ("in the second it was sent", sent(), comment(at=NOW.replace(microsecond=0)), CERTAIN),
        ("another player", sent(), comment(by=STRANGER), OTHER),
        ("in the list before", sent(), comment(number=100), OTHER),
        ("of last year", sent(newest=None), comment(at=NOW - 365 * DAY), OTHER),
        ("of an hour ago", sent(newest=None), comment(at=NOW - HOUR), DOUBTFUL),
        ("newer, by a clock that is off", sent(), comment(at=NOW - 9 * HOUR), DOUBTFUL),
        ("newer, by a clock that is far off", sent(), comment(at=NOW - 9 * DAY), DOUBTFUL),
        ("newer, of the year 1", sent(), comment(at=YEAR_ONE), DOUBTFUL),
        ("of the year 1", sent(newest=None), comment(at=YEAR_ONE), DOUBTFUL),
        ("newer, of next year", sent(), comment(at=NOW + 365 * DAY), DOUBTFUL),
        ("yet to come", sent(newest=None), comment(at=NOW + 2 * HOUR), DOUBTFUL),
        ("by our clock alone", sent(is_dated=False, newest=None), comment(), DOUBTFUL),
        ("by our clock, and newer", sent(is_dated=False), comment(), CERTAIN),
        ("ours, other words", sent(), comment("Goodbye"), DOUBTFUL),
        ("ours, newer, by a clock that is off", sent(), comment("Bye", at=NOW - HOUR), DOUBTFUL),
        ("ours, other words of before", sent(newest=None), comment("Bye", at=NOW - HOUR), OTHER),
        ("we are unknown", sent(us=None), comment(), DOUBTFUL),
        ("we are unknown, similar words", sent(us=None), comment("hello THERE!"), DOUBTFUL),
        ("we are unknown, other words", sent(us=None), comment("Goodbye"), OTHER),
        ("their writer is unknown", sent(), comment(by=None), DOUBTFUL),
    ],
)
def test_a_comment_is_judged_by_writer_place_and_time_before_its_words(
    what: str, known: SentText, seen: Comment, verdict: Likeness
) -> None:
    assert judge(known, seen) is verdict, what


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Hello  there\n\nfriend", "Hello there friend"),
        ("Fish & chips < 5", "Fish &amp; chips &lt; 5"),
        ('Say "hi"', 'Say \\"hi\\"'),
        ("Say 'hi'", "Say &#39;hi&#39;"),
        ("one\ntwo", "one<br>two"),
        ("one\ntwo", "one\\ntwo"),
        ("café", "caf\\u00e9"),
        ("Great 😀 news 🎉", "Great  news"),
        ("😀😀", ""),
        ("what the heck", "what the ****"),
        ("what the heck", "what the h##k"),
        ("what the heck is that", "what the *** is that"),
        ("darn it, what the heck", "[***] it, what the *******"),
        ("Ünïted", "U\u0308ni\u0308ted"),
        ("SHOUTING", "shouting"),
        ("trailing dots...", "trailing dots…"),
    ],
)
def test_what_a_game_makes_of_words_is_told_from_other_words(typed: str, shown: str) -> None:
    assert judge(sent(typed), comment(shown)) is CERTAIN
    assert judge(sent(typed), comment("Something else entirely")) is DOUBTFUL


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("what the heck", "***"),
        ("what the heck is that", "what *** that is"),
        ("what the heck", "what the heck *** of it"),
        ("heck no", "heck *** heck no"),
    ],
)
def test_what_is_blotted_is_not_taken_for_anything(typed: str, shown: str) -> None:
    assert judge(sent(typed), comment(shown)) is DOUBTFUL


def test_what_a_game_has_cut_is_told_from_other_words() -> None:
    long = "Once upon a time there was a shop"

    assert judge(sent(long, us=None), comment("Once upon a")) is DOUBTFUL
    assert judge(sent(long, us=None), comment("Once more")) is OTHER
    assert judge(sent(long, us=None), comment("")) is OTHER


@pytest.mark.parametrize(
    ("typed", "shown"), [("😀", "👍"), ("***", "👍"), ("!!!", "?"), ("❤", "…")]
)
def test_emoji_and_marks_alone_are_not_taken_for_others(typed: str, shown: str) -> None:
    assert judge(sent(typed), comment(shown)) is DOUBTFUL


def test_of_several_the_best_is_found_and_of_equals_the_oldest() -> None:
    seen = [comment("Goodbye", number=105), comment(number=104), comment(number=103)]

    assert find(sent(), seen, known=()) == (CERTAIN, seen[2])
    assert find(sent(), seen, known={103}) == (CERTAIN, seen[1])
    assert find(sent(), seen, known={103, 104}) == (DOUBTFUL, seen[0])
    assert find(sent(), seen, known={103, 104, 105}) == (OTHER, None)


def test_where_comments_are_not_counted_up_their_numbers_say_nothing() -> None:
    older = comment("Good morning", number=100, by=STRANGER, at=NOW - HOUR)
    ours = comment(number=40)

    assert find(sent(), [ours, older], known=()) == (CERTAIN, ours)
    assert find(sent(), [ours], known=()) == (OTHER, None)


def test_a_number_too_long_for_a_character_is_no_obstacle() -> None:
    shown = "Hello &#" + "9" * 5000 + "; there"

    assert judge(sent(us=None), comment(shown)) is OTHER
    assert judge(sent(), comment(shown)) is DOUBTFUL
