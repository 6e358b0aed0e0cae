"""A comment that a server hides is in none of its readings, and in every one of others'."""

import asyncio
import gc
import math
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from bot.features.errors import CommentNotFound
from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import Screen
from bot.features.reading.trees import all_comments
from bot.game.models import Comment, PageKey
from storage.moderation import Subject
from tests.support.faulty_proxy import is_read
from tests.unit.forum.conftest import MEMBER, Desk

ANYWHERE, THERE = Viewer(MEMBER, guild_id=1), Viewer(MEMBER, guild_id=3)
Reading = Callable[[Desk, Viewer, Comment], Coroutine[Any, Any, list[str]]]


def texts(comments: tuple[Comment, ...]) -> list[str]:
    return [comment.content for comment in all_comments(comments)]


def texts_of(screen: Screen) -> list[str]:
    return texts(tuple(tree.comment for tree in screen.trees))


async def screen(desk: Desk, viewer: Viewer, comment: Comment) -> list[str]:
    return texts_of(await desk.reading.screen(viewer, PageKey(desk.thread_id), max_age=0))


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
    await desk.reading.screen(ANYWHERE, PageKey(desk.thread_id), max_age=math.inf)
    return texts(await desk.reading.known_comments(viewer, desk.thread_id))


@pytest.mark.parametrize("read", [screen, one_comment, one_comment_soon, suggestions])
async def test_what_a_server_hides_is_in_none_of_its_readings(desk: Desk, read: Reading) -> None:
    written = await desk.post("Unkind words")
    await desk.moderated.hide(3, Subject(written.id))

    assert await read(desk, THERE, written) == []
    assert await read(desk, ANYWHERE, written) == ["Unkind words"]


async def test_a_hidden_reply_leaves_the_comment_that_it_answers(desk: Desk) -> None:
    parent = await desk.post("A question")
    reply = await desk.post("Rude", parent_id=parent.id)
    await desk.moderated.hide(3, Subject(reply.id))

    assert await screen(desk, THERE, parent) == ["A question"]
    assert await screen(desk, ANYWHERE, parent) == ["A question", "Rude"]


@pytest.mark.parametrize("read", [screen, one_comment, one_comment_soon, suggestions])
async def test_nothing_of_a_muted_player_is_read(desk: Desk, read: Reading) -> None:
    written = await desk.post("Unkind words")
    await desk.moderated.hide(3, Subject(None, player_id=written.player.id))

    assert await read(desk, THERE, written) == []
    assert await read(desk, ANYWHERE, written) == ["Unkind words"]


async def test_what_was_just_written_is_not_shown_where_it_is_hidden(desk: Desk) -> None:
    written = await desk.post("Unkind words")
    await desk.moderated.hide(3, Subject(written.id))

    assert await desk.reading.as_shown(THERE, PageKey(desk.thread_id), written) is None


async def test_a_page_that_is_on_its_way_shows_nothing_hidden_meanwhile(desk: Desk) -> None:
    written = await desk.post("Unkind words")
    async with desk.proxy.leaving.closed(is_read) as gate:
        reading = asyncio.create_task(screen(desk, THERE, written))
        await gate.arrival()
        await desk.moderated.hide(3, Subject(written.id))

    assert await reading == []


async def test_a_search_that_finds_nothing_once_nobody_waits_is_no_fault(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    near = PageKey(desk.thread_id)

    assert await desk.reading.comment_within(0, ANYWHERE, near, 404) is None
    with pytest.raises(CommentNotFound):
        await desk.reading.comment(ANYWHERE, near, 404)

    # Let go of what has ended.
    await asyncio.sleep(0)
    gc.collect()
    assert not caplog.records


@pytest.mark.parametrize("read", [screen, one_comment, one_comment_soon, suggestions])
async def test_what_holds_a_watched_word_stands_there_without_its_text(
    desk: Desk, read: Reading
) -> None:
    written = await desk.post("Unkind words")
    await desk.moderated.words.add_words(3, ["unkind"])

    assert await read(desk, THERE, written) == ["🔒 hidden: watched word"]
    assert await read(desk, ANYWHERE, written) == ["Unkind words"]
