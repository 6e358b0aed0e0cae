"""Whatever the game sends, a card stays within Discord's limits and loses nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.features.names import Place
from bot.features.reading.paging import LAST, Position
from bot.features.reading.threads import Found, screen_of
from bot.features.reading.trees import all_comments, find_branch, tree_of
from bot.game.models import LARGEST, Comment, Page, PageKey, Sort
from bot.ui import theme
from bot.ui.comments import choose_card
from bot.visible import is_visible, visible
from cogs.forum.actions import PickComment
from cogs.forum.cards import (
    REPLIES_SHOWN,
    CommentView,
    comment_card,
    comment_label,
    screen_card,
    shared_card,
)
from cogs.forum.text_cards import delete_card
from tests.support.members import called
from tests.unit.forum.drawn import (
    DULL,
    FULL_PLACE,
    assert_within_limits,
    entries_of,
    full_comment,
    keys,
    pages_of,
    places,
    text_in,
    texts_in,
    trees,
)


@given(page=pages_of(trees, 6), key=keys, offset=st.integers(0, 20), place=places)
@settings(max_examples=30)
def test_a_screen_of_anything_fits(
    page: Page[Comment], key: PageKey, offset: int, place: Place
) -> None:
    screen = screen_of(page, key, offset)

    assert_within_limits(screen_card(screen, place))


# The most that can stand on a card: every character escaped, in many lines, under a long name.
@pytest.mark.parametrize("has_next", [True, False])
@pytest.mark.parametrize("unreadable", [0, 10])
def test_a_full_screen_fits_with_full_replies(has_next: bool, unreadable: int) -> None:
    replies = tuple(full_comment(n, player_id=2) for n in range(5, 8))
    comments = tuple(full_comment(n, player_id=1, children=replies) for n in range(5))
    page = Page(comments, 1_000_000, 15, has_next, unreadable)
    key = PageKey(LARGEST, Sort.HOTTEST, 1_000_000)

    card = screen_card(screen_of(page, key), FULL_PLACE)

    assert_within_limits(card)
    # To open each comment, and to reply to each.
    assert len(entries_of(card)) == 2 * 5


@pytest.mark.parametrize("level", [0, 3])
def test_a_full_comment_fits_with_full_replies(level: int) -> None:
    tree = full_comment(0, player_id=1)
    for number in range(1, 22):
        tree = full_comment(number, player_id=1, children=(tree,))
    *above, comment = find_branch([tree], LARGEST - 21 + level)
    key = PageKey(LARGEST, Sort.HOTTEST, 1_000_000)
    view = CommentView(Found(key, tuple(above), comment), FULL_PLACE, 1, text_page=1)

    card = comment_card(view, banner="Your comment has been edited")

    assert_within_limits(card)
    assert len(entries_of(card)) == 2 * REPLIES_SHOWN
    # Of each reply there is more than its writer.
    assert all(len(text) > 150 for text in texts_in(card)[-REPLIES_SHOWN:])


@given(page=pages_of(st.just(DULL), 40), key=keys)
@settings(max_examples=30)
def test_screens_walked_forwards_or_backwards_show_each_comment_of_a_page_once(
    page: Page[Comment], key: PageKey
) -> None:
    forwards, backwards = list[Comment](), list[Comment]()
    here: Position | None = Position(key.page)
    while here is not None and here.page == key.page:
        screen = screen_of(page, key, here.offset)
        forwards += [tree.comment for tree in screen.trees]
        here = screen.next
    here = Position(key.page, LAST)
    while here is not None and here.page == key.page:
        screen = screen_of(page, key, here.offset)
        backwards[:0] = [tree.comment for tree in screen.trees]
        here = screen.previous

    assert forwards == list(page.entries)
    assert backwards == list(page.entries)


@given(tree=trees, key=keys, place=places, player_id=st.integers(0, 3), data=st.data())
@settings(max_examples=30)
def test_an_opened_comment_of_anything_fits(
    tree: Comment, key: PageKey, place: Place, player_id: int, data: st.DataObject
) -> None:
    opened = data.draw(st.sampled_from(list(all_comments([tree]))))
    *above, comment = find_branch([tree], opened.id)
    found = Found(key, tuple(above), comment)
    view = CommentView(
        found,
        place,
        player_id,
        text_page=data.draw(st.integers(-1, 9)),
        offset=data.draw(st.integers(-1, 99)),
    )

    assert_within_limits(comment_card(view, banner="Your comment has been edited"))
    assert_within_limits(shared_card(found, place, called(place.name or "", LARGEST)))
    assert_within_limits(delete_card(found, place))
    labels = {number: comment_label(found.comment) for number in range(40)}
    assert_within_limits(choose_card(PickComment(1), "Which?", labels, theme.FORUM))


@given(tree=trees, place=places)
@settings(max_examples=15)
def test_no_text_and_no_reply_of_an_opened_comment_is_lost(tree: Comment, place: Place) -> None:
    key = PageKey(1)
    found = Found(key, (), tree)
    shown = "".join(
        text_in(
            comment_card(CommentView(found, place, None, text_page=n, offset=REPLIES_SHOWN * n))
        )
        for n in range(9)
    )

    plain = shown.replace("\\", "").replace("\u00a0", " ")
    for word in visible(tree.content).replace("\\", "").split():
        if is_visible(word) and len(word) < 200:
            assert word in plain
    for reply in tree_of(tree).replies:
        assert f"#{reply.comment.id}" in plain
