"""Reading pages of any shape."""

import json
import time
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.game import game_errors
from bot.game.game_client import comments_request, items_request
from bot.game.models import Page, Purchase, Redemption, Sort
from bot.game.reading import read_nothing, read_one, read_written
from bot.game.transport import Caller, GameAnswer, Request
from tests.support.game_samples import comment, item, page, player, purchase, written_comment


def answer(content: object) -> GameAnswer:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return GameAnswer(200, {}, body, received_at=1_700_000_000.0)


@pytest.mark.parametrize(
    ("body", "has_next"),
    [
        (page(comment()), False),
        (page(comment(), following="https://game.example?page=2"), True),
        (page(*[comment()] * 15), True),
        (page(*[comment()] * 15, per_page=50), False),
        (page(*[comment()] * 2, per_page=2), True),
        (page(), False),
        (page(following="https://game.example?page=2"), False),
        ({"data": [comment()] * 15}, True),
        ({"data": [comment()], "links": None, "meta": None}, False),
        ({"data": [comment()], "links": [], "meta": "none"}, False),
    ],
)
def test_a_page_has_a_next_one_when_linked_or_full(body: object, has_next: bool) -> None:
    assert comments_request(1, Sort.LATEST, 1).result(answer(body)).has_next is has_next


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (rb"\ud83d\ude00", "😀"),
        (rb"a\ud83db", "a�b"),
        (rb"\udc00", "�"),
        (rb"\\ud83d", r"\ud83d"),
        (rb"\ud83d and \\ud83d and \ud83d\ude00", r"� and \ud83d and 😀"),
    ],
)
def test_half_a_surrogate_pair_does_not_hide_a_page(text: bytes, content: str) -> None:
    body = json.dumps(page(comment(content="@"))).encode().replace(b"@", text)

    found = comments_request(1, Sort.LATEST, 1).result(answer(body))

    assert found.entries[0].content == content


def test_a_byte_order_mark_is_passed_over() -> None:
    body = b"\xef\xbb\xbf" + json.dumps(page(comment())).encode()
    assert comments_request(1, Sort.LATEST, 1).result(answer(body)).entries


def nested(depth: int) -> bytes:
    one = json.dumps(comment(children=["@"])).encode()
    before, after = one.split(b'"@"')
    return (
        b'{"data": [' + before * depth + json.dumps(comment(id=99)).encode() + after * depth + b"]}"
    )


@pytest.mark.parametrize("body", [b"[" * 100_000 + b"]" * 100_000, b'{"data":' * 100_000])
def test_what_nests_deeper_than_the_parser_takes_is_refused(body: bytes) -> None:
    with pytest.raises(game_errors.MalformedResponse):
        read_one(Purchase, body)


def test_of_a_text_no_more_is_read_than_anybody_is_shown() -> None:
    long = comment(content="a" * 1_000_000, player=player(screen_name="b" * 1_000))

    found = comments_request(1, Sort.LATEST, 1).result(answer(page(long, comment())))

    assert [len(entry.content) for entry in found.entries] == [12_000, 6]
    assert len(found.entries[0].player.screen_name) == 500


@pytest.mark.parametrize(
    ("verified_at", "is_verified"),
    [("2024-05-01", True), ({"at": [1, 2]}, True), (["x"] * 9, True), (True, True), ([], False)],
)
def test_a_mark_of_the_verified_is_kept_as_a_yes(verified_at: object, is_verified: bool) -> None:
    body = page(comment(player=player(verified_at=verified_at)))

    (found,) = comments_request(1, Sort.LATEST, 1).result(answer(body)).entries

    assert bool(found.player.verified_at) is is_verified
    assert not isinstance(found.player.verified_at, list | dict)


def test_braces_in_texts_make_no_answer_too_large() -> None:
    entries = [comment(id=number, content='{[:,"' * 5000) for number in range(15)]

    found = comments_request(1, Sort.LATEST, 1).result(answer(page(*entries, {"id": 16})))

    assert (len(found.entries), found.unreadable) == (15, 1)


