"""A text is posted once, whoever presses when, and however late the game is."""

import asyncio
from datetime import timedelta

import pytest

from bot.errors import KioskError
from bot.features.errors import (
    ArrivalUnknown,
    DraftBusy,
    DraftGone,
    IsItYours,
    MayStillArrive,
    NotArrived,
    Unsent,
)
from bot.features.forum.settling import Written
from tests.support.faulty_proxy import Fault, is_write
from tests.unit.forum.conftest import MEMBER, STRANGER, Desk, impatient


async def test_of_many_retries_at_once_one_posts(desk: Desk) -> None:
    draft = (await desk.lose("Only once")).draft
    desk.let_arrive()

    outcomes = await asyncio.gather(
        *(desk.retry(MEMBER, draft.id) for _ in range(10)), return_exceptions=True
    )

    assert sum(isinstance(outcome, Written) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, DraftBusy | DraftGone) for outcome in outcomes) == 9
    assert await desk.texts() == ["Only once"]


async def test_a_text_that_is_being_sent_is_neither_sent_nor_discarded_by_another(
    desk: Desk,
) -> None:
    draft = (await desk.lose("On its way")).draft
    desk.let_arrive()

    async with desk.proxy.arriving.closed(lambda passing: True) as gate:
        first = asyncio.ensure_future(desk.retry(MEMBER, draft.id))
        await gate.arrival()
        with pytest.raises(DraftBusy):
            await desk.retry(MEMBER, draft.id)
        with pytest.raises(DraftBusy):
            await desk.writing.discard(MEMBER, draft.id)
        gate.open()
        await first

    assert await desk.texts() == ["On its way"]


@impatient
async def test_a_game_that_was_too_slow_is_given_time_before_the_text_is_sent_again(
    desk: Desk,
) -> None:
    await desk.post("Hello")
    async with desk.proxy.arriving.closed(is_write) as gate:
        with pytest.raises(Unsent) as late:
            await desk.post("Slow but sure")
        assert isinstance(late.value.cause, NotArrived)
        for is_sure in (False, True):
            with pytest.raises(Unsent) as early:
                await desk.retry(MEMBER, late.value.draft.id, is_sure=is_sure)
            assert isinstance(early.value.cause, MayStillArrive)
        desk.clock.advance(timedelta(minutes=4))
        with pytest.raises(Unsent) as early:
            await desk.retry(MEMBER, late.value.draft.id)
        assert isinstance(early.value.cause, MayStillArrive)
        # Now the game takes what it was sent, long after Kiosk stopped waiting.
        gate.open()
        await desk.proxy.quiet()

    written = await desk.retry(MEMBER, late.value.draft.id)

    assert written.comment is not None
    assert await desk.texts() == ["Hello", "Slow but sure"]


async def test_a_cancelled_command_does_not_leave_a_text_half_sent(desk: Desk) -> None:
    async with desk.proxy.leaving.closed(is_write) as gate:
        posting = asyncio.ensure_future(desk.post("Goes on"))
        await gate.arrival()
        posting.cancel()
        gate.open()
    await desk.tasks.close()

    assert await desk.texts() == ["Goes on"]
    assert not await desk.writing.unsent(MEMBER)


async def test_a_text_whose_sender_died_waits_for_the_hold_to_run_out(desk: Desk) -> None:
    draft = (await desk.lose("Orphan")).draft
    await desk.database.execute("UPDATE drafts SET claimed_by = 'gone', due_at = due_at + 45000000")

    with pytest.raises(DraftBusy):
        await desk.retry(MEMBER, draft.id)
    desk.let_arrive()
    await desk.retry(MEMBER, draft.id)

    assert await desk.texts() == ["Orphan"]


async def test_an_unsent_text_is_kept_for_a_day(desk: Desk) -> None:
    draft = (await desk.lose("Yesterday's news")).draft

    desk.clock.advance(timedelta(hours=23))
    assert await desk.writing.unsent(MEMBER)

    desk.clock.advance(timedelta(hours=2))
    assert not await desk.writing.unsent(MEMBER)
    with pytest.raises(DraftGone):
        await desk.retry(MEMBER, draft.id)


