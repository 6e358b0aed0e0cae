"""What moderators remove: one record, every public message, and nothing of other servers."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import MessageState
from storage.moderation import Subject
from storage.shown import ShownComment
from tests.support.clock import ManualClock
from tests.support.moderating import (
    CHANNEL,
    COMMENT,
    ELSEWHERE,
    HERE,
    MUTE,
    OTHER,
    PLAYER,
    REMOVAL,
    Bench,
)
from tests.support.shown import claim, shown_in


async def test_of_two_who_remove_a_comment_at_the_same_moment_one_does(bench: Bench) -> None:
    for comment_id in range(100, 110):
        one = replace(REMOVAL, subject=Subject(comment_id))
        done = await asyncio.gather(
            bench.removals.add(one), bench.removals.add(replace(one, moderator_id=6))
        )

        assert len({removal.id for removal in done}) == 1


async def test_a_page_posted_at_the_moment_of_a_removal_is_not_sent_or_owed(bench: Bench) -> None:
    for comment_id in range(100, 110):

        async def post(comment_id: int = comment_id) -> int | None:
            shown = [ShownComment(comment_id), ShownComment(OTHER)]
            shown_id = await claim(bench.shown, HERE, CHANNEL, shown)
            if shown_id is not None:
                await bench.shown.complete(shown_id, 1000 + comment_id, HERE)
            return shown_id

        shown_id, _ = await asyncio.gather(
            post(), bench.removals.add(replace(REMOVAL, subject=Subject(comment_id)))
        )

        assert shown_id is None or shown_id in await bench.owed()


async def test_a_message_with_a_hidden_comment_is_not_to_be_sent(bench: Bench) -> None:
    await bench.removals.add(REMOVAL)

    both = [ShownComment(OTHER), ShownComment(COMMENT)]
    assert await claim(bench.shown, HERE, CHANNEL, both) is None
    assert await claim(bench.shown, HERE, CHANNEL, [ShownComment(OTHER)]) is not None
    assert await claim(bench.shown, ELSEWHERE, CHANNEL, [ShownComment(COMMENT)]) is not None


async def test_a_mute_ends_by_itself_and_can_be_made_again(bench: Bench) -> None:
    until = bench.clock() + timedelta(days=1)
    await bench.removals.add(replace(MUTE, until=until))
    bench.clock.advance(timedelta(days=1))

    assert not (await bench.removals.hidden(HERE)).hides(COMMENT, PLAYER)
    over = await bench.removals.latest(HERE, MUTE.subject)
    assert over is not None
    assert (over.ended_at, over.ended_by) == (until, None)
    assert (await bench.removals.add(MUTE)).id != over.id
    assert (await bench.removals.hidden(HERE)).hides(OTHER, PLAYER)


async def test_a_removal_is_undone_once_and_brings_no_message_back(bench: Bench) -> None:
    shown = await bench.post(101, COMMENT)
    removal = await bench.removals.add(REMOVAL)

    assert await bench.removals.end(removal, 6)
    assert not await bench.removals.end(removal, 6)

    assert not (await bench.removals.hidden(HERE)).hides(COMMENT, PLAYER)
    assert await bench.owed() == [shown]
    again = await bench.removals.add(REMOVAL)
    assert again.id != removal.id
    assert again.case_id == removal.case_id


async def test_what_was_posted_before_a_mute_stays_where_that_is_asked(bench: Bench) -> None:
    shown = await bench.post(101, COMMENT)

    mute = await bench.removals.add(MUTE, deletes=False)
    assert not await bench.owed()
    assert (await bench.shown.progress(mute.id)).total == 0
    assert await claim(bench.shown, HERE, CHANNEL, [ShownComment(OTHER, PLAYER)]) is None

    assert (await bench.removals.add(MUTE)).id == mute.id
    assert await bench.owed() == [shown]
    assert (await bench.shown.progress(mute.id)).total == 1


async def test_a_deleted_comment_goes_everywhere_and_its_quotes_are_drawn_anew(
    bench: Bench,
) -> None:
    here = await bench.post(101, COMMENT, OTHER)
    there = await bench.post(102, COMMENT, guild_id=ELSEWHERE)
    quoting = [ShownComment(9), ShownComment(COMMENT, is_quoted=True)]
    quote = await claim(bench.shown, HERE, CHANNEL, quoting)
    assert quote is not None
    await bench.shown.complete(quote, 103, HERE)
    await bench.post(104, OTHER)

    async with bench.database.transaction() as transaction:
        await bench.outbox.remove(transaction, comment_id=COMMENT)

    assert await bench.owed() == [here, there]
    due = await bench.database.fetch("SELECT id FROM messages WHERE due_at IS NOT NULL ORDER BY id")
    assert [row["id"] for row in due] == [here, there, quote]


async def test_a_removal_waits_for_no_pause_of_an_edit(bench: Bench) -> None:
    shown = await bench.post(101, COMMENT)
    later = bench.clock() + timedelta(minutes=10)
    put_off = "UPDATE messages SET due_at = :later WHERE id = :shown"
    await bench.database.execute(put_off, later=later, shown=shown)

    await bench.removals.add(REMOVAL)

    assert await bench.owed() == [shown]
    assert await bench.outbox.next_due(after=bench.clock()) is None


@pytest.mark.parametrize("is_doubtful", [True, False])
async def test_of_what_may_be_posted_a_removal_waits_for_no_pause(
    bench: Bench, *, is_doubtful: bool
) -> None:
    shown = await bench.post(None, COMMENT)
    now = bench.clock()
    later = now + timedelta(minutes=10)
    # The first try lost its answer, or surely failed.
    await bench.database.execute(
        "UPDATE messages SET due_at = :later, state = 'owed', attempts = 1,"
        " attempted_at = :attempted_at WHERE id = :shown",
        later=later,
        attempted_at=now if is_doubtful else None,
        shown=shown,
    )

    await bench.removals.add(REMOVAL)

    assert await bench.owed() == [shown]
    due_at = await bench.outbox.next_due(after=now - timedelta(seconds=1))
    assert due_at == (now if is_doubtful else later)


@pytest.mark.parametrize(("message_id", "is_due"), [(101, True), (None, False)])
async def test_what_tells_a_member_of_it_is_redrawn_without_a_pause_once_it_is_there(
    bench: Bench, *, message_id: int | None, is_due: bool
) -> None:
    shown = await bench.post(message_id, COMMENT)
    now = bench.clock()
    later = now + timedelta(minutes=10)
    await bench.database.execute(
        "UPDATE messages SET member_id = 4242, channel_id = NULL, due_at = :later, state = 'owed'"
        " WHERE id = :shown",
        later=later,
        shown=shown,
    )

    async with bench.database.transaction() as transaction:
        await bench.outbox.remove(transaction, comment_id=COMMENT)

    assert await bench.owed() == []
    due_at = await bench.outbox.next_due(after=now - timedelta(seconds=1))
    assert due_at == (now if is_due else later)


async def test_progress_counts_what_waits_and_says_what_is_not_reached(bench: Bench) -> None:
    for number in (90, 91, 92, 93):
        await bench.post(number, COMMENT)
    await bench.post(None, COMMENT)
    removal = await bench.removals.add(REMOVAL)
    await settle(bench, 90, MessageState.REFUSED, "50013 missing permissions")
    await settle(bench, 91, MessageState.DROPPED)
    await settle(bench, 92, MessageState.SENT)

    progress = await bench.shown.progress(removal.id)

    assert (progress.total, progress.left, progress.done) == (5, 1, 2)
    lost, refused = await bench.shown.unreached(removal.id, 5)
    assert lost.message_id is None
    assert (refused.message_id, refused.reason) == (90, "50013 missing permissions")


async def test_a_log_channel_is_closed_for_its_server_alone(bench: Bench) -> None:
    for guild_id, channel_id in ((HERE, 50), (ELSEWHERE, 60)):
        await bench.settings.change(guild_id, log_channel_id=channel_id)

    for is_closed in (True, False):
        async with bench.database.transaction() as transaction:
            await bench.cases.save_log_state(transaction, 50, 1, is_closed=is_closed)
        assert (await bench.settings.find(HERE)).log_is_closed is is_closed
        assert not (await bench.settings.find(ELSEWHERE)).log_is_closed


@pytest.mark.parametrize("channel_id", [50, 60, None])
async def test_a_closed_log_is_open_once_one_is_named(bench: Bench, channel_id: int | None) -> None:
    await bench.settings.change(HERE, log_channel_id=50)
    async with bench.database.transaction() as transaction:
        await bench.cases.save_log_state(transaction, 50, 1, is_closed=True)
    assert (await bench.settings.change(HERE, kept_days=30)).log_is_closed

    await bench.settings.change(HERE, log_channel_id=channel_id)
    assert not (await bench.settings.find(HERE)).log_is_closed


async def settle(
    bench: Bench, message_id: int, state: MessageState, reason: str | None = None
) -> None:
    row = await bench.database.fetch_one(
        "SELECT key FROM messages WHERE message_id = :id", id=message_id
    )
    message = await bench.outbox.find(row["key"]) if row else None
    assert message is not None
    kept = message_id if state is MessageState.REFUSED else None
    async with bench.database.transaction() as transaction:
        assert await bench.outbox.settle(
            transaction, message, state, message_id=kept, reason=reason
        )


async def test_what_a_message_only_quotes_is_not_among_what_it_shows(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        shown = shown_in(database)
        comments = [
            ShownComment(7, 70, 3),
            ShownComment(6, 60, 3, is_quoted=True),
            ShownComment(8, 80, 3),
            # The game may repeat an id.
            ShownComment(8, 80, 3),
        ]
        record = await claim(shown, 1, 2, comments)
        assert record is not None
        await shown.complete(record, 99, 1)

        assert await shown.shown_in(99) == [ShownComment(8, 80, 3), ShownComment(7, 70, 3)]
        (showing,) = await shown.showing(1, Subject(6))
        assert (showing.channel_id, showing.message_id, showing.thread_id) == (2, 99, 3)


async def test_a_press_counts_once_until_it_is_taken_back(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        clock = ManualClock()
        shown = shown_in(database, clock)
        first = await shown.outbox.begin_posting("card:button", 1, 2)
        assert first is not None
        assert await shown.outbox.begin_posting("card:another", 1, 2)
        await shown.complete(first, 99, 1)
        clock.advance(86_400)
        assert await shown.outbox.begin_posting("card:button", 1, 2) is None

        await shown.outbox.forget(99)

        assert await shown.outbox.begin_posting("card:button", 1, 2)


async def test_a_press_that_failed_or_crashed_can_be_made_again(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        clock = ManualClock()
        shown = shown_in(database, clock)
        await shown.outbox.begin_posting("crashed", 1, 2)
        failed = await shown.outbox.begin_posting("failed", None, 2)
        assert failed is not None
        await shown.outbox.free(failed)

        assert await shown.outbox.begin_posting("failed", None, 2)
        clock.advance(30)
        assert await shown.outbox.begin_posting("crashed", 1, 2) is None
        clock.advance(90)
        assert await shown.outbox.begin_posting("crashed", 1, 2)
        clock.advance(30)
        assert await shown.outbox.begin_posting("crashed", 1, 2) is None
