"""Writing, editing and deleting comments (docs/connect-your-game.md#comments)."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from game_service import admin, comments
from game_service.auth import Player
from game_service.errors import InvalidFields, NotFound
from storage.database import open_database
from tests.service.conftest import NEWCOMER, SUBSCRIBER, VISITOR, Api
from tests.support.databases import empty_at

THREAD = "/threads/3/comments"
WRITTEN_SHAPE = {"id", "depth", "player", "content", "created_at"}


async def test_a_written_comment_has_the_fields_of_the_create_shape(api: Api) -> None:
    answer = await api.post(THREAD, NEWCOMER, json={"content": "Hello, hollow!", "mood": "sunny"})
    assert answer.status == 201
    assert answer.data.keys() == WRITTEN_SHAPE
    assert (answer.data["content"], answer.data["depth"]) == ("Hello, hollow!", 1)
    assert answer.data["player"]["screen_name"] == "Sprig"


async def test_a_form_is_as_good_as_json(api: Api) -> None:
    top = await api.write()
    answer = await api.post(THREAD, NEWCOMER, data={"content": "Ünïcödé", "comment_id": str(top)})
    assert (answer.status, answer.data["content"]) == (201, "Ünïcödé")
    (entry,) = (await api.get(THREAD)).data
    assert [child["id"] for child in entry["children"]] == [answer.data["id"]]


async def test_text_is_kept_as_written_but_for_the_blanks_around_it(api: Api) -> None:
    text = 'a\n\n\t"b" \\ <b>&amp;</b> \u202e\u200b 🏴󠁧󠁢󠁳󠁣󠁴󠁿'
    answer = await api.post(THREAD, SUBSCRIBER, json={"content": f" \n{text}\u3000\r\n "})
    assert answer.data["content"] == text
    assert (await api.get(THREAD)).data[0]["content"] == text


@pytest.mark.parametrize("character", ["x", "é", "🦔"])
async def test_five_thousand_characters_fit_and_one_more_does_not(api: Api, character: str) -> None:
    full = await api.post(THREAD, SUBSCRIBER, json={"content": f" {character * 5_000} "})
    assert (full.status, full.data["content"]) == (201, character * 5_000)
    form = await api.post(THREAD, SUBSCRIBER, data={"content": character * 5_000})
    assert form.status == 201
    over = await api.post(THREAD, SUBSCRIBER, json={"content": character * 5_001})
    assert (over.status, over.code) == (422, "invalid_fields")
    assert "5001" in over.body["errors"]["content"][0]


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"content": null}',
        b'{"content": 7}',
        b'{"content": ["Hi"]}',
        b'{"content": ""}',
        b'{"content": " \\n\\u3000"}',
        b'{"content": "nul \\u0000"}',
        b'{"content": "half \\ud83e"}',
    ],
)
async def test_content_that_is_no_text_is_refused(api: Api, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    comment = await api.write()
    for answer in (
        await api.post(THREAD, SUBSCRIBER, data=body, headers=headers),
        await api.put(f"/comments/{comment}", SUBSCRIBER, data=body, headers=headers),
    ):
        assert (answer.status, answer.code) == (422, "invalid_fields")
        assert list(answer.body["errors"]) == ["content"]


@pytest.mark.parametrize("parent", ["7", True, -1, 1.5, 2**63, 10**30, 999_999, []])
async def test_a_parent_must_be_a_comment(api: Api, parent: object) -> None:
    answer = await api.post(THREAD, SUBSCRIBER, json={"content": "Hi", "comment_id": parent})
    assert (answer.status, answer.code) == (422, "invalid_fields")
    assert list(answer.body["errors"]) == ["comment_id"]


async def test_a_parent_must_be_there_and_in_the_same_thread(api: Api) -> None:
    elsewhere, deleted = await api.write(thread=2), await api.write()
    await api.delete(f"/comments/{deleted}", SUBSCRIBER)
    for parent in (elsewhere, deleted):
        answer = await api.post(THREAD, SUBSCRIBER, json={"content": "Hi", "comment_id": parent})
        assert (answer.status, list(answer.body["errors"])) == (422, ["comment_id"])
    assert (await api.get(THREAD)).data == []


async def test_an_edit_changes_the_content_and_nothing_else(api: Api) -> None:
    comment = await api.write("Helo")
    before = (await api.get(THREAD)).data[0]
    answer = await api.put(
        f"/comments/{comment}", SUBSCRIBER, json={"content": " Hello ", "depth": 9, "id": 1}
    )
    assert (answer.status, answer.data.keys()) == (200, WRITTEN_SHAPE)
    assert (await api.get(THREAD)).data == [{**before, "content": "Hello"}]


async def test_only_the_author_edits_and_deletes(api: Api) -> None:
    comment = await api.write("Mine!")
    edit = await api.put(f"/comments/{comment}", VISITOR, json={"content": "Yours?"})
    assert (edit.status, edit.code) == (403, "not_your_comment")
    delete = await api.delete(f"/comments/{comment}", VISITOR)
    assert (delete.status, delete.code) == (403, "not_your_comment")
    assert [entry["content"] for entry in (await api.get(THREAD)).data] == ["Mine!"]


async def test_a_delete_answers_without_a_body_and_only_once(api: Api) -> None:
    comment = await api.write()
    answer = await api.delete(f"/comments/{comment}", SUBSCRIBER)
    assert (answer.status, answer.body) == (204, None)
    again = await api.delete(f"/comments/{comment}", SUBSCRIBER)
    assert (again.status, again.code) == (404, "comment_not_found")
    edit = await api.put(f"/comments/{comment}", SUBSCRIBER, json={"content": "Back?"})
    assert (edit.status, edit.code) == (404, "comment_not_found")


async def test_a_delete_takes_the_replies_along_and_keeps_the_counts_right(api: Api) -> None:
    top = await api.write("top")
    gone = await api.write("gone", under=top)
    reply = await api.write("gone, too", under=gone, token=NEWCOMER)
    stays = await api.write("stays", under=top)
    await api.delete(f"/comments/{gone}", SUBSCRIBER)

    (entry,) = (await api.get(THREAD)).data
    assert (entry["id"], entry["children_count"]) == (top, 1)
    assert [child["id"] for child in entry["children"]] == [stays]
    assert (await api.delete(f"/comments/{reply}", NEWCOMER)).status == 404


@pytest.mark.usefixtures("on_both_engines")
async def test_a_comment_goes_while_replies_to_it_arrive(tmp_path: Path) -> None:
    async def write(parent_id: int | None = None) -> int:
        async with database.transaction() as transaction:
            written = await comments.add_comment(
                transaction, thread, author.id, "Hi", created_at=0, parent_id=parent_id
            )
        return written["id"]

    async def reply(parent_id: int) -> None:
        with suppress(InvalidFields):
            await write(parent_id)

    async def edit(comment_id: int) -> None:
        with suppress(NotFound):
            async with database.transaction() as transaction:
                await comments.edit_comment(transaction, comment_id, author, "Edited.")

    async def delete(comment_id: int) -> None:
        async with database.transaction() as transaction:
            await comments.delete_comment(transaction, comment_id, author)

    author = Player(id=1, is_subscribed=True, park=1)
    async with open_database(empty_at(tmp_path / "game.db"), admin.MIGRATIONS) as database:
        await admin.add_player(database, screen_name="Bo")
        async with database.transaction() as transaction:
            thread = await admin.add_thread(transaction, "A thread")
        for _ in range(10):
            top = await write()
            below = await write(top)
            arriving = [reply(parent) for parent in (top, below) * 3]
            await asyncio.gather(edit(top), edit(below), *arriving, delete(top), reply(top))

        assert await database.fetch("SELECT id FROM comments") == []


async def test_replies_written_at_once_are_all_counted(api: Api) -> None:
    top = await api.write()
    await asyncio.gather(*(api.write(f"{number}", under=top) for number in range(30)))
    (entry,) = (await api.get(THREAD)).data
    assert entry["children_count"] == len(entry["children"]) == 30
