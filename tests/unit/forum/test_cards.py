"""Whatever the game sends or members write, cards and forms keep to Discord's limits."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import FieldInfo, fields, replace

from bot.errors import KioskError
from bot.features.directory import Place
from bot.features.reading.paging import LAST, Position, Screen, screen_of
from bot.features.reading.threads import Found, ThreadScreen
from bot.features.reading.trees import all_comments, find_branch, tree_of
from bot.features.writing.outcomes import GIVEN_UP, WriteNow
from bot.features.writing.writing_errors import (
    AccountChanged,
    DiscordMissedAnswer,
    ParentCommentMissing,
)
from bot.game.models import MAX_NUMBER, Comment, Page, PageKey, Sort
from bot.ui import shared_actions
from bot.ui.custom_ids import Action
from bot.ui.markdown import room_for
from bot.ui.sent_cards import take_back_button
from bot.visible import is_visible, visible
from cogs.find.actions import MAX_PLAYER_LENGTH, MAX_WORDS_LENGTH, FindOn, ShowOwn
from cogs.find.cards import found_card, own_card, progress_card
from cogs.find.finding import thread_buttons
from cogs.find.service import Search, SearchEnding
from cogs.forum import actions
from cogs.forum.comment_cards import REPLIES_SHOWN, CommentView, comment_card, shared_card
from cogs.forum.followed_comments import burst_card, burst_title, followed_card
from cogs.forum.screens import screen_card
from cogs.forum.text_cards import (
    again_question,
    changed_form,
    delete_card,
    discard_question,
    edit_form,
    text_card,
    unsent_list,
    write_form,
)
from cogs.replies import entry_of
from cogs.unread import new_comments
from cogs.unread.service import Unread
from storage.names import PlaceKind
from storage.writes import TEXTS, Text, WriteKind, WriteState
from tests.support.discord_limits import card_faults
from tests.support.members import called
from tests.unit.forum.drawn import (
    LETTERS,
    assert_within_limits,
    entries_of,
    full_comment,
    full_place,
    keys,
    pages_of,
    parts_of,
    places,
    text_in,
    texts,
    texts_in,
    trees,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@given(page=pages_of(trees, 6), key=keys, offset=st.integers(0, 20), place=places)
@settings(max_examples=30)
def test_a_screen_of_anything_fits(
    page: Page[Comment], key: PageKey, offset: int, place: Place
) -> None:
    screen = screen_of(page, Position(key, offset), tree_of)
    assert_within_limits(screen_card(screen, place))


# The most that can stand on a card: every character escaped, in many lines, under a long name.
@pytest.mark.parametrize("has_next", [True, False])
@pytest.mark.parametrize("unreadable", [0, 10])
@pytest.mark.parametrize("letter", LETTERS)
async def test_a_full_screen_fits_with_full_replies(
    letter: str, has_next: bool, unreadable: int
) -> None:
    replies = tuple(full_comment(n, player_id=2, letter=letter) for n in range(5, 8))
    comments = tuple(
        full_comment(n, player_id=1, children=replies, letter=letter) for n in range(5)
    )
    page = Page(comments, 1_000_000, 15, has_next, unreadable)
    key = PageKey(MAX_NUMBER, Sort.HOTTEST, 1_000_000)
    screen = screen_of(page, Position(key), tree_of)

    found = Found(key, (), full_comment(9, player_id=1), 95)
    ids = {shown.id for shown in all_comments(comments)}
    unread = Unread(NOW, ids, is_least=True, first=found)

    buttons = await thread_buttons(screen.at)

    new = new_comments(unread, set())
    card = screen_card(screen, full_place(letter), new, buttons=buttons)
    assert_within_limits(card)
    card = screen_card(screen, full_place(letter), buttons=buttons)
    # As it is posted for everyone.
    card.buttons(take_back_button(MAX_NUMBER))

    assert_within_limits(card)
    # To open each comment, and to reply to each.
    assert len(entries_of(card)) == 2 * 5


@pytest.mark.parametrize("count", [0, 1, 5, 6, 15])
@pytest.mark.parametrize("number", [1, 2, 9])
@pytest.mark.parametrize("has_next", [True, False])
def test_each_button_of_a_screen_leads_elsewhere(count: int, number: int, has_next: bool) -> None:
    page = Page(tuple(full_comment(n, player_id=1) for n in range(count)), number, 15, has_next)
    unread_at = [(page, offset) for page in (1, 2, 9) for offset in (0, 5, 10)]
    for offset in (0, 5, 10, LAST):
        for sort in Sort:
            key = PageKey(MAX_NUMBER, sort, number)
            screen = screen_of(page, Position(key, offset), tree_of)
            for at, begins in unread_at:
                first = Found(
                    PageKey(MAX_NUMBER, sort, at), (), full_comment(99, player_id=1), begins
                )
                unread = Unread(NOW, {first.comment.id}, first=first)
                new = new_comments(unread, {tree.comment.id for tree in screen.entries})
                assert_within_limits(screen_card(screen, full_place(), new))
    start = Position(PageKey(MAX_NUMBER))
    beyond: ThreadScreen = Screen(Position(PageKey(MAX_NUMBER, page=number)), (), start, first=0)
    first = Found(PageKey(MAX_NUMBER), (), full_comment(99, player_id=1))
    new = new_comments(Unread(NOW, {1}, first=first), set())
    card = screen_card(beyond, full_place(), new)
    assert_within_limits(card)
    assert "First unread" not in [part.get("label") for part in parts_of(card)]


@pytest.mark.parametrize("ending", SearchEnding)
@pytest.mark.parametrize("letter", LETTERS)
def test_a_full_list_of_what_was_found_fits(letter: str, ending: SearchEnding) -> None:
    key = PageKey(MAX_NUMBER, Sort.HOTTEST, MAX_NUMBER)
    comments = [full_comment(n, player_id=1, letter=letter) for n in range(100)]
    search = Search(
        [(key, comment) for comment in comments], 10**6, ending, 10**6, 10**6, 10**6, older=10**6
    )
    wanted = FindOn.of(letter * MAX_WORDS_LENGTH, letter * MAX_PLAYER_LENGTH)
    wanted = replace(wanted, start=99_999, skipped=8)
    own = ShowOwn(key._replace(page=10**6), 95, 99_999, 8)

    card = found_card(full_place(letter), search, wanted, take_back_button(MAX_NUMBER))

    assert_within_limits(card)
    button = take_back_button(MAX_NUMBER)
    assert_within_limits(own_card(full_place(letter), search, own, button, is_player_known=False))
    assert len(entries_of(card)) == 8
    # Of each comment shown there is more than its writer.
    assert all(room_for(text) > 100 for text in texts_in(card)[1:-1])
    assert_within_limits(progress_card(full_place(letter), 10**6))


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("letter", LETTERS)
def test_a_full_comment_fits_with_full_replies(letter: str, level: int) -> None:
    tree = full_comment(0, player_id=1, letter=letter)
    for number in range(1, 22):
        tree = full_comment(number, player_id=1, children=(tree,), letter=letter)
    *above, comment = find_branch([tree], MAX_NUMBER - 21 + level)
    key = PageKey(MAX_NUMBER, Sort.HOTTEST, 1_000_000)
    found = Found(key, tuple(above), comment)
    view = CommentView(
        found, full_place(letter), is_own=True, entries=[entry_of(found, is_told=True)], text_page=1
    )

    card = comment_card(view, banner="Comment edited")

    assert_within_limits(card)
    assert len(entries_of(card)) == 2 * REPLIES_SHOWN
    # Of each reply there is more than its writer.
    assert all(room_for(text) > 100 for text in texts_in(card)[-REPLIES_SHOWN:])
    found = Found(key, (), comment)
    assert_within_limits(shared_card(found, full_place(letter), called(letter * 32, MAX_NUMBER)))
    assert_within_limits(delete_card(found, full_place(letter)))
    assert_within_limits(followed_card(view.found, full_place(letter)))


@pytest.mark.parametrize(("nth", "offset"), [(0, 0), (9, 0), (10, 10), (24, 20)])
def test_up_leads_to_where_the_reply_stands_below_its_parent(nth: int, offset: int) -> None:
    replies = tuple(full_comment(number, player_id=1) for number in range(1, 26))
    parent = full_comment(0, player_id=1, children=replies)
    view = CommentView(Found(PageKey(1), (parent,), replies[nth]), full_place("x"))

    pressed = [part.get("custom_id") for part in parts_of(comment_card(view))]

    up = shared_actions.ShowComment(PageKey(1), parent.id, offset=offset)
    assert up.custom_id() in pressed


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
        is_own=comment.player.id == player_id,
        text_page=data.draw(st.integers(-1, 9)),
        offset=data.draw(st.integers(-1, 99)),
    )

    assert_within_limits(comment_card(view, banner="Comment edited"))
    assert_within_limits(shared_card(found, place, called(place.name or "", MAX_NUMBER)))
    assert_within_limits(delete_card(found, place))


@given(tree=trees, place=places)
@settings(max_examples=15)
def test_no_text_and_no_reply_of_an_opened_comment_is_lost(tree: Comment, place: Place) -> None:
    key = PageKey(1)
    found = Found(key, (), tree)
    shown = "".join(
        text_in(comment_card(CommentView(found, place, text_page=n, offset=REPLIES_SHOWN * n)))
        for n in range(9)
    )

    plain = shown.replace("\\", "").replace("\u00a0", " ")
    for word in visible(tree.content).replace("\\", "").split():
        if is_visible(word) and len(word) < 200:
            assert word in plain
    for reply in tree_of(tree).replies:
        assert f"#{reply.comment.id}" in plain


@given(
    text=texts,
    state=st.sampled_from([WriteState.KEPT, WriteState.UNKNOWN]),
    kind=st.sampled_from(TEXTS),
    reason=st.sampled_from([None, "unanswered", "unreachable", "given_up"]),
    cause=st.sampled_from([None, AccountChanged(), ParentCommentMissing(), DiscordMissedAnswer()]),
    place=places,
)
@settings(max_examples=30)
def test_an_unsent_text_of_anything_fits(
    text: str,
    state: WriteState,
    kind: WriteKind,
    reason: str | None,
    cause: KioskError | None,
    place: Place,
) -> None:
    write = Text(MAX_NUMBER, 1, kind, place.game_id, state=state, reason=reason)
    write = replace(write, body=text, target_id=MAX_NUMBER)
    write = replace(write, game_words=text, created_at=NOW, asked_at=NOW)

    assert_unsent_fits(write, cause, place)


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("state", [WriteState.KEPT, WriteState.UNKNOWN])
def test_a_full_unsent_text_fits(letter: str, state: WriteState) -> None:
    text = letter * 4000
    write = Text(MAX_NUMBER, 1, WriteKind.REPLY, MAX_NUMBER, state=state, reason=GIVEN_UP)
    write = replace(write, body=text, target_id=MAX_NUMBER)
    write = replace(write, game_words=text, created_at=NOW, asked_at=NOW)

    assert_unsent_fits(write, None, full_place(letter))


def assert_unsent_fits(write: Text, cause: KioskError | None, place: Place) -> None:
    for now in (NOW, NOW + timedelta(hours=1)):
        assert_within_limits(text_card(WriteNow(write, cause), place, now, reference="ABCDEF"))
        assert_within_limits(text_card(WriteNow(write), place, now, text_page=99))
    assert_within_limits(discard_question(write, place))
    assert_within_limits(again_question(write, place))
    assert_within_limits(unsent_list([(replace(write, id=n), place) for n in range(20)]))


def test_every_action_fits_into_a_custom_id_with_the_largest_ids() -> None:
    kinds = [
        kind
        for kind in vars(actions).values()
        if isinstance(kind, type) and issubclass(kind, Action) and hasattr(kind, "kind")
    ]
    assert len(kinds) > 10
    for kind in kinds:
        values = [_largest(field) for field in fields(kind)]
        action = kind(*values)
        assert kind.read(action.custom_id()) == action


def _largest(field: FieldInfo) -> Any:
    if field.type is PageKey:
        return PageKey(MAX_NUMBER, Sort.HOTTEST, 1_000_000)
    if field.type is Sort:
        return Sort.HOTTEST
    if field.type is bool:
        return True
    if field.type is str:
        return ""
    return MAX_NUMBER if field.name.endswith("_id") else 1_000_000


def test_a_forms_id_tells_what_stands_in_it() -> None:
    first, again = (edit_form(12, 5, "One text") for _ in range(2))
    other = edit_form(12, 5, "Another text")

    assert first.custom_id == again.custom_id != other.custom_id
    assert actions.SendEdit.read(first.custom_id) == actions.SendEdit.read(other.custom_id)
    other.fill({"text": ["One text"]})
    assert other.custom_id == first.custom_id


def test_a_forms_title_fits_with_the_largest_ids() -> None:
    forms = [
        write_form(shared_actions.WriteComment(MAX_NUMBER, MAX_NUMBER)),
        write_form(shared_actions.WriteComment(1, 2), full_comment(1, player_id=1)),
        edit_form(MAX_NUMBER, MAX_NUMBER, None),
        changed_form(actions.ChangeText(MAX_NUMBER), "text"),
    ]
    assert all(len(form.title) <= 45 for form in forms)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (None, "6 new comments in Thread 3"),
        ("Hats *and* _pins_", "6 new comments in Hats *and* _pins_"),
        ("*" * 100, f"6 new comments in {'*' * 81}…"),
    ],
)
def test_a_post_about_many_comments_has_a_title(name: str | None, title: str) -> None:
    place = Place(PlaceKind.THREAD, 3, name)
    assert burst_title(place, 6) == title
    assert card_faults(burst_card(place, 6).to_components()) == []
