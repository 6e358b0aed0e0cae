"""Texts are kept sealed, so many of each member, for so long; and told once."""

from datetime import datetime, timedelta

from pydantic import SecretStr

from bot.domain.drafts import (
    MOST_KEPT,
    DraftKind,
    DraftState,
    NewDraft,
    Outcome,
)
from storage.drafts import Drafts
from storage.vault import Vault, new_key
from tests.storage.conftest import LATER, MEMBER, MUCH_LATER, NOW, STRANGER, YOUNGER, Kept


async def test_a_text_is_found_by_its_writer_for_a_day(kept: Kept) -> None:
    draft = await kept.add()
    await kept.add("Another")

    assert await kept.found(draft) == draft
    assert await kept.drafts.find(draft.id, STRANGER, oldest=NOW) is None
    assert await kept.drafts.find(draft.id, MEMBER, oldest=YOUNGER) is None


async def test_texts_of_a_member_are_listed_whether_they_are_sent_or_wait(kept: Kept) -> None:
    released, _ = await kept.add(), await kept.add("Held")
    await kept.drafts.release(released, DraftState.OPEN, due_at=MUCH_LATER)

    async def listed(member: int, oldest: datetime) -> list[str]:
        found = await kept.drafts.of_member(member, oldest=oldest)
        return sorted(draft.text for draft in found)

    assert await listed(MEMBER, NOW) == ["Held", "Hello"]
    assert await listed(STRANGER, NOW) == []
    assert await listed(MEMBER, YOUNGER) == []


async def test_a_member_keeps_twenty_texts(kept: Kept) -> None:
    # One whose time is over counts no more.
    await kept.add(now=NOW - timedelta(days=1))
    for _ in range(MOST_KEPT):
        await kept.add()

    assert await kept.try_to_add(NewDraft(MEMBER, DraftKind.POST, 7, None, "More")) is None
    assert await kept.try_to_add(NewDraft(STRANGER, DraftKind.POST, 7, None, "Other")) is not None


async def test_the_id_of_a_text_that_is_gone_is_never_given_to_another(kept: Kept) -> None:
    ids: set[int] = set()
    for _ in range(MOST_KEPT):
        draft = await kept.add()
        assert await kept.drafts.discard(draft.id, MEMBER, now=LATER)
        ids.add(draft.id)

    assert len(ids) == MOST_KEPT


async def test_a_text_that_is_copied_to_another_row_opens_for_nobody(kept: Kept) -> None:
    draft, other = await kept.add("Mine"), await kept.add("Also mine")
    await kept.database.execute(
        "UPDATE drafts SET sealed_text = (SELECT sealed_text FROM drafts WHERE id = :other)"
        " WHERE id = :id",
        other=other.id,
        id=draft.id,
    )

    found = await kept.found(draft)

    assert found is not None
    assert not found.is_readable
    assert not found.text


async def test_a_text_whose_key_is_gone_is_listed(kept: Kept) -> None:
    draft = await kept.add()
    others = Drafts(kept.database, Vault([SecretStr(new_key())]))

    (found,) = await others.of_member(MEMBER, oldest=NOW)

    assert found.id == draft.id
    assert not found.is_readable


async def test_a_text_is_told_once_and_again_when_it_was_taken_since(kept: Kept) -> None:
    draft = await kept.add()
    assert not draft.is_told

    await kept.drafts.note_told(draft)
    told = await kept.found(draft)
    assert told is not None
    assert told.is_told
    taken = await kept.take(draft)

    assert taken is not None
    assert not taken.is_told


async def test_an_outcome_is_forgotten_when_it_is_told_or_old(kept: Kept) -> None:
    for text in ("One", "Two"):
        draft = await kept.add(text)
        outcome = Outcome(draft.id, DraftKind.REPLY, 7, NOW)
        await kept.drafts.settle(draft, None, outcome)

    await kept.untold.remove_outcome(draft.id)
    assert len(await kept.untold.outcomes(MEMBER, oldest=NOW)) == 1
    assert not await kept.untold.outcomes(MEMBER, oldest=YOUNGER)
