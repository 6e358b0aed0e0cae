"""Many words are looked for at once, in steps that grow with the text and with nothing else."""

import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.features.following.comparing import who_hears
from bot.features.moderation.watched_words import Matcher, count_letters, fold
from storage.following import SeenComment
from storage.names import PlaceKind
from storage.subscriptions import Subscription

NOW = datetime(2026, 1, 1, tzinfo=UTC)
# Letters, an edge of each kind, and what is read in several ways.
SIGNS = "aabI l|.' バば\u0301İß🇦"
STARRED = st.tuples(st.sampled_from(["", "*"]), st.text(SIGNS, max_size=4)).map("".join)
WORDS = st.lists(st.tuples(STARRED, st.sampled_from(["", "*"])).map("".join), max_size=12)

# What is poison for a matcher that looks at any letter more than a few times: words, and what a
# text is made of.
POISON = {
    "one letter": (
        [star + "a" * length + end for star in ("", "*") for length in range(1, 90)
         for end in ("", "*", "b*")],
        "a",
    ),
    "no spaces": ([f"{'あ' * length}{end}" for length in range(1, 90) for end in ("", "い")], "あ"),
    "short words": ([f"a {'xa ' * length}" for length in range(1, 30)], "xa "),
    "starts that are none": ([f"a {'xa ' * length}y*" for length in range(1, 30)], "xa "),
    "one sign for eighteen letters": (
        [f"*{'صلى الله عليه وسلم'[start:end]}{rest}*" for start in range(17)
         for end in range(start + 1, 18) for rest in ("", "x")],
        "ﷺ",
    ),
    "one sign for six letters": (
        [f"*{'キロメートル' * times}{rest}*" for times in range(1, 12) for rest in ("", "キ", "x")],
        "㌖",
    ),
    "a sign beside each letter": (["a", "a.", "*.a.*", "a.a"], "a.…"),
    "a mark on each letter": (["o", "oo", "*oo*"], "o\u0301"),
    "letters read in two ways": (["IlIlI", "*llll*", "iiii*"], "Il"),
}  # fmt: skip


def steps_of(work: Callable[[], object]) -> int:
    """Count the lines of Python that are run."""
    count = 0

    def note(_frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@given(words=WORDS, text=st.text(SIGNS, max_size=30))
def test_many_words_are_found_as_each_alone(words: list[str], text: str) -> None:
    found = Matcher(words).words_in(text)

    assert found == {word for word in words if Matcher([word]).find(text)}
    assert (Matcher(words).find(text) in found) == bool(found)


@pytest.mark.parametrize("kind", POISON)
def test_the_steps_grow_with_the_text_alone(kind: str) -> None:
    words, part = POISON[kind]
    matcher = Matcher(words)
    matcher.words_in(part)
    half, whole = (steps_of(lambda text=part * n: matcher.words_in(text)) for n in (600, 1200))

    letters = count_letters(part * 600)
    # Of two readings at most, with a line for each word, each sign and each letter.
    assert whole - half <= 30 * letters
    assert whole - half <= 1.1 * half
    assert whole <= 2.1 * half


def test_letters_are_counted_as_they_are_folded() -> None:
    for text in ("ﷺ" * 5, "㌖㌖", "Acorns", "ﾊﾞ"):
        assert count_letters(text) == len(fold(text))


def wish(number: int, words: str, answers_to: int | None = None) -> Subscription:
    return Subscription(
        id=number,
        created_at=NOW,
        kind=PlaceKind.THREAD,
        place_id=1,
        subject_id=answers_to,
        subject_name=words,
        news=frozenset(),
        member_id=number,
        locale="en",
        created_by=number,
    )


def comments(texts: Iterable[str]) -> tuple[list[SeenComment], dict[int, str]]:
    """Return comments with these texts, each an answer to number 7."""
    by_id = dict(enumerate(texts, 100))
    return [SeenComment(key, key, 1, "", NOW, parent_id=7) for key in by_id], by_id


def test_each_member_hears_of_what_holds_a_word_or_answers() -> None:
    wishes = [
        wish(1, "oak, acorn*"),
        wish(2, "acorns"),
        wish(3, "pond"),
        wish(4, "はは, ACORNS"),
        wish(5, "a comment", answers_to=7),
        wish(6, "a comment", answers_to=8),
        wish(7, ""),
    ]
    new, texts = comments(["Acorns", "ばば", "An oak, an acorn", "はは"])

    heard = {member.id: ids for member, ids in who_hears(wishes, new, texts)}

    assert heard == {1: [100, 102], 2: [100], 4: [100, 103], 5: [100, 101, 102, 103]}


def test_a_text_is_looked_through_once_for_all_wishes() -> None:
    def steps(members: int, count: int) -> int:
        wishes = [wish(number, f"w{number}ord, *w{number}*") for number in range(members)]
        new, texts = comments(["So many words, and none of them is wanted. " * 40] * count)
        return steps_of(lambda: list(who_hears(wishes, new, texts)))

    for_few, for_many = (steps(members, 15) - steps(members, 0) for members in (10, 1000))

    assert for_many <= 1.1 * for_few