async def test_nobody_sends_the_text_of_another(desk: Desk) -> None:
    draft = (await desk.lose("Mine")).draft

    with pytest.raises(DraftGone):
        await desk.retry(MEMBER + 1, draft.id)


async def test_a_text_that_changed_while_the_game_was_silent_is_kept_as_it_was_changed(
    desk: Desk,
) -> None:
    await desk.accounts.unlink(MEMBER)
    with pytest.raises(Unsent) as unlinked:
        await desk.post("First words")
    await desk.accounts.link(MEMBER, desk.tokens[MEMBER], [1])

    with desk.proxy.failing(Fault.LOST_REQUEST, lambda _: True), pytest.raises(KioskError):
        await desk.retry(MEMBER, unlinked.value.draft.id, text="Better words")

    assert [kept.text for kept in await desk.writing.unsent(MEMBER)] == ["Better words"]


async def test_an_answer_in_another_success_code_without_a_body_counts_as_posted(
    desk: Desk,
) -> None:
    await desk.post("Hello")
    with desk.proxy.failing(Fault.CUT_ANSWER, is_write):
        written = await desk.post("Taken")

    assert written.comment is not None
    assert await desk.texts() == ["Hello", "Taken"]
    assert not await desk.writing.unsent(MEMBER)


async def test_a_members_first_comment_is_shown_to_them_as_their_player_is_not_known(
    desk: Desk,
) -> None:
    with (
        desk.proxy.failing(Fault.LOST_ANSWER, is_write),
        pytest.raises(Unsent) as doubtful,
    ):
        await desk.post("Hello")

    assert isinstance(doubtful.value.cause, IsItYours)
    assert doubtful.value.cause.comment.player.screen_name == "Juniper"


async def test_the_same_words_of_a_stranger_are_not_taken_for_a_members_first_comment(
    desk: Desk,
) -> None:
    for text in ("Good morning", "Good night"):
        await desk.post(text, member=STRANGER)
    # As if the stranger had written them in the game, last year.
    await desk.database.execute("DELETE FROM authored")
    await desk.game.database.execute("UPDATE comments SET created_at = 1700000000000000")

    lost = await desk.lose("Good morning")

    assert isinstance(lost.cause, NotArrived)


async def test_of_two_texts_of_the_same_words_one_that_arrived_counts_for_one(desk: Desk) -> None:
    await desk.post("Good morning")
    await desk.look()
    async with desk.proxy.leaving.closed(is_write) as gate:
        # It has arrived; nobody knows of it yet.
        first = asyncio.ensure_future(desk.post("Hello"))
        await gate.arrival()
        with desk.proxy.failing(Fault.LOST_REQUEST, is_write):
            second = await desk.post("Hello")
        gate.open()
        with pytest.raises(Unsent) as unknown:
            await first

    assert second.comment is not None
    assert isinstance(unknown.value.cause, ArrivalUnknown)
    assert await desk.texts() == ["Good morning", "Hello"]


async def test_a_strangers_comment_of_the_same_words_is_not_taken_for_a_members_first(
    desk: Desk,
) -> None:
    await desk.post("First!", member=STRANGER)
    await desk.database.execute("DELETE FROM authored")
    # As if the stranger had written it in the game just then.
    await desk.game.database.execute("UPDATE comments SET created_at = created_at + 2000000")

    assert isinstance((await desk.lose("First!")).cause, IsItYours)


async def test_a_process_that_stood_still_while_it_held_a_text_does_not_send_it(
    desk: Desk,
) -> None:
    # As if the whole lease went by between each step and the next.
    desk.clock.pace = timedelta(seconds=45)
    with pytest.raises(Unsent) as lost:
        await desk.post("Too late")

    assert isinstance(lost.value.cause, DraftBusy)
    assert await desk.texts() == []


async def test_a_text_that_was_taken_over_is_not_forgotten_by_whoever_held_it_before(
    desk: Desk,
) -> None:
    async with desk.proxy.leaving.closed(is_write) as gate:
        posting = asyncio.ensure_future(desk.post("Slow"))
        await gate.arrival()
        await desk.database.execute("UPDATE drafts SET claimed_by = 'another'")
        gate.open()
        await posting

    (row,) = await desk.database.fetch("SELECT claimed_by FROM drafts")
    assert row["claimed_by"] == "another"
    assert await desk.texts() == ["Slow"]