@pytest.mark.parametrize("entry", [b"{}", b"[]", b"1", b'{"id":1}'])
@pytest.mark.parametrize("before", [b"", b'{"id":1,"created_at":0,"children":['])
def test_a_page_of_faults_is_given_up_soon(entry: bytes, before: bytes) -> None:
    most = (2**21 - 100) // (len(entry) + 1)
    entries = before + b",".join([entry] * most) + b"]}" * bool(before)
    request = comments_request(1, Sort.LATEST, 1)
    begun = time.process_time()

    if before:
        found = request.result(answer(b'{"data":[' + entries + b"]}"))
        assert [one.children for one in found.entries] == [()]
    else:
        with pytest.raises(game_errors.MalformedResponse) as caught:
            request.result(answer(b'{"data":[' + entries + b"]}"))
        assert caught.value.detail.startswith("data.0")
    assert time.process_time() - begun < 2


def test_a_page_is_given_up_after_fifteen_more_faults_than_entries() -> None:
    request = comments_request(1, Sort.LATEST, 1)
    entries = [comment()] * 3

    found = request.result(answer(page(*entries, *[{"id": 7}] * 18)))
    assert (len(found.entries), found.unreadable, found.unreadable_ids) == (3, 18, (7,) * 18)
    with pytest.raises(game_errors.MalformedResponse) as caught:
        request.result(answer(page(*entries, *[{"id": 7}] * 19)))
    assert caught.value.detail.startswith("data.3.created_at: ")


@pytest.mark.parametrize("said", [False, 0, "", "FALSE", " no ", []])
def test_a_page_that_denies_itself_is_none(said: object) -> None:
    request = comments_request(1, Sort.LATEST, 1)
    with pytest.raises(game_errors.MalformedResponse):
        request.result(answer({**page(), "success": said}))


@pytest.mark.parametrize("said", [True, 1, "ok", None])
def test_a_page_that_affirms_itself_is_read(said: object) -> None:
    request = comments_request(1, Sort.LATEST, 1)
    assert request.result(answer({**page(comment()), "success": said})).entries


@pytest.mark.parametrize("replies", [{}, {"children": "none", "children_count": -1}])
def test_a_comment_that_was_written_has_no_replies_yet(replies: dict[str, object]) -> None:
    told = {"data": written_comment(id=9, content="New") | replies}

    written = read_written(json.dumps(told).encode())

    assert (written.id, written.content) == (9, "New")
    assert (written.children, written.children_count) == ((), 0)


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
    Request("POST", "/threads/1/comments", read_written, CALLER),
    Request("DELETE", "/comments/1", read_nothing, CALLER),
    items_request(CALLER, 1, 2),
    Request("POST", "/items/1/purchase", partial(read_one, Purchase), CALLER),
    Request("POST", "/items/1/redeem", partial(read_one, Redemption), CALLER),
]
STATUSES = st.sampled_from([200, 201, 204, 302, 304, 400, 401, 404, 418, 422, 429, 500, 503, 599])


def as_json(tree: object, status: int) -> GameAnswer:
    return GameAnswer(status, {}, json.dumps(tree).encode(), 0.0)


def outcome(request: Request[Any], given_answer: GameAnswer) -> object:
    try:
        return request.result(given_answer)
    except game_errors.GameError as error:
        return error, vars(error)


@settings(max_examples=50)
@given(st.sampled_from(REQUESTS), STATUSES, st.binary(), st.text())
def test_any_bytes_are_a_result_or_a_game_error(
    request: Request[Any], status: int, body: bytes, wait: str
) -> None:
    outcome(request, GameAnswer(status, {"retry-after": wait}, body, 0.0))


@settings(max_examples=50)
@given(st.sampled_from(REQUESTS), STATUSES, ANY_JSON)
def test_any_json_is_read_or_refused(request: Request[Any], status: int, tree: object) -> None:
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
def test_any_wrong_value_is_read_or_refused(request: Request[Any], tree: object) -> None:
    outcome(request, as_json(tree, 200))


@settings(max_examples=50)
@given(st.sampled_from(REQUESTS), nearly_right() | st.sampled_from(SAMPLES))
def test_parts_read_like_the_whole(request: Request[Any], tree: dict[str, Any]) -> None:
    at_once = outcome(request, as_json(tree, 200))
    if isinstance(at_once, tuple):
        return

    # A mark before the text is passed over in the second reading alone.
    marked = GameAnswer(200, {}, b"\xef\xbb\xbf" + json.dumps(tree).encode(), 0.0)
    in_parts = request.result(marked)

    assert without_size(at_once) == without_size(in_parts)


def without_size(result: Any) -> object:
    return replace(cast("Page[Any]", result), size=0) if isinstance(result, Page) else result
