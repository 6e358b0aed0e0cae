"""A member is told of a text once: by a message that is owed, or at a command before it left."""

from datetime import timedelta

import pytest

from bot.domain.drafts import Draft, DraftKind, DraftState, Outcome
from storage.messages import Message, Messages
from storage.outcomes import Untold
from tests.storage.conftest import LATER, MEMBER, MUCH_LATER, NOW, STRANGER, Kept

SOON = LATER + timedelta(seconds=1)


@pytest.fixture
def outbox(kept: Kept) -> Messages:
    return Messages(kept.database, lambda: MUCH_LATER)


@pytest.fixture
def untold(kept: Kept, outbox: Messages) -> Untold:
    return Untold(kept.database, outbox)


async def left_behind(kept: Kept, member_id: int = MEMBER) -> Draft:
    """Leave a text whose sending was cut off, and that another process has looked for."""
    draft = await kept.add(member_id=member_id)
    held = await kept.drafts.take(draft, now=LATER, until=MUCH_LATER)
    assert held is not None
    await kept.drafts.release(held, DraftState.UNKNOWN, due_at=LATER)
    found = await kept.found(draft)
    assert found is not None
    return found


async def arrived(kept: Kept) -> Outcome:
    draft = await kept.add()
    outcome = Outcome(draft.id, DraftKind.REPLY, 7, LATER)
    await kept.drafts.settle(draft, None, outcome)
    return outcome


async def owed(untold: Untold, outbox: Messages) -> list[Message]:
    await untold.owe(before=SOON, oldest=NOW)
    rows = await untold_rows(outbox)
    return [entry for row in rows if (entry := await outbox.find(row))]


async def untold_rows(outbox: Messages) -> list[str]:
    async with outbox.transaction() as transaction:
        rows = await transaction.fetch("SELECT key FROM messages WHERE due_at IS NOT NULL")
    return [row["key"] for row in rows]


async def note_told(untold: Untold, outbox: Messages, entry: Message) -> None:
    async with outbox.transaction() as transaction:
        await untold.note_told(transaction, entry)


async def test_each_is_owed_once_while_it_stands_as_it_does(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    draft, outcome = await left_behind(kept), await arrived(kept)

    await untold.owe(before=SOON, oldest=NOW)
    entries = await owed(untold, outbox)

    assert {entry.payload["draft"] for entry in entries} == {draft.id, outcome.id}
    assert {entry.member_id for entry in entries} == {MEMBER}


async def test_what_was_told_is_in_somebodys_hands_or_is_recent_is_not_owed(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    await kept.add()
    await kept.drafts.note_told(await left_behind(kept))
    await left_behind(kept)

    await untold.owe(before=LATER - timedelta(seconds=1), oldest=NOW)
    assert await untold_rows(outbox) == []
    assert len(await owed(untold, outbox)) == 1


async def test_the_bounds_of_what_is_owed_count_themselves(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    outcome = await arrived(kept)

    await untold.owe(before=outcome.created_at, oldest=outcome.created_at)

    assert await untold_rows(outbox) == [f"outcome {outcome.id}"]
    assert await untold.outcomes(MEMBER, oldest=outcome.created_at) == [outcome]


async def test_what_is_told_at_a_command_is_sent_no_more(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    draft, outcome = await left_behind(kept), await arrived(kept)
    await owed(untold, outbox)

    assert await untold.take_back(draft)
    assert await untold.take_back(outcome)

    assert await owed(untold, outbox) == []


async def test_what_is_being_sent_is_not_told_at_a_command(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    outcome = await arrived(kept)
    (entry,) = await owed(untold, outbox)
    async with outbox.transaction() as transaction:
        assert await outbox.claim(transaction, entry, now=SOON)

    assert not await untold.take_back(outcome)


async def test_one_message_stands_for_all_texts_that_wait(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    for member_id in (MEMBER, MEMBER, STRANGER):
        await left_behind(kept, member_id)
    first, second, strangers = await owed(untold, outbox)

    assert await untold.is_text_left(first)
    await note_told(untold, outbox, first)

    assert not await untold.is_text_left(second)
    assert await untold.is_text_left(strangers)


async def test_an_outcome_that_was_told_is_gone(
    kept: Kept, untold: Untold, outbox: Messages
) -> None:
    outcome = await arrived(kept)
    (entry,) = await owed(untold, outbox)
    assert await untold.outcome(entry) == outcome

    await note_told(untold, outbox, entry)

    assert await untold.outcome(entry) is None
