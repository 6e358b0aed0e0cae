"""Trees of comments, and what is hidden in them."""

import asyncio
import gc
import math
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from bot.features.feature_errors import CommentNotFound
from bot.features.moderation.policy import Viewer
from bot.features.reading.paging import Position
from bot.features.reading.threads import ThreadScreen
from bot.features.reading.trees import (
    all_comments,
    changed,
    find_branch,
    only,
    tree_of,
    with_all_changed,
    with_comment,
)
from bot.game.models import Comment, Page, PageKey
from storage.moderation import Subject
from tests.support.faulty_proxy import is_read
from tests.support.game_samples import comment, written_comment
from tests.unit.forum.conftest import MEMBER, Desk


def node(number: int, *children: dict[str, Any], hidden: int = 0) -> dict[str, Any]:
    """Return a comment with its replies and so many that the game doesn't show."""
    return comment(id=number, children=list(children), children_count=len(children) + hidden)


def page_of(*entries: dict[str, Any]) -> Page[Comment]:
    comments = TypeAdapter(tuple[Comment, ...]).validate_python(entries)
    return Page(comments, 1, 15, has_next=True, size=9)


# 1 has the replies 2, with 3 and 4 below it, and 5.
TREE = node(1, node(2, node(3), node(4), hidden=7), node(5), hidden=2)
PAGE = page_of(TREE, node(6))
WRITING = TypeAdapter(Comment)
WRITTEN = WRITING.validate_python(written_comment(id=9, content="New"))


def counts(page: Page[Comment]) -> dict[int, int]:
    """Return the number of replies that each comment of a page claims."""
    return {entry.id: entry.children_count for entry in all_comments(page.entries)}


def test_of_two_comments_of_one_number_the_first_is_found() -> None:
    twice = page_of(node(1, node(2)), node(2))

    assert len(find_branch(twice.entries, 2)) == 2


def test_what_is_not_there_is_not_found() -> None:
    assert not find_branch(PAGE.entries, 9)
    assert not find_branch((), 9)


def test_replies_are_counted_with_those_that_are_not_shown_and_never_below_those_that_are() -> None:
    wrong = page_of(comment(id=1, children=[node(2), node(3)], children_count=0))
    assert tree_of(PAGE.entries[0]).reply_count == 13
    assert tree_of(wrong.entries[0]).reply_count == 2


def test_what_is_not_to_be_shown_goes_with_all_below_it() -> None:
    assert list(counts(only(PAGE, lambda comment: comment.id not in (3, 5)))) == [1, 2, 4, 6]
    assert list(counts(only(PAGE, lambda comment: comment.id not in (1, 3)))) == [6]
    assert only(PAGE, lambda _: True) is PAGE


def test_a_change_reaches_comments_at_any_depth() -> None:
    def shout(one: Comment) -> Comment:
        is_meant = one.id in (3, 6)
        return replace(one, content="HELLO!") if is_meant else one

    louder = with_all_changed(PAGE, shout)

    assert [one.id for one in all_comments(louder.entries) if one.content == "HELLO!"] == [3, 6]
    assert counts(louder) == counts(PAGE)


def test_a_count_below_what_is_shown_is_mended_at_a_removal() -> None:
    wrong = comment(id=1, children=[node(2), node(3), node(4)], children_count=0)
    assert counts(changed(page_of(wrong), 2, lambda _: None)) == {1: 2, 3: 0, 4: 0}


def test_what_a_page_does_not_have_leaves_it_as_it_is() -> None:
    assert changed(PAGE, 9, lambda _: None) is PAGE
    assert with_comment(PAGE, 8, WRITTEN) is PAGE


@pytest.mark.parametrize(
    ("parent", "recounted"), [(1, {1: 5, 9: 0}), (2, {2: 10, 9: 0}), (6, {6: 1, 9: 0})]
)
def test_a_new_reply_is_the_last_and_counted(parent: int, recounted: dict[int, int]) -> None:
    answered = with_comment(PAGE, parent, WRITTEN)

    *above, reply = find_branch(answered.entries, 9)
    assert above[-1].children[-1] == reply
    assert reply.content == "New"
    assert counts(answered) == counts(PAGE) | recounted


