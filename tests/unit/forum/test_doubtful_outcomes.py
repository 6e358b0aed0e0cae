"""Where nobody can say what became of a text, nothing is lost and nothing is sent twice."""

import asyncio

import pytest
from msgspec.structs import replace

from bot.domain.drafts import MOST_KEPT, DraftKind, NewDraft
from bot.features.errors import (
    ArrivalUnknown,
    DraftBusy,
    GivenBack,
    IsItYours,
    NotArrived,
    NotKept,
    TooManyUnsent,
    Unsent,
)
from tests.support.faulty_proxy import Fault, is_read, is_write
from tests.unit.forum.conftest import MEMBER, STRANGER, Desk

# As good as a full disk, on either engine.
TAKE_AWAY, GIVE_BACK = "ALTER TABLE {} RENAME TO away", "ALTER TABLE away RENAME TO {}"


async def write_in_game(desk: Desk, text: str, *, count: int = 1) -> None:
    """Let the stranger write comments that Kiosk does not know of."""
    for _ in range(count):
        await desk.post(text, member=STRANGER)
    await desk.database.execute("DELETE FROM authored")


async def test_a_text_is_given_back_though_the_database_cant_say_which_comments_are_known(
    desk: Desk,
) -> None:
    await desk.post("Hello")
    await desk.database.execute(TAKE_AWAY.format("authored"))

    given_back = await desk.lose("Good morning")

    assert isinstance(given_back.cause, ArrivalUnknown)
    await desk.database.execute(GIVE_BACK.format("authored"))
    desk.let_arrive()
    await desk.retry(MEMBER, given_back.draft.id)
    assert await desk.texts() == ["Hello", "Good morning"]


async def test_a_comment_that_its_writer_says_is_not_theirs_does_not_stop_the_text(
    desk: Desk,
) -> None:
    await desk.look()
    # Kiosk doesn't know yet who the member is in the game.
    draft = (await desk.lose("Good morning")).draft
    await write_in_game(desk, "Good morning")
    desk.let_arrive()

    with pytest.raises(Unsent) as doubtful:
        await desk.retry(MEMBER, draft.id)
    assert isinstance(doubtful.value.cause, IsItYours)
    await desk.writing.rule_out(MEMBER, draft.id, doubtful.value.cause.comment.id)
    await desk.retry(MEMBER, draft.id)

    assert await desk.texts() == ["Good morning", "Good morning"]


async def test_an_older_comment_of_the_same_words_is_not_taken_for_the_lost_one(
    desk: Desk,
) -> None:
    await write_in_game(desk, "First!")
    await desk.look()

    lost = await desk.lose("First!")

    assert isinstance(lost.cause, NotArrived)


async def test_a_text_is_found_below_many_newer_comments(desk: Desk) -> None:
    await desk.post("Hello")
    await desk.look()
    lost = await desk.leave_unknown("Deep down")
    assert isinstance(lost.cause, ArrivalUnknown)
    await write_in_game(desk, "Newer", count=80)
    desk.let_arrive()

    await desk.retry(MEMBER, lost.draft.id)

    assert (await desk.texts()).count("Deep down") == 1


async def test_a_text_always_has_a_way_out(desk: Desk) -> None:
    draft = (await desk.lose("Let me out")).draft
    desk.let_arrive()

    with desk.proxy.failing(Fault.LOST_REQUEST, is_read):
        with pytest.raises(Unsent) as unknown:
            await desk.retry(MEMBER, draft.id)
        assert isinstance(unknown.value.cause, ArrivalUnknown)
        await desk.retry(MEMBER, draft.id, is_sure=True)

    assert await desk.texts() == ["Let me out"]


