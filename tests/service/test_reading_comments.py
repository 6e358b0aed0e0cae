"""Reading the forum (docs/connect-your-game.md#list-comments)."""

import re
from typing import Any

import pytest

from tests.service.conftest import NEWCOMER, SUBSCRIBER, Api

THREAD = "/threads/3/comments"


def ids(entries: list[Any]) -> list[int]:
    return [entry["id"] for entry in entries]


async def test_a_listed_comment_has_the_fields_of_the_list_shape(api: Api) -> None:
    await api.write("Look, a heron.")
    (comment,) = (await api.get(THREAD)).data
    assert comment.keys() == {
        "id",
        "children_count",
        "children",
        "depth",
        "player",
        "content",
        "created_at",
    }
    assert comment["player"].keys() == {
        "id",
        "avatar_url",
        "is_subscribed",
        "screen_name",
        "verified_at",
        "inventory",
    }
    assert comment["player"]["inventory"] == {
        "id": comment["player"]["inventory"]["id"],
        "pin_item": None,
    }
    assert (comment["children_count"], comment["children"], comment["depth"]) == (0, [], 1)
    assert comment["content"] == "Look, a heron."
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", comment["created_at"])


async def test_replies_are_nested_with_their_depths(api: Api) -> None:
    top = await api.write("top")
    child = await api.write("child", under=top)
    grandchild = await api.write("grandchild", under=child)
    great_grandchild = await api.write("great-grandchild", under=grandchild)
    sibling = await api.write("sibling", under=top)

    (entry,) = (await api.get(THREAD)).data
    assert entry["children_count"] == 2
    assert ids(entry["children"]) == [child, sibling]
    first = entry["children"][0]
    second = first["children"][0]
    third = second["children"][0]
    assert ids([entry, first, second, third]) == [top, child, grandchild, great_grandchild]
    assert [each["depth"] for each in (entry, first, second, third)] == [1, 1, 2, 3]
    assert [each["children_count"] for each in (first, second, third)] == [1, 1, 0]


async def test_latest_is_the_default_and_puts_the_newest_first(api: Api) -> None:
    written = [await api.write(f"{number}") for number in range(3)]
    assert ids((await api.get(THREAD)).data) == written[::-1]
    assert ids((await api.get(f"{THREAD}?sort=latest")).data) == written[::-1]


async def test_hottest_puts_the_most_answered_first_counting_replies_to_replies(api: Api) -> None:
    quiet, lively, liveliest = [await api.write() for _ in range(3)]
    await api.write("one", under=lively)
    reply = await api.write("one", under=liveliest)
    await api.write("two", under=reply)
    assert ids((await api.get(f"{THREAD}?sort=hottest")).data) == [liveliest, lively, quiet]


@pytest.mark.parametrize("sort", ["latest", "hottest"])
async def test_following_next_meets_every_top_level_comment_once(api: Api, sort: str) -> None:
    written = [await api.write(f"{number}") for number in range(31)]
    for comment in written[3::5]:
        await api.write("a reply is on no page of its own", under=comment)
    for comment in written[::10]:
        await api.delete(f"/comments/{comment}", SUBSCRIBER)
    left = [comment for comment in written if comment not in written[::10]]
    assert sorted(ids(await api.walk(f"{THREAD}?sort={sort}"))) == left


async def test_the_envelope_tells_where_a_page_is(api: Api) -> None:
    for number in range(20):
        await api.write(f"{number}")
    here = f"{api.base_url}{THREAD}"
    first = (await api.get(f"{THREAD}?sort=latest&page=1&lang=de")).body
    assert len(first["data"]) == 15
    assert first["links"] == {
        "first": f"{here}?sort=latest&lang=de&page=1",
        "last": None,
        "prev": None,
        "next": f"{here}?sort=latest&lang=de&page=2",
    }
    assert first["meta"] == {"current_page": 1, "from": 1, "path": here, "per_page": 15, "to": 15}

    second = (await api.get(f"{THREAD}?page=2")).body
    assert second["links"] == {
        "first": f"{here}?page=1",
        "last": None,
        "prev": f"{here}?page=1",
        "next": None,
    }
    assert second["meta"] == {"current_page": 2, "from": 16, "path": here, "per_page": 15, "to": 20}


async def test_exactly_one_full_page_has_no_next(api: Api) -> None:
    for number in range(15):
        await api.write(f"{number}")
    assert (await api.get(THREAD)).body["links"]["next"] is None


@pytest.mark.parametrize("page", ["1", "7", "1000000000"])
async def test_a_page_without_entries_is_empty_and_not_an_error(api: Api, page: str) -> None:
    answer = await api.get(f"{THREAD}?page={page}")
    assert (answer.status, answer.data) == (200, [])
    assert (answer.body["meta"]["from"], answer.body["meta"]["to"]) == (None, None)
    assert answer.body["links"]["next"] is None


@pytest.mark.parametrize("thread", ["4", "0", "-1", "abc", "9223372036854775808", "1" * 400, "1.0"])
async def test_an_unknown_thread_is_not_found(api: Api, thread: str) -> None:
    answer = await api.get(f"/threads/{thread}/comments")
    assert (answer.status, answer.code) == (404, "thread_not_found")


@pytest.mark.parametrize("token", [None, NEWCOMER, "nobody-has-this"])
async def test_reading_needs_no_token_and_ignores_any(api: Api, token: str | None) -> None:
    assert (await api.get(THREAD, token)).status == 200
