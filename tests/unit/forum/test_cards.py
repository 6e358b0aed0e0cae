"""Whatever the game sends, a card stays within Discord's limits and loses nothing."""

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.drafts import Draft, DraftKind, DraftState
from bot.domain.names import Kind
from bot.errors import GameDown
from bot.features.forum.errors import Unsent
from bot.features.forum.screens import Address, PageKey, screen_of
from bot.features.forum.threads import Found
from bot.features.forum.trees import Branch, all_comments, find_branch, replies_below
from bot.features.names import Place
from bot.features.paging import LAST
from bot.game.models import LARGEST, Comment, Page, Player, Sort
from bot.ui.actions import Action
from bot.ui.cards import Card
from bot.ui.sharing import Sharer
from bot.visible import visible
from cogs.forum import actions
from cogs.forum.views.choosing import choose_card
from cogs.forum.views.comment import CommentView, comment_card, delete_card, shared_card
from cogs.forum.views.drafts import draft_card, drafts_card, unsent_card
from cogs.forum.views.forms import draft_form, edit_form, typed_text, write_form
from cogs.forum.views.replies import REPLIES_SHOWN
from cogs.forum.views.thread import screen_card
from tests.support.discord_limits import card_faults
from tests.support.discord_limits.components import SELECT, TEXT, walk

MARKUP = "*_`~|<>@#[]()\\-+.1 \n\u200b\u202e\u0301😀Wשع"


def repeated(part: str) -> str:
    return (part * 5000)[:5000]


parts = st.text(alphabet=MARKUP, min_size=1, max_size=20) | st.text(min_size=1, max_size=20)
texts = parts.map(repeated) | st.text(alphabet=MARKUP, max_size=100) | st.text(max_size=100)
moments = st.integers(-(10**9), 10**10).map(lambda second: datetime.fromtimestamp(second, UTC))
ids = st.integers(0, 30) | st.integers(0, LARGEST)
players = st.builds(
    Player,
    id=st.integers(0, 3),
    screen_name=st.text(max_size=200),
    avatar_url=st.sampled_from([None, "https://assets.example/a.png"]),
    is_subscribed=st.booleans(),
    verified_at=st.sampled_from([None, "2024-05-01"]),
)


def comments_with(children: st.SearchStrategy[tuple[Comment, ...]]) -> st.SearchStrategy[Comment]:
    return st.builds(
        Comment,
        id=ids,
        depth=st.integers(0, 20),
        player=players,
        content=texts,
        created_at=moments,
        children=children,
        children_count=st.integers(-1, 10**12) | st.sampled_from([LARGEST, 10**40]),
    )


leaves = comments_with(st.just(()))
trees = st.recursive(
    leaves,
    lambda below: comments_with(st.lists(below, max_size=4).map(tuple)),
    max_leaves=8,
)
places = st.builds(
    Place, kind=st.just(Kind.THREAD), game_id=st.integers(0, LARGEST), name=st.text(max_size=80)
)


def page_of(entries: list[Comment], per_page: int, has_next: bool) -> Page[Comment]:
    return Page(tuple(entries), 1, per_page, has_next)


def pages_of(entries: st.SearchStrategy[Comment], size: int) -> st.SearchStrategy[Page[Comment]]:
    return st.builds(
        page_of, st.lists(entries, max_size=size), st.integers(1, 2**31), st.booleans()
    )


keys = st.builds(
    PageKey,
    thread_id=st.integers(0, LARGEST),
    sort=st.sampled_from(Sort),
    page=st.integers(1, 1_000_000),
)


