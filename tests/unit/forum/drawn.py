"""Comments of any kind, and what tests read on cards."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from bot.features.directory import Place
from bot.game.models import MAX_NUMBER, Comment, Page, PageKey, Player, Sort
from bot.ui.drawing import Card
from storage.names import PlaceKind
from tests.support.discord_limits import card_faults
from tests.support.discord_limits.components import SELECT, TEXT, walk

MARKUP = "*_`~|<>@#[]()\\-+.1 \n\u200b\u202e\u0301😀Wשع"


def repeated(part: str) -> str:
    return (part * 5000)[:5000]


parts = st.text(alphabet=MARKUP, min_size=1, max_size=20) | st.text(min_size=1, max_size=20)
texts = parts.map(repeated) | st.text(alphabet=MARKUP, max_size=100) | st.text(max_size=100)
moments = st.integers(-(10**9), 10**10).map(lambda second: datetime.fromtimestamp(second, UTC))
ids = st.integers(0, 30) | st.integers(0, MAX_NUMBER)
players = st.builds(
    Player,
    id=st.integers(0, 3),
    screen_name=st.text(max_size=200),
    avatar_url=st.sampled_from([None, "https://assets.example/a.png"]),
    is_subscribed=st.booleans(),
    verified_at=st.sampled_from([None, True]),
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
        children_count=st.integers(0, 10**12) | st.just(MAX_NUMBER),
    )


leaves = comments_with(st.just(()))
trees = st.recursive(
    leaves, lambda below: comments_with(st.lists(below, max_size=4).map(tuple)), max_leaves=8
)
places = st.builds(
    Place,
    kind=st.just(PlaceKind.THREAD),
    game_id=st.integers(0, MAX_NUMBER),
    name=st.text(max_size=80),
)


def page_of(entries: list[Comment], per_page: int, has_next: bool) -> Page[Comment]:
    return Page(tuple(entries), 1, per_page, has_next)


def pages_of(entries: st.SearchStrategy[Comment], size: int) -> st.SearchStrategy[Page[Comment]]:
    return st.builds(
        page_of, st.lists(entries, max_size=size), st.integers(1, 2**31), st.booleans()
    )


keys = st.builds(
    PageKey,
    thread_id=st.integers(0, MAX_NUMBER),
    sort=st.sampled_from(Sort),
    page=st.integers(1, 1_000_000),
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


# What takes the most room: twice as many characters once it is escaped, or bytes.
LETTERS = ["*", "я", "雨", "ไ", "🌰"]


def full_comment(
    number: int, *, player_id: int, children: tuple[Comment, ...] = (), letter: str = "*"
) -> Comment:
    return Comment(
        id=MAX_NUMBER - number,
        player=Player(
            id=player_id,
            screen_name=letter * 100,
            avatar_url="https://assets.example/a.png",
            is_subscribed=True,
            verified_at=True,
        ),
        content=(letter * 40 + "\n") * 120,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        children=children,
        children_count=10**9,
    )


def full_place(letter: str = "*") -> Place:
    return Place(PlaceKind.THREAD, MAX_NUMBER, letter * 80)
