"""Pages of the game: where the next one is, what a text may hold, and how deep replies nest."""

import json
import time
from dataclasses import replace

import pytest

from bot.features.reading.trees import all_comments, each_as, only
from bot.game import errors
from bot.game.client import comments_request
from bot.game.models import Purchase, Sort
from bot.game.reading import read_one
from bot.game.transport import Answer
from tests.support.game_samples import comment, page, player


def answer(content: object) -> Answer:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Answer(200, {}, body, received_at=1_700_000_000.0)


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
    ("current", "number"), [(3, 3), ("3", 3), (None, 7), (0, 7), (-2, 7), ("x", 7), (10**30, 7)]
)
def test_a_page_without_a_usable_number_has_the_number_asked_for(
    current: object, number: int
) -> None:
    body = page(current_page=current, **{"from": None, "to": None})
    found = comments_request(1, Sort.LATEST, 7).result(answer(body))

    assert found.number == number


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


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("depth", [30, 90])
def test_replies_are_read_at_any_usual_depth(depth: int, mark: bytes) -> None:
    found = comments_request(1, Sort.LATEST, 1).result(answer(mark + nested(depth)))

    assert len(list(all_comments(found.entries))) == depth + 1


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("depth", [200, 300, 400, 450, 480, 500, 1_000, 5_000])
def test_replies_that_nest_deeper_are_shown_or_refused(depth: int, mark: bytes) -> None:
    try:
        found = comments_request(1, Sort.LATEST, 1).result(answer(mark + nested(depth)))
    except errors.MalformedResponse:
        assert depth > 200
        return

    shown = only(found, lambda one: one.id != 99)
    assert len(list(all_comments(shown.entries))) == depth
    cut = each_as(found, lambda one: replace(one, content="@"))
    assert {one.content for one in all_comments(cut.entries)} == {"@"}


@pytest.mark.parametrize("body", [b"[" * 100_000 + b"]" * 100_000, b'{"data":' * 100_000])
def test_what_nests_deeper_than_the_parser_takes_is_refused(body: bytes) -> None:
    with pytest.raises(errors.MalformedResponse):
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
def test_of_the_mark_of_the_verified_only_that_it_is_there_is_kept(
    verified_at: object, is_verified: bool
) -> None:
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
        with pytest.raises(errors.MalformedResponse) as caught:
            request.result(answer(b'{"data":[' + entries + b"]}"))
        assert caught.value.path.startswith("data.0")
    assert time.process_time() - begun < 2


def test_a_page_is_given_up_after_fifteen_more_faults_than_entries() -> None:
    request = comments_request(1, Sort.LATEST, 1)
    entries = [comment()] * 3

    found = request.result(answer(page(*entries, *[{"id": 7}] * 18)))
    assert (len(found.entries), found.unreadable, found.unreadable_ids) == (3, 18, (7,) * 18)
    with pytest.raises(errors.MalformedResponse) as caught:
        request.result(answer(page(*entries, *[{"id": 7}] * 19)))
    assert caught.value.path == "data.3.created_at"


@pytest.mark.parametrize("said", [False, 0, "", "FALSE", " no ", []])
def test_a_page_that_denies_itself_is_none(said: object) -> None:
    request = comments_request(1, Sort.LATEST, 1)

    with pytest.raises(errors.MalformedResponse):
        request.result(answer({**page(), "success": said}))


@pytest.mark.parametrize("said", [True, 1, "ok", None])
def test_a_page_that_affirms_itself_is_read(said: object) -> None:
    request = comments_request(1, Sort.LATEST, 1)

    assert request.result(answer({**page(comment()), "success": said})).entries
