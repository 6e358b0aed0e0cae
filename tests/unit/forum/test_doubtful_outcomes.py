"""Where nobody can say what became of a text, nothing is lost and nothing is sent twice."""

import asyncio
from datetime import timedelta

import pytest

from bot.domain.drafts import MOST_KEPT, DraftKind, NewDraft
from bot.features.errors import (
    ArrivalUnknown,
    DraftGone,
    GivenBack,
    IsItYours,
    MayStillArrive,
    NotArrived,
    NotKept,
    TooManyUnsent,
    Unsent,
)
from tests.support.commits import until_none
from tests.support.faulty_proxy import Fault, is_read, is_write
from tests.unit.forum.conftest import MEMBER, STRANGER, Desk, impatient

# As good as a full disk, on either engine.
TAKE_AWAY, GIVE_BACK = "ALTER TABLE {} RENAME TO away", "ALTER TABLE away RENAME TO {}"


async def write_in_game(desk: Desk, text: str, *, count: int = 1) -> None:
    """Let the stranger write comments that Kiosk does not know of."""
    for _ in range(count):
        await desk.post(text, member=STRANGER)
    await desk.database.execute("DELETE FROM authored")


async def test_a_comment_that_a_game_has_changed_beyond_knowing_is_shown_to_its_writer(
    desk: Desk,
) -> None:
    await desk.post("Hello")
    lost = await desk.leave_unknown("You are a fool")
    await desk.game.database.execute(
        "UPDATE comments SET content = '[removed by a filter]' WHERE content LIKE 'You%'"
    )
    draft = lost.draft
    desk.let_arrive()

    with pytest.raises(Unsent) as doubtful:
        await desk.retry(MEMBER, draft.id)
    assert isinstance(doubtful.value.cause, IsItYours)
    seen = doubtful.value.cause.comment
    assert seen.content == "[removed by a filter]"
    held = await desk.writing.take(MEMBER, draft.id)
    await desk.writing.sender.settle_as(held, seen.id)

    assert await desk.texts() == ["Hello", "[removed by a filter]"]
    assert not await desk.writing.unsent(MEMBER)


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
    await desk.post("Hello")
    draft = (await desk.lose("Good morning")).draft
    # The member writes something else in the game itself.
    await desk.post("In the game")
    await desk.database.execute(
        "DELETE FROM authored WHERE comment_id = (SELECT MAX(comment_id) FROM authored)"
    )
    desk.let_arrive()

    with pytest.raises(Unsent) as doubtful:
        await desk.retry(MEMBER, draft.id)
    assert isinstance(doubtful.value.cause, IsItYours)
    await desk.writing.rule_out(MEMBER, draft.id, doubtful.value.cause.comment.id)
    await desk.retry(MEMBER, draft.id)

    assert await desk.texts() == ["Hello", "In the game", "Good morning"]


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


@impatient
async def test_a_second_edit_waits_for_the_first(desk: Desk) -> None:
    posted = await desk.post("Frist!")
    assert posted.comment is not None

    def edit(text: str) -> NewDraft:
        comment_id = posted.comment and posted.comment.id
        return NewDraft(MEMBER, DraftKind.EDIT, desk.thread_id, comment_id, text)

    async with desk.proxy.arriving.closed(is_write) as gate:
        first = asyncio.ensure_future(desk.write(edit("First?")))
        await gate.arrival()
        second = asyncio.ensure_future(desk.write(edit("First!")))
        # The game gets to see the first one after Kiosk has stopped waiting for it.
        with pytest.raises(Unsent):
            await first
        with pytest.raises(Unsent) as early:
            await second
        assert isinstance(early.value.cause, MayStillArrive)
        gate.open()
        await desk.proxy.quiet()
    assert await desk.texts() == ["First?"]
    desk.let_arrive()
    await desk.retry(MEMBER, early.value.draft.id)

    assert await desk.texts() == ["First!"]


async def test_what_the_game_answered_is_kept_until_it_can_be_written_down(desk: Desk) -> None:
    await desk.database.execute(TAKE_AWAY.format("authored"))

    written = await desk.post("Taken")

    assert written.comment is not None
    assert not await desk.writing.unsent(MEMBER)
    (held,) = await desk.database.fetch("SELECT id FROM drafts")
    with pytest.raises(DraftGone):
        await desk.retry(MEMBER, held["id"])
    await desk.database.execute(GIVE_BACK.format("authored"))
    await until_none(desk.database, "SELECT id FROM drafts")
    assert await desk.texts() == ["Taken"]


async def test_what_could_not_be_written_down_is_when_the_program_ends(desk: Desk) -> None:
    await desk.database.execute(TAKE_AWAY.format("authored"))
    await desk.post("Taken")
    await desk.database.execute(GIVE_BACK.format("authored"))

    await desk.tasks.close()

    assert not await desk.database.fetch("SELECT id FROM drafts")


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


async def test_a_text_is_not_sent_once_its_time_for_sending_is_over(desk: Desk) -> None:
    held = await desk.keep(NewDraft(MEMBER, DraftKind.POST, desk.thread_id, None, "Too late"))
    # Ten of the lease's seconds are for sending, the others for what was sent to arrive.
    desk.clock.advance(timedelta(seconds=11))

    with pytest.raises(Unsent):
        await desk.writing.sender.send(held)

    assert await desk.texts() == []