async def test_a_second_edit_waits_for_the_first(desk: Desk) -> None:
    posted = await desk.post("Frist!")
    assert posted.comment is not None

    def edit(text: str) -> NewDraft:
        comment_id = posted.comment and posted.comment.id
        return NewDraft(MEMBER, DraftKind.EDIT, desk.thread_id, comment_id, text)

    async with desk.proxy.leaving.closed(lambda passing: passing.method == "PUT") as gate:
        first = asyncio.ensure_future(desk.write(edit("First?")))
        await gate.arrival()
        second = asyncio.ensure_future(desk.write(edit("First!")))
        # By then the second would have arrived.
        await desk.post("Hello")
        assert await desk.texts() == ["First?", "Hello"]
        gate.open()
        await asyncio.gather(first, second)

    assert await desk.texts() == ["First!", "Hello"]


async def test_an_edit_that_was_left_behind_is_dropped_once_a_newer_one_is_made(
    desk: Desk,
) -> None:
    posted = await desk.post("Frist!")
    assert posted.comment is not None
    edit = NewDraft(MEMBER, DraftKind.EDIT, desk.thread_id, posted.comment.id, "First?")
    # By a process that was killed before it sent it.
    await desk.keep(edit)
    await desk.write(replace(edit, text="First!"))
    desk.let_arrive()

    await desk.writing.sender.look_for_left_behind()

    assert not await desk.writing.unsent(MEMBER)
    assert await desk.texts() == ["First!"]


async def test_what_the_game_answered_is_told_though_it_cant_be_written_down(
    desk: Desk,
) -> None:
    await desk.post("Now you know me")
    await desk.database.execute(TAKE_AWAY.format("authored"))

    written = await desk.post("Taken")

    assert written.comment is not None
    # As after a crash, the text is found in its thread.
    await desk.database.execute(GIVE_BACK.format("authored"))
    desk.let_arrive()
    await desk.writing.sender.look_for_left_behind()
    assert not await desk.writing.unsent(MEMBER)
    assert await desk.texts() == ["Now you know me", "Taken"]


async def test_a_text_that_cannot_be_written_down_is_given_back_and_not_sent(
    desk: Desk,
) -> None:
    await desk.database.execute(TAKE_AWAY.format("drafts"))

    with pytest.raises(GivenBack) as given:
        await desk.post("Typed with care")

    assert given.value.text == "Typed with care"
    assert isinstance(given.value.cause, NotKept)
    assert await desk.texts() == []
    await desk.database.execute(GIVE_BACK.format("drafts"))


async def test_the_twenty_first_unsent_text_is_given_back(desk: Desk) -> None:
    with desk.proxy.failing(Fault.LOST_REQUEST, is_write):
        for number in range(MOST_KEPT):
            with pytest.raises(Unsent):
                await desk.post(f"Text {number}")
        with pytest.raises(GivenBack) as given:
            await desk.post("One more")

    assert given.value.text == "One more"
    assert isinstance(given.value.cause, TooManyUnsent)
    await desk.post("Not mine", member=STRANGER)


async def test_a_deletion_leaves_a_record_until_its_outcome_is_known(desk: Desk) -> None:
    posted = await desk.post("Regrettable")
    assert posted.comment is not None
    await desk.writing.note_told(posted)
    deletion = NewDraft(MEMBER, DraftKind.DELETE, desk.thread_id, posted.comment.id, "")

    with desk.proxy.failing(Fault.LOST_REQUEST, is_write), pytest.raises(Unsent) as lost:
        await desk.write(deletion)
    (kept,) = await desk.writing.unsent(MEMBER)
    assert kept.kind is DraftKind.DELETE
    deleted = await desk.retry(MEMBER, lost.value.draft.id)

    assert deleted.kind is DraftKind.DELETE
    assert await desk.texts() == []
    desk.writing.let_go(kept)
    assert [one.kind for one in (await desk.writing.news(MEMBER)).outcomes] == [DraftKind.DELETE]


async def test_a_text_that_was_taken_over_before_it_was_sent_is_not(desk: Desk) -> None:
    held = await desk.keep(NewDraft(MEMBER, DraftKind.POST, desk.thread_id, None, "Too late"))
    desk.let_arrive()
    await desk.writing.take(MEMBER, held.id)

    with pytest.raises(DraftBusy):
        await desk.writing.sender.send(held)

    assert await desk.texts() == []
