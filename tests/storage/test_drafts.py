"""Who may change a text, and when: every guard in the SQL of drafts."""

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from bot.domain.drafts import (
    Authored,
    Draft,
    DraftKind,
    DraftState,
    Outcome,
)
from storage.errors import NotUnique
from tests.storage.conftest import LATER, MEMBER, MUCH_LATER, NOW, STRANGER, YOUNGER, Kept


async def test_a_text_is_changed_until_it_is_sent(kept: Kept) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    assert await kept.drafts.take(draft, text="Too soon", now=NOW, until=LATER) is None
    await kept.drafts.release(draft, DraftState.OPEN, due_at=NOW)
    held = await kept.take(draft, "Better")
    assert held is not None
    assert held.text == "Better"

    sent = await kept.drafts.mark_sent(held, until=MUCH_LATER)

    assert sent is not None
    assert (sent.text, sent.state) == ("Better", DraftState.UNKNOWN)
    assert sent.arrives_until == MUCH_LATER
    await kept.drafts.release(sent, DraftState.UNKNOWN, due_at=NOW)
    assert await kept.take(draft, "Too late") is None
    assert await kept.take(draft) is not None
    assert await kept.found(other) == other


@pytest.mark.parametrize(
    ("state", "sent_by", "player_id"),
    [(DraftState.OPEN, 8, 8), (DraftState.UNKNOWN, 8, None), (DraftState.UNKNOWN, 7, 7)],
)
async def test_a_text_is_of_the_player_who_sent_it_but_of_nobody_where_two_may_have(
    kept: Kept, state: DraftState, sent_by: int, player_id: int | None
) -> None:
    draft = await kept.drafts.mark_sent(await kept.add(), until=LATER, player_id=7)
    assert draft is not None
    assert draft.player_id == 7
    await kept.drafts.release(draft, state, due_at=NOW)
    held = await kept.take(draft)
    assert held is not None

    sent = await kept.drafts.mark_sent(held, until=MUCH_LATER, player_id=sent_by)

    assert sent is not None
    assert sent.player_id == player_id


async def test_a_text_that_is_sent_again_may_be_in_the_game_again(kept: Kept) -> None:
    draft = await kept.add()
    await kept.drafts.release(draft, DraftState.OPEN, due_at=NOW)
    held = await kept.take(draft)
    assert held is not None
    assert held.state is DraftState.OPEN

    sent = await kept.drafts.mark_sent(held, until=MUCH_LATER)

    assert sent is not None
    assert sent.state is DraftState.UNKNOWN


async def test_whoever_was_taken_over_changes_nothing(kept: Kept) -> None:
    stale = await kept.add()
    taken = await kept.take(stale)
    assert taken is not None
    written = Authored(MEMBER, 99, 7, "Hello", NOW)
    outcome = Outcome(stale.id, DraftKind.REPLY, 7, NOW)

    assert await kept.drafts.become_post(stale) is None
    assert await kept.drafts.mark_sent(stale, until=MUCH_LATER) is None
    await kept.drafts.release(stale, DraftState.OPEN, due_at=NOW)
    await kept.drafts.settle(stale, written, outcome)
    await kept.drafts.note_told(stale)
    assert await kept.found(stale) == taken
    assert not await kept.untold.outcomes(MEMBER, oldest=NOW)
    # Whoever has it now finds the comment in the thread, and must not take it for an older one.
    assert await kept.authored.find(99) is None


async def test_a_settled_text_goes_and_its_comment_is_remembered(kept: Kept) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    written = Authored(MEMBER, 99, 7, "Hello", NOW)
    outcome = Outcome(draft.id, DraftKind.REPLY, 7, NOW)

    await kept.drafts.settle(draft, written, outcome)

    assert await kept.untold.outcomes(MEMBER, oldest=NOW) == [outcome]
    assert not await kept.untold.outcomes(STRANGER, oldest=NOW)
    assert not await kept.untold.outcomes(MEMBER, oldest=YOUNGER)
    assert await kept.found(draft) is None
    assert await kept.found(other) == other
    assert await kept.authored.find(99) == written


async def test_two_texts_do_not_become_the_same_comment(kept: Kept) -> None:
    first, second = await kept.add(), await kept.add()
    written = Authored(MEMBER, 99, 7, "Hello", NOW)
    await kept.drafts.settle(first, written)

    with pytest.raises(NotUnique):
        await kept.drafts.settle(second, written, Outcome(second.id, DraftKind.REPLY, 7, NOW))

    assert await kept.found(second) == second
    assert not await kept.untold.outcomes(MEMBER, oldest=NOW)
    # One that was kept later has it from the game, which gives each its number anew.
    third = await kept.add(now=LATER)
    await kept.drafts.settle(third, written)
    assert await kept.found(third) is None


async def test_a_released_text_keeps_its_state_and_can_be_taken_when_it_is_due(
    kept: Kept,
) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    await kept.drafts.release(draft, DraftState.OPEN, due_at=MUCH_LATER)

    released = await kept.found(draft)
    assert released is not None
    assert (released.state, released.claimed_by) == (DraftState.OPEN, "")
    assert released.arrives_until is None
    assert await kept.found(other) == other
    assert await kept.take(draft) is None


