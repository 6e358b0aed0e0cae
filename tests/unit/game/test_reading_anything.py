"""Whatever bytes arrive, a caller meets a result or a GameError."""

import json
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import SecretStr

from bot.game import errors
from bot.game.models import Page, Sort
from bot.game.protocol import Answer, Caller, Exchange, GameProtocol
from tests.support.game_samples import comment, item, page, purchase, written_comment

CALLER = Caller(1, SecretStr("secret-of-ann"))
GAME = GameProtocol("https://game.example/api/v1")
SAMPLES: list[dict[str, Any]] = [
    page(comment(children=[comment()])),
    page(item()),
    purchase(),
    {"data": written_comment()},
]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("data"), inner),
)
EXCHANGES: list[Exchange[Any]] = [
    GAME.list_comments(1, Sort.HOTTEST, 2),
    GAME.create_comment(CALLER, 1, "Hello!", None),
    GAME.update_comment(CALLER, 1, "Hello!"),
    GAME.delete_comment(CALLER, 1),
    GAME.list_items(CALLER, 1, 2),
    GAME.purchase(CALLER, 1),
    GAME.redeem(CALLER, 1),
]
STATUSES = st.sampled_from([200, 201, 204, 302, 304, 400, 401, 404, 418, 422, 429, 500, 503, 599])


def as_json(tree: object, status: int) -> Answer:
    return Answer(status, {}, json.dumps(tree).encode(), 0.0)


def outcome(exchange: Exchange[Any], given_answer: Answer) -> object:
    try:
        return exchange.decipher(given_answer)
    except errors.GameError as error:
        return error, vars(error)


@settings(max_examples=50)
@given(st.sampled_from(EXCHANGES), STATUSES, st.binary(), st.text())
def test_any_bytes_are_a_result_or_a_game_error(
    exchange: Exchange[Any], status: int, body: bytes, wait: str
) -> None:
    outcome(exchange, Answer(status, {"retry-after": wait}, body, 0.0))


@settings(max_examples=50)
@given(st.sampled_from(EXCHANGES), STATUSES, ANY_JSON)
def test_any_json_is_a_result_or_a_game_error(
    exchange: Exchange[Any], status: int, tree: object
) -> None:
    outcome(exchange, as_json(tree, status))


@st.composite
def nearly_right(draw: st.DrawFn) -> dict[str, Any]:
    """A right answer with one value anywhere in it replaced by another."""
    sample = draw(st.sampled_from(SAMPLES))
    tree: Any = json.loads(json.dumps(sample))
    place: Any = tree
    key: Any = "data"
    while type(place[key]) in (dict, list) and place[key] and draw(st.booleans()):
        place = place[key]
        key = draw(st.sampled_from([*place] if hasattr(place, "keys") else [*range(len(place))]))
    place[key] = draw(ANY_JSON | st.sampled_from(["9" * 5000, "0001-01-01T00:00:00+14:00"]))
    return tree


@settings(max_examples=50)
@given(st.sampled_from(EXCHANGES), nearly_right())
def test_any_single_wrong_value_is_a_result_or_a_game_error(
    exchange: Exchange[Any], tree: object
) -> None:
    outcome(exchange, as_json(tree, 200))


@settings(max_examples=50)
@given(st.sampled_from(EXCHANGES), nearly_right() | st.sampled_from(SAMPLES))
def test_what_is_read_at_once_reads_alike_with_patience(
    exchange: Exchange[Any], tree: dict[str, Any]
) -> None:
    at_once = outcome(exchange, as_json(tree, 200))
    if isinstance(at_once, tuple):
        return

    # A mark before the text is passed over by patience alone.
    marked = Answer(200, {}, b"\xef\xbb\xbf" + json.dumps(tree).encode(), 0.0)
    patiently = exchange.decipher(marked)

    assert without_size(at_once) == without_size(patiently)


def without_size(result: Any) -> object:
    return replace(cast("Page[Any]", result), size=0) if isinstance(result, Page) else result
