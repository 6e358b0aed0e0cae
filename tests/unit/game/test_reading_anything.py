"""Whatever bytes arrive, a caller meets a result or a GameError."""

import json
from dataclasses import replace
from functools import partial
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.game import errors
from bot.game.client import comments_request, items_request
from bot.game.models import Page, Purchase, Redemption, Sort, WrittenComment
from bot.game.reading import read_nothing, read_one
from bot.game.transport import Answer, Caller, Request
from tests.support.game_samples import comment, item, page, purchase, written_comment

CALLER = Caller(1, SecretStr("secret-of-ann"))
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
REQUESTS: list[Request[Any]] = [
    comments_request(1, Sort.HOTTEST, 2),
    Request("POST", "/threads/1/comments", partial(read_one, WrittenComment), CALLER),
    Request("DELETE", "/comments/1", read_nothing, CALLER),
    items_request(CALLER, 1, 2),
    Request("POST", "/items/1/purchase", partial(read_one, Purchase), CALLER),
    Request("POST", "/items/1/redeem", partial(read_one, Redemption), CALLER),
]
STATUSES = st.sampled_from([200, 201, 204, 302, 304, 400, 401, 404, 418, 422, 429, 500, 503, 599])


def as_json(tree: object, status: int) -> Answer:
    return Answer(status, {}, json.dumps(tree).encode(), 0.0)


def outcome(request: Request[Any], given_answer: Answer) -> object:
    try:
        return request.result(given_answer)
    except errors.GameError as error:
        return error, vars(error)


@settings(max_examples=50)
@given(st.sampled_from(REQUESTS), STATUSES, st.binary(), st.text())
def test_any_bytes_are_a_result_or_a_game_error(
    request: Request[Any], status: int, body: bytes, wait: str
) -> None:
    outcome(request, Answer(status, {"retry-after": wait}, body, 0.0))


@settings(max_examples=50)
@given(st.sampled_from(REQUESTS), STATUSES, ANY_JSON)
def test_any_json_is_a_result_or_a_game_error(
    request: Request[Any], status: int, tree: object
) -> None:
    outcome(request, as_json(tree, status))


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
@given(st.sampled_from(REQUESTS), nearly_right())
def test_any_single_wrong_value_is_a_result_or_a_game_error(
    request: Request[Any], tree: object
) -> None:
    outcome(request, as_json(tree, 200))


@settings(max_examples=50)
@given(st.sampled_from(REQUESTS), nearly_right() | st.sampled_from(SAMPLES))
def test_what_is_read_at_once_reads_alike_in_parts(
    request: Request[Any], tree: dict[str, Any]
) -> None:
    at_once = outcome(request, as_json(tree, 200))
    if isinstance(at_once, tuple):
        return

    # A mark before the text is passed over in the second reading alone.
    marked = Answer(200, {}, b"\xef\xbb\xbf" + json.dumps(tree).encode(), 0.0)
    in_parts = request.result(marked)

    assert without_size(at_once) == without_size(in_parts)


def without_size(result: Any) -> object:
    return replace(cast("Page[Any]", result), size=0) if isinstance(result, Page) else result