DULL = Comment(
    id=1,
    player=Player(id=1, screen_name="Juniper"),
    content="Hello",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def parts_of(card: Card) -> list[dict[str, Any]]:
    return [dict(part) for component in card.to_components() for part in walk(component)]


def texts_in(card: Card) -> list[str]:
    return [part["content"] for part in parts_of(card) if part["type"] == TEXT]


def text_in(card: Card) -> str:
    return "".join(texts_in(card))


def entries_of(card: Card) -> list[str]:
    """Return the values of the card's list."""
    options = [part["options"] for part in parts_of(card) if part["type"] == SELECT]
    return [option["value"] for each in options for option in each]


def assert_within_limits(card: Card) -> None:
    assert card_faults(card.to_components()) == []


@given(page=pages_of(trees, 6), key=keys, offset=st.integers(0, 20), place=places)
@settings(max_examples=60, deadline=None)
def test_a_screen_of_anything_fits(
    page: Page[Comment], key: PageKey, offset: int, place: Place
) -> None:
    screen = screen_of(page, Address(key, offset))

    assert_within_limits(screen_card(screen, place))


# The most that can stand on a card: every character escaped, in many lines, under a long name.
FULL_TEXT = ("*" * 40 + "\n") * 120


def full_comment(number: int, *, player_id: int, children: tuple[Comment, ...] = ()) -> Comment:
    return Comment(
        id=LARGEST - number,
        player=Player(
            id=player_id,
            screen_name="_" * 100,
            avatar_url="https://assets.example/a.png",
            is_subscribed=True,
            verified_at=True,
        ),
        content=FULL_TEXT,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        children=children,
        children_count=10**9,
    )


FULL_PLACE = Place(Kind.THREAD, LARGEST, "*" * 80)


@pytest.mark.parametrize("has_next", [True, False])
@pytest.mark.parametrize("unreadable", [0, 10])
def test_a_full_screen_fits_with_full_replies(has_next: bool, unreadable: int) -> None:
    replies = tuple(full_comment(n, player_id=2) for n in range(5, 8))
    comments = tuple(full_comment(n, player_id=1, children=replies) for n in range(5))
    page = Page(comments, 1_000_000, 15, has_next, unreadable)
    key = PageKey(LARGEST, Sort.HOTTEST, 1_000_000)

    card = screen_card(screen_of(page, Address(key)), FULL_PLACE)

    assert_within_limits(card)
    # To open each comment, and to reply to each.
    assert len(entries_of(card)) == 2 * 5


@pytest.mark.parametrize("level", [0, 3])
def test_a_full_comment_fits_with_full_replies(level: int) -> None:
    tree = full_comment(0, player_id=1)
    for number in range(1, 22):
        tree = full_comment(number, player_id=1, children=(tree,))
    branch = find_branch([tree], LARGEST - 21 + level)
    assert branch is not None
    key = PageKey(LARGEST, Sort.HOTTEST, 1_000_000)
    view = CommentView(Found(key, branch, Address(key)), FULL_PLACE, 1, text_page=1)

    card = comment_card(view, banner="Your comment has been edited")

    assert_within_limits(card)
    assert len(entries_of(card)) == 2 * REPLIES_SHOWN
    # Of each reply there is more than its writer.
    assert all(len(text) > 150 for text in texts_in(card)[-REPLIES_SHOWN:])


@given(page=pages_of(st.just(DULL), 40), key=keys)
@settings(max_examples=60, deadline=None)
def test_screens_walked_forwards_or_backwards_show_each_comment_of_a_page_once(
    page: Page[Comment], key: PageKey
) -> None:
    forwards, backwards = list[Comment](), list[Comment]()
    address: Address | None = Address(key)
    while address is not None and address.key == key:
        screen = screen_of(page, address)
        forwards += screen.comments
        address = screen.next
    address = Address(key, LAST)
    while address is not None and address.key == key:
        screen = screen_of(page, address)
        backwards[:0] = screen.comments
        address = screen.previous

    assert forwards == list(page.entries)
    assert backwards == list(page.entries)


@given(tree=trees, key=keys, place=places, player_id=st.integers(0, 3), data=st.data())
@settings(max_examples=30, deadline=None)
def test_an_opened_comment_of_anything_fits(
    tree: Comment, key: PageKey, place: Place, player_id: int, data: st.DataObject
) -> None:
    opened = data.draw(st.sampled_from(list(all_comments([tree]))))
    branch = find_branch([tree], opened.id)
    assert branch is not None
    found = Found(key, branch, Address(key))
    view = CommentView(
        found,
        place,
        player_id,
        text_page=data.draw(st.integers(-1, 9)),
        offset=data.draw(st.integers(-1, 99)),
    )

    assert_within_limits(comment_card(view, banner="Your comment has been edited"))
    assert_within_limits(shared_card(found, place, Sharer(LARGEST, place.name or "")))
    assert_within_limits(delete_card(found, place))
    assert_within_limits(choose_card(1, dict.fromkeys(range(40), found)))


@given(tree=trees, place=places)
@settings(max_examples=15, deadline=None)
def test_no_text_and_no_reply_of_an_opened_comment_is_lost(tree: Comment, place: Place) -> None:
    key = PageKey(1)
    found = Found(key, Branch((), tree), Address(key))
    shown = "".join(
        text_in(
            comment_card(CommentView(found, place, None, text_page=n, offset=REPLIES_SHOWN * n))
        )
        for n in range(9)
    )

    plain = shown.replace("\\", "").replace("\u00a0", " ")
    for word in visible(tree.content).replace("\\", "").split():
        if len(word) < 200:
            assert word in plain
    for reply in replies_below(tree):
        assert f"#{reply.comment.id}" in plain


@given(text=texts, state=st.sampled_from(DraftState), kind=st.sampled_from(DraftKind), place=places)
@settings(max_examples=60, deadline=None)
def test_an_unsent_text_of_anything_fits(
    text: str, state: DraftState, kind: DraftKind, place: Place
) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    draft = Draft(
        member_id=1,
        kind=kind,
        thread_id=place.game_id,
        comment_id=LARGEST,
        text=text,
        sent=text,
        id=LARGEST,
        state=state,
        claimed_by="",
        due_at=moment,
        created_at=moment,
    )

    assert_within_limits(unsent_card(Unsent(draft, GameDown()), place, "ABCDEF"))
    assert_within_limits(draft_card(draft, place, 99))
    assert_within_limits(
        drafts_card([(dataclasses.replace(draft, id=n), place) for n in range(20)])
    )


@pytest.mark.parametrize(("held_by", "offered"), [("", True), ("somebody", False)])
def test_a_reply_is_not_offered_to_be_sent_while_it_is_being_sent(
    held_by: str, offered: bool
) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    place = Place(Kind.THREAD, 7, None)
    unknown = DraftState.UNKNOWN
    draft = Draft(1, DraftKind.REPLY, 7, 8, "Hi", "Hi", 1, unknown, held_by, moment, moment)

    labels = {part.get("label") for part in parts_of(draft_card(draft, place, 0))}
    assert ("Send without looking" in labels) is offered


@given(text=parts.map(repeated))
@settings(max_examples=40, deadline=None)
def test_a_form_gives_back_the_text_it_was_given(text: str) -> None:
    form = edit_form(1, 2, text).to_dict()
    fields = [label["component"] for label in form["components"]]

    assert all(len(field["value"]) <= 4000 for field in fields)
    assert typed_text({field["custom_id"]: field["value"] for field in fields}) == text


def test_every_action_fits_into_a_custom_id_with_the_largest_ids() -> None:
    kinds = [
        kind
        for kind in vars(actions).values()
        if isinstance(kind, type) and issubclass(kind, Action) and hasattr(kind, "kind")
    ]
    assert len(kinds) > 10
    for kind in kinds:
        values = [_largest(field) for field in dataclasses.fields(kind)]
        action = kind(*values)
        _, *fields = action.custom_id().split(":")
        assert kind.read(fields) == action


def _largest(field: "dataclasses.Field[Any]") -> Any:
    if field.type is Sort:
        return Sort.HOTTEST
    if field.type is bool:
        return True
    return LARGEST if field.name.endswith("_id") else 1_000_000


def test_a_forms_title_fits_with_the_largest_ids() -> None:
    forms = [
        write_form(actions.OpenWriteForm(LARGEST, LARGEST)),
        write_form(actions.OpenWriteForm(1, 2), full_comment(1, player_id=1)),
        edit_form(LARGEST, LARGEST, None),
        draft_form(actions.OpenDraftForm(LARGEST), "text"),
    ]
    assert all(len(form.title) <= 45 for form in forms)