async def test_what_may_have_arrived_is_still_looked_for_from_its_first_sending(
    kept: Kept,
) -> None:
    draft = await kept.add()
    first, second = NOW - timedelta(hours=1), NOW - timedelta(minutes=1)

    async def send_again(state: DraftState, sent_at: datetime, newest: int) -> Draft:
        await kept.drafts.release(draft, state, due_at=NOW)
        taken = await kept.take(draft)
        assert taken is not None
        sent = await kept.drafts.mark_sent(taken, until=NOW, sent_at=sent_at, newest_before=newest)
        assert sent is not None
        await kept.drafts.release(sent, DraftState.UNKNOWN, due_at=NOW)
        return sent

    opened = await send_again(DraftState.OPEN, first, 5)
    assert (opened.sent_at, opened.newest_before) == (first, 5)
    unknown = await send_again(DraftState.UNKNOWN, second, 9)
    assert (unknown.sent_at, unknown.newest_before) == (first, 5)


async def test_left_behind_is_what_is_in_nobodys_hands(kept: Kept) -> None:
    sent, released, held = await kept.add(), await kept.add("Released"), await kept.add("Held")
    await kept.drafts.release(released, DraftState.UNKNOWN, due_at=NOW)
    await kept.drafts.release(held, DraftState.OPEN, due_at=NOW)
    await kept.drafts.take(held, now=NOW, until=MUCH_LATER)

    assert await kept.drafts.left_behind(now=NOW) == []
    assert await kept.drafts.left_behind(now=LATER) == [sent]


@pytest.mark.parametrize("kind", [DraftKind.EDIT, DraftKind.DELETE])
async def test_a_change_is_dropped_where_a_newer_one_of_its_comment_is_kept(
    kept: Kept, kind: DraftKind
) -> None:
    first = await kept.add(kind=DraftKind.EDIT)
    await kept.add("A reply to the same comment")
    await kept.add(kind=kind, member_id=STRANGER)
    assert not await kept.drafts.drop_overtaken(first)
    second = await kept.add(kind=kind)

    assert not await kept.drafts.drop_overtaken(second)
    assert not await kept.drafts.drop_overtaken(replace(first, claimed_by="another"))
    assert await kept.drafts.drop_overtaken(first)
    assert await kept.found(first) is None


async def test_a_change_that_is_made_drops_older_ones_that_were_left_behind(kept: Kept) -> None:
    left, waiting = await kept.add(kind=DraftKind.EDIT), await kept.add(kind=DraftKind.EDIT)
    await kept.drafts.release(waiting, DraftState.UNKNOWN, due_at=NOW)
    others = await kept.add(kind=DraftKind.EDIT, member_id=STRANGER)
    made, newer = await kept.add(kind=DraftKind.EDIT), await kept.add(kind=DraftKind.EDIT)

    await kept.drafts.settle(made, None, Outcome(made.id, DraftKind.EDIT, 7, NOW))

    assert await kept.found(left) is None
    assert await kept.drafts.find(others.id, STRANGER, oldest=NOW) == others
    # Of one that nobody sends by themselves, its writer decides.
    assert await kept.found(waiting) is not None
    assert await kept.found(newer) == newer


async def test_comments_that_its_writer_ruled_out_are_looked_at_no_more(kept: Kept) -> None:
    draft, other = await kept.add(), await kept.add("Another")

    for member, comment_id in ((MEMBER, 90), (MEMBER, 80), (STRANGER, 99)):
        await kept.drafts.rule_out(draft.id, member, comment_id)
    assert await kept.found(draft) == replace(draft, ruled_out=frozenset({80, 90}))
    assert await kept.found(other) == other


async def test_a_text_is_discarded_by_its_writer_unless_it_is_being_sent(kept: Kept) -> None:
    held, released = await kept.add(), await kept.add("Another")
    await kept.drafts.release(released, DraftState.OPEN, due_at=MUCH_LATER)

    assert not await kept.drafts.discard(held.id, MEMBER, now=NOW)
    assert not await kept.drafts.discard(released.id, STRANGER, now=NOW)
    assert await kept.drafts.discard(released.id, MEMBER, now=NOW)
    assert await kept.found(held) == held
    assert await kept.drafts.discard(held.id, MEMBER, now=LATER)


async def test_what_becomes_of_a_text_becomes_of_no_other(kept: Kept) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    sharing = "UPDATE drafts SET claimed_by = :holder"

    await kept.database.execute(sharing, holder=draft.claimed_by)
    await kept.drafts.note_told(draft)
    left = replace(other, claimed_by=draft.claimed_by)
    assert await kept.found(other) == left
    await kept.drafts.note_told(left)
    taken = await kept.take(draft)
    assert taken is not None
    await kept.database.execute(sharing, holder=taken.claimed_by)
    await kept.drafts.mark_sent(taken, until=MUCH_LATER)
    await kept.drafts.become_post(taken)
    await kept.drafts.settle(taken, None)
    assert await kept.found(other) == replace(left, claimed_by=taken.claimed_by, is_told=True)
