"""Every guard in the SQL of drafts."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.domain.drafts import Authored, Draft, DraftKind, DraftState, NewDraft
from storage import MIGRATIONS
from storage.authored import AuthoredComments
from storage.database import open_database
from storage.drafts import Drafts
from storage.vault import Vault, new_key

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=45)
MUCH_LATER = LATER + timedelta(seconds=45)
YOUNGER = NOW + timedelta(microseconds=1)
MEMBER, STRANGER = 1, 2


@dataclass
class Kept:
    drafts: Drafts
    authored: AuthoredComments

    async def add(self, text: str = "Hello") -> Draft:
        new = NewDraft(MEMBER, DraftKind.REPLY, 7, 8, text)
        return await self.drafts.add(new, now=NOW, until=LATER)

    async def take(self, draft: Draft, text: str = "Hello") -> Draft | None:
        return await self.drafts.take(draft, text=text, now=LATER, until=MUCH_LATER)

    async def found(self, draft: Draft) -> Draft | None:
        return await self.drafts.find(draft.id, MEMBER, oldest=NOW)


@pytest.fixture
async def kept(address: str) -> AsyncGenerator[Kept]:
    vault = Vault([SecretStr(new_key())])
    async with open_database(address, MIGRATIONS) as opened:
        yield Kept(Drafts(opened, vault), AuthoredComments(opened))


async def test_a_text_is_found_by_its_writer_for_a_day(kept: Kept) -> None:
    draft = await kept.add()
    await kept.add("Another")

    assert await kept.found(draft) == draft
    assert await kept.drafts.find(draft.id, STRANGER, oldest=NOW) is None
    assert await kept.drafts.find(draft.id, MEMBER, oldest=YOUNGER) is None


async def test_texts_wait_while_nobody_sends_them(kept: Kept) -> None:
    released, _ = await kept.add(), await kept.add("Held")
    await kept.drafts.release(released, DraftState.OPEN, due_at=MUCH_LATER)

    async def waiting(member: int, now: datetime, oldest: datetime) -> list[str]:
        found = await kept.drafts.waiting(member, now=now, oldest=oldest)
        return sorted(draft.text for draft in found)

    assert await waiting(MEMBER, NOW, NOW) == ["Hello"]
    assert await waiting(MEMBER, LATER, NOW) == ["Held", "Hello"]
    assert await waiting(STRANGER, LATER, NOW) == []
    assert await waiting(MEMBER, LATER, YOUNGER) == []


async def test_another_text_that_is_taken_is_not_yet_what_was_sent(kept: Kept) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    held = await kept.take(draft, "Better")
    assert held is not None
    assert (held.text, held.sent) == ("Better", "Hello")

    sent = await kept.drafts.mark_sent(held, until=MUCH_LATER)

    assert sent is not None
    assert (sent.text, sent.sent, sent.state) == ("Better", "Better", DraftState.UNKNOWN)
    assert await kept.found(other) == other


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

    assert await kept.drafts.mark_sent(stale, until=MUCH_LATER) is None
    await kept.drafts.release(stale, DraftState.OPEN, due_at=NOW)
    await kept.drafts.settle(stale, written)
    assert await kept.found(stale) == taken
    # Whoever has it now finds the comment in the thread, and must not take it for an older one.
    assert await kept.authored.find(99) is None


async def test_a_settled_text_goes_and_its_comment_is_remembered(kept: Kept) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    written = Authored(MEMBER, 99, 7, "Hello", NOW)

    await kept.drafts.settle(draft, written)

    assert await kept.found(draft) is None
    assert await kept.found(other) == other
    assert await kept.authored.find(99) == written


async def test_a_released_text_keeps_its_state_and_can_be_taken_when_it_is_due(
    kept: Kept,
) -> None:
    draft, other = await kept.add(), await kept.add("Another")
    released = await kept.drafts.release(draft, DraftState.OPEN, due_at=MUCH_LATER)

    assert await kept.found(draft) == released
    assert await kept.found(other) == other
    assert await kept.take(draft) is None


async def test_what_was_left_behind_is_given_up_once_and_by_its_writer(kept: Kept) -> None:
    draft = await kept.add()
    done = await kept.add("Done with")
    await kept.drafts.release(done, DraftState.OPEN, due_at=NOW)

    assert not await kept.drafts.give_up(MEMBER, now=NOW, oldest=NOW)
    assert not await kept.drafts.give_up(STRANGER, now=LATER, oldest=NOW)
    assert not await kept.drafts.give_up(MEMBER, now=LATER, oldest=YOUNGER)
    assert await kept.drafts.give_up(MEMBER, now=LATER, oldest=NOW)
    assert not await kept.drafts.give_up(MEMBER, now=LATER, oldest=NOW)
    assert await kept.drafts.mark_sent(draft, until=MUCH_LATER) is None


async def test_giving_up_takes_nothing_from_who_is_at_work(kept: Kept) -> None:
    left, _ = await kept.add(), await kept.add("Another")
    working = await kept.take(left)
    assert working is not None

    assert await kept.drafts.give_up(MEMBER, now=LATER, oldest=NOW)
    assert await kept.found(working) == working


async def test_a_text_is_discarded_by_its_writer_unless_it_is_being_sent(kept: Kept) -> None:
    held, released = await kept.add(), await kept.add("Another")
    await kept.drafts.release(released, DraftState.OPEN, due_at=MUCH_LATER)

    assert not await kept.drafts.discard(held.id, MEMBER, now=NOW)
    assert not await kept.drafts.discard(released.id, STRANGER, now=NOW)
    assert await kept.drafts.discard(released.id, MEMBER, now=NOW)
    assert await kept.found(held) == held
    assert await kept.drafts.discard(held.id, MEMBER, now=LATER)


async def test_old_texts_are_purged(kept: Kept) -> None:
    await kept.add()

    assert await kept.drafts.purge(oldest=NOW) == 0
    assert await kept.drafts.purge(oldest=YOUNGER) == 1