def test_what_is_there_already_is_not_shown_twice() -> None:
    known = WRITING.validate_python(written_comment(id=3))
    assert with_comment(PAGE, None, known) is PAGE
    assert with_comment(PAGE, 1, known) is PAGE


ANYWHERE, THERE = Viewer(MEMBER, guild_id=1), Viewer(MEMBER, guild_id=3)
Reading = Callable[[Desk, Viewer, Comment], Coroutine[Any, Any, list[str]]]


def texts(comments: tuple[Comment, ...]) -> list[str]:
    return [comment.content for comment in all_comments(comments)]


def texts_of(screen: ThreadScreen) -> list[str]:
    return texts(tuple(tree.comment for tree in screen.entries))


async def screen(desk: Desk, viewer: Viewer, comment: Comment) -> list[str]:
    return texts_of(await desk.reading.screen(viewer, Position(PageKey(desk.thread_id)), max_age=0))


async def one_comment(desk: Desk, viewer: Viewer, comment: Comment) -> list[str]:
    try:
        found = await desk.reading.comment(viewer, PageKey(desk.thread_id), comment.id)
    except CommentNotFound:
        return []
    return texts((found.comment,))


async def one_comment_soon(desk: Desk, viewer: Viewer, comment: Comment) -> list[str]:
    try:
        found = await desk.reading.comment_within(60, viewer, PageKey(desk.thread_id), comment.id)
    except CommentNotFound:
        return []
    return texts((found.comment,)) if found else []


async def suggestions(desk: Desk, viewer: Viewer, comment: Comment) -> list[str]:
    start = Position(PageKey(desk.thread_id))
    await desk.reading.screen(ANYWHERE, start, max_age=math.inf)
    return texts(await desk.reading.known_comments(viewer, desk.thread_id))


async def remove(desk: Desk, written: Comment) -> list[str]:
    await desk.moderated.hide(3, Subject(written.id))
    return []


async def mute(desk: Desk, written: Comment) -> list[str]:
    await desk.moderated.hide(3, Subject(None, player_id=written.player.id))
    return []


async def watch(desk: Desk, _: Comment) -> list[str]:
    await desk.moderated.words.set_words(3, ["unkind"], 5)
    return ["Hidden until a moderator reviews it."]


@pytest.mark.parametrize("read", [screen, one_comment, one_comment_soon, suggestions])
@pytest.mark.parametrize("hide", [remove, mute, watch])
async def test_what_a_server_hides_is_in_none_of_its_readings(
    desk: Desk, read: Reading, hide: Callable[[Desk, Comment], Awaitable[list[str]]]
) -> None:
    written = await desk.post("Unkind words")
    left = await hide(desk, written)

    assert await read(desk, THERE, written) == left
    assert await read(desk, ANYWHERE, written) == ["Unkind words"]


async def test_a_hidden_reply_leaves_the_comment_that_it_answers(desk: Desk) -> None:
    parent = await desk.post("A question")
    reply = await desk.post("Rude", parent_id=parent.id)
    await desk.moderated.hide(3, Subject(reply.id))

    assert await screen(desk, THERE, parent) == ["A question"]
    assert await screen(desk, ANYWHERE, parent) == ["A question", "Rude"]


async def test_a_page_that_is_on_its_way_shows_nothing_hidden_meanwhile(desk: Desk) -> None:
    written = await desk.post("Unkind words")
    async with desk.proxy.leaving.closed(is_read) as gate:
        reading = asyncio.create_task(screen(desk, THERE, written))
        await gate.arrival()
        await desk.moderated.hide(3, Subject(written.id))

    assert await reading == []


async def test_a_search_in_vain_is_no_fault(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    near = PageKey(desk.thread_id)

    assert await desk.reading.comment_within(0, ANYWHERE, near, 404) is None
    with pytest.raises(CommentNotFound):
        await desk.reading.comment(ANYWHERE, near, 404)

    # Let go of what has ended.
    await asyncio.sleep(0)
    gc.collect()
    assert not caplog.records
