"""What is new, changed and gone in a thread, by how its comments were seen before."""

from datetime import UTC, datetime, timedelta

from bot.features.following.rules import ThreadChanges, compare, seen_as
from bot.game.models import Comment, Page
from storage.seen import SeenComment

START = datetime(2026, 5, 1, tzinfo=UTC)


def a_comment(number: int, text: str = "Hello", *children: Comment, count: int = -1) -> Comment:
    """Make a comment that was written so many minutes after the start."""
    return Comment(
        id=number,
        content=text,
        created_at=START + timedelta(minutes=number),
        children=children,
        children_count=len(children) if count < 0 else count,
    )


def a_page(
    *comments: Comment, number: int = 1, has_next: bool = False, unreadable: int = 0
) -> Page[Comment]:
    return Page(comments, number, 15, has_next, unreadable)


def known_from(*comments: Comment) -> dict[int, SeenComment]:
    found = {each.id: seen_as(each, each, 1) for each in comments}
    for root in comments:
        found |= {child.id: seen_as(child, root, 1) for child in root.children}
    return found


def gone(changes: ThreadChanges) -> list[int]:
    return [each.id for each in changes.changed if each.is_gone]


def test_new_is_what_was_written_after_it_was_followed_replies_too() -> None:
    page = a_page(a_comment(9), a_comment(3, "Old", a_comment(8)), a_comment(2))

    found = compare({}, [page], START + timedelta(minutes=5))

    assert [(each.id, each.root_id) for each in found.new] == [(8, 3), (9, 9)]


def test_another_text_is_a_change_and_stays_one() -> None:
    known = known_from(a_comment(9))

    (changed,) = compare(known, [a_page(a_comment(9, "Other"))], START).changed
    assert changed.is_changed
    (back,) = compare({9: changed}, [a_page(a_comment(9))], START).changed
    assert back.is_changed
    (moved,) = compare({9: changed}, [a_page(a_comment(9, "Other"), number=2)], START).moved
    assert moved.is_changed


def test_what_two_readings_lack_is_gone_with_what_answers_it() -> None:
    known = known_from(a_comment(9), a_comment(8, "Hi", a_comment(10)), a_comment(7))
    page = a_page(a_comment(9), a_comment(7))

    first = compare(known, [page], START)
    assert gone(first) == []
    assert gone(compare(known, [page], START, first.missing)) == [8, 10]
    # It is there again.
    assert gone(compare(known, [a_page(*map(a_comment, (9, 8, 7)))], START, {8})) == []


def test_what_one_reading_lacks_stays_missing_until_its_page_is_read_again() -> None:
    known = known_from(*map(a_comment, (9, 5, 4, 3)))
    first, second = a_page(a_comment(9), has_next=True), a_page(a_comment(5), number=2)
    lacked = compare(known, [first, second], START).missing
    assert lacked == {3, 4}

    elsewhere = compare(known, [first], START, lacked)
    assert (gone(elsewhere), elsewhere.missing) == ([], {3, 4})
    again = compare(known, [a_page(a_comment(5), a_comment(3), number=2)], START, elsewhere.missing)
    assert (gone(again), again.missing) == ([4], set())


def test_a_reply_that_its_tree_lacks_is_gone_unless_the_game_shows_only_some() -> None:
    known = known_from(a_comment(5, "Hi", a_comment(6), a_comment(7)))

    whole = a_page(a_comment(5, "Hi", a_comment(7)))
    assert gone(compare(known, [whole], START, {6})) == [6]
    some = a_page(a_comment(5, "Hi", a_comment(7), count=2))
    assert gone(compare(known, [some], START, {6})) == []


def test_a_page_says_nothing_of_others_or_where_it_makes_no_sense() -> None:
    known = known_from(*map(a_comment, (9, 5, 1)))
    beyond = a_page(a_comment(7), a_comment(6), number=2, has_next=True)
    assert compare(known, [beyond], START).missing == set()

    shuffled = a_page(a_comment(3), a_comment(8))
    unread = a_page(a_comment(8), a_comment(3), unreadable=1)
    for page in (shuffled, unread):
        assert compare(known, [page], START).missing == set()
    assert compare(known, [a_page(a_comment(8), a_comment(3))], START).missing == {9, 5, 1}


def test_a_comment_on_another_page_is_known_to_be_there() -> None:
    known = known_from(a_comment(9))

    found = compare(known, [a_page(a_comment(9), number=2)], START)

    assert [each.page for each in found.moved] == [2]
    assert not found.changed
