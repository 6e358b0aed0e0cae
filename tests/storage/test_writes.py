"""What members wrote is kept, sealed and sealed again."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import SecretStr

from storage.messages import Messages, NewMessage, Priority
from storage.storage_errors import NotUnique
from storage.vault import Vault, VaultError, new_key
from storage.writes import LEASE, MAX_TEXTS, TEXT_KEPT, Text, WriteKind, Writes, WriteState
from tests.storage.conftest import LATER, MEMBER, NOW, STRANGER, Kept


async def test_what_is_heard_twice_is_kept_once_even_where_it_was_discarded(kept: Kept) -> None:
    held = await kept.add()
    again = Text(held.id, MEMBER, WriteKind.POST, 7, body="Hello")

    with pytest.raises(NotUnique):
        await kept.writes.keep_text(again, now=NOW)
    await kept.let_pass(LEASE)
    assert await kept.writes.discard_text(held.id, MEMBER, now=LATER)
    with pytest.raises(NotUnique):
        await kept.writes.keep_text(again, now=NOW)

    assert not await kept.writes.unsent_texts(MEMBER, oldest=NOW)


async def test_a_member_keeps_twenty_texts_of_a_day(kept: Kept) -> None:
    await kept.add(now=NOW - TEXT_KEPT - timedelta(seconds=1))
    for _ in range(MAX_TEXTS):
        await kept.add()

    more = Text(101, MEMBER, WriteKind.POST, 7, body="More")
    assert await kept.writes.keep_text(more, now=NOW) is None
    other = Text(102, STRANGER, WriteKind.POST, 7, body="Other")
    assert await kept.writes.keep_text(other, now=NOW) is not None


async def test_one_holds_a_write_until_it_is_due(kept: Kept) -> None:
    held = await kept.add()

    await kept.let_pass(LEASE - timedelta(seconds=30))
    assert await kept.writes.hold_write(held) is None
    await kept.let_pass(timedelta(seconds=30))
    taken = await kept.writes.hold_write(held)

    assert taken is not None
    assert await kept.mark_sent(held) is None
    assert await kept.writes.save_write(held) is None
    assert not await kept.writes.discard_text(held.id, MEMBER, now=LATER)
    assert await kept.mark_sent(taken) is not None


async def test_what_the_game_said_holds_after_a_lease(kept: Kept) -> None:
    held = await kept.add()
    await kept.let_pass(LEASE)
    await kept.writes.hold_write(held)

    done = await kept.settle(held, WriteState.DONE, result_id=5)

    assert (done.state, done.result_id) == (WriteState.DONE, 5)
    assert await kept.writes.save_write(held) is None


@pytest.mark.parametrize("state", [WriteState.KEPT, WriteState.REFUSED, WriteState.DONE])
async def test_who_asked_the_game_knows_better_than_another_ones_doubt(
    kept: Kept, state: WriteState
) -> None:
    sent = await kept.mark_sent(await kept.add())
    assert sent is not None
    settled = replace(sent, state=state, reason=None)
    kept.writes.remember(settled, asked_here=True)
    await kept.writes.release_write(settled, due_in=None)

    other = Writes(kept.database, Vault([SecretStr(new_key())]), kept.messages)
    await kept.let_pass(LEASE)
    taken = await other.hold_write(sent)
    assert taken is not None
    doubted = await other.save_write(replace(taken, state=WriteState.UNKNOWN, reason="given_up"))
    assert doubted is not None
    assert (await kept.found(sent)).state is state
    await kept.writes.write_known(sent.id)

    for writes in (kept.writes, other):
        found = await writes.find_write(sent.id)
        assert found is not None
        assert (found.state, found.told, found.holder) == (state, settled.state_and_reason, "")
    assert await other.save_write(doubted) is None
    assert await kept.writes.due_writes(9) == []


async def test_what_was_sent_again_since_is_in_doubt(kept: Kept) -> None:
    sent = await kept.mark_sent(await kept.add())
    assert sent is not None
    kept.writes.remember(replace(sent, state=WriteState.KEPT), asked_here=True)
    other = Writes(kept.database, Vault([SecretStr(new_key())]), kept.messages)
    await kept.let_pass(LEASE)
    taken = await other.hold_write(sent)
    assert taken is not None
    again = await other.save_write(replace(taken, asked_at=LATER))
    assert again is not None

    await kept.writes.write_known(sent.id)

    assert (await kept.found(sent)).state is WriteState.SENT
    assert await other.save_write(replace(again, state=WriteState.UNKNOWN)) is not None


async def test_a_comment_is_what_one_text_has_become(kept: Kept) -> None:
    await kept.settle(await kept.add(), WriteState.DONE, result_id=5)
    other = await kept.add()

    with pytest.raises(NotUnique):
        await kept.settle(other, WriteState.DONE, result_id=5)

    assert await kept.writes.known_among([4, 5, 6]) == {5}
    assert (await kept.found(other)).state is WriteState.KEPT


async def test_of_what_is_done_the_start_stays_and_follows_an_edit(kept: Kept) -> None:
    await kept.settle(await kept.add("Hello  " * 50), WriteState.DONE, result_id=5)
    (own,) = await kept.writes.comments_of(MEMBER, 9)
    assert own.body == ("Hello " * 50)[:90]

    edit = await kept.add("Better", kind=WriteKind.EDIT, target_id=5, member_id=STRANGER)
    await kept.settle(edit, WriteState.DONE)
    (own,) = await kept.writes.comments_of(MEMBER, 9)
    assert own.body == "Better"

    newest = await kept.settle(await kept.add(), WriteState.DONE, result_id=6)
    assert [own.id for own in await kept.writes.comments_of(MEMBER, 1)] == [newest.id]
    await kept.settle(await kept.add("", kind=WriteKind.DELETE, target_id=6), WriteState.DONE)

    deletion = await kept.add("", kind=WriteKind.DELETE, target_id=5)
    await kept.settle(deletion, WriteState.DONE)
    assert not await kept.writes.comments_of(MEMBER, 9)
    assert await kept.writes.text_of_comment(5) is None


async def test_a_change_is_overtaken_by_a_newer_one_of_the_same_comment(kept: Kept) -> None:
    older = await kept.add("Older", kind=WriteKind.EDIT)
    assert not await kept.writes.is_overtaken(older)
    newer = await kept.add("Newer", kind=WriteKind.EDIT)
    await kept.add("Elsewhere", kind=WriteKind.EDIT, target_id=9)

    assert await kept.writes.is_overtaken(older)
    assert not await kept.writes.is_overtaken(newer)
    await kept.settle(newer, WriteState.UNKNOWN)
    assert await kept.writes.is_overtaken(older)
    await kept.settle(newer, WriteState.REFUSED)
    assert not await kept.writes.is_overtaken(older)


async def test_what_could_not_be_written_down_stays_due(kept: Kept) -> None:
    held = await kept.add()
    sent = await kept.mark_sent(held)
    assert sent is not None

    # Told as posted, though it is kept as sent still.
    await kept.writes.release_write(_as_done(sent), due_in=None)

    await kept.let_pass(LEASE)
    assert [write.id for write in await kept.writes.due_writes(9)] == [held.id]


def _as_done(sent: Text) -> Text:
    return Text(sent.id, MEMBER, sent.kind, 7, state=WriteState.DONE, holder=sent.holder)


async def test_a_write_is_told_once_and_anew_when_it_changes(kept: Kept) -> None:
    unknown = await kept.settle(await kept.add(), WriteState.UNKNOWN, reason="unanswered")
    other = await kept.settle(await kept.add(), WriteState.UNKNOWN, reason="unanswered")
    assert not unknown.is_old_news
    owed = NewMessage("text", "text 1", Priority.DIRECT_MESSAGE, member_id=MEMBER)
    await kept.writes.release_write(unknown, due_in=LEASE, message=owed)
    assert not (await kept.found(unknown)).is_old_news

    async with kept.database.transaction() as transaction:
        await kept.writes.note_told(unknown, transaction)
    assert (await kept.found(unknown)).is_old_news
    assert not (await kept.found(other)).is_old_news
    taken = await kept.writes.hold_write(unknown)
    assert taken is not None
    done = await kept.settle(taken, WriteState.DONE, result_id=5)
    await kept.writes.release_write(done, due_in=None, message=owed)

    assert not (await kept.found(unknown)).is_old_news
    # No one is notified of how it was before any more.
    async with kept.database.transaction() as transaction:
        await kept.writes.note_told(unknown, transaction)
    assert not (await kept.found(unknown)).is_old_news


async def test_a_body_opens_in_its_own_row_with_its_key_alone(kept: Kept) -> None:
    one, other = await kept.add("Mine"), await kept.add("Also mine")
    await kept.database.execute(
        "UPDATE writes SET sealed_body = (SELECT sealed_body FROM writes WHERE id = :other)"
        " WHERE id = :id",
        other=other.id,
        id=one.id,
    )
    assert not (await kept.found(one)).is_readable
    assert (await kept.found(other)).body == "Also mine"

    stranger = Vault([SecretStr(new_key())])
    others = Writes(kept.database, stranger, Messages(kept.database, lambda: NOW))
    await kept.let_pass(LEASE)
    taken = await others.hold_write(other)
    assert taken is not None
    assert await others.save_write(replace(taken, state=WriteState.UNKNOWN)) is not None
    assert (await kept.found(other)).body == "Also mine"
    found = await others.unsent_texts(MEMBER, oldest=NOW)
    assert [(one.is_readable, one.body) for one in found] == [(False, ""), (False, "")]


def vault_of(*keys: str) -> Vault:
    return Vault([SecretStr(key) for key in keys])


VAULT = vault_of(new_key())


@given(secret=st.text(st.characters(exclude_categories=["Cs"])), owner=st.integers(0, 2**64))
def test_what_is_sealed_opens_for_its_owner(secret: str, owner: int) -> None:
    sealed = VAULT.seal(secret, owner=owner, purpose="link")
    assert VAULT.open(sealed, owner=owner, purpose="link") == secret
    assert len(secret) < 8 or secret.encode() not in sealed


def test_two_seals_of_one_secret_differ() -> None:
    assert VAULT.seal("a", owner=1, purpose="link") != VAULT.seal("a", owner=1, purpose="link")


@pytest.mark.parametrize(("owner", "purpose"), [(2, "link"), (1, "draft")])
def test_a_seal_opens_for_nobody_else_and_nothing_else(owner: int, purpose: str) -> None:
    sealed = VAULT.seal("a", owner=1, purpose="link")
    with pytest.raises(VaultError):
        VAULT.open(sealed, owner=owner, purpose=purpose)


@given(position=st.integers(0, 30), bit=st.integers(0, 7))
def test_a_seal_altered_anywhere_does_not_open(position: int, bit: int) -> None:
    sealed = bytearray(VAULT.seal("secret", owner=1, purpose="link"))
    sealed[position] ^= 1 << bit

    with pytest.raises(VaultError):
        VAULT.open(bytes(sealed), owner=1, purpose="link")


def test_an_older_key_still_opens_and_the_newest_seals() -> None:
    old, new = new_key(), new_key()
    sealed = vault_of(old).seal("secret", owner=1, purpose="link")
    both = vault_of(new, old)

    assert both.open(sealed, owner=1, purpose="link") == "secret"
    resealed = both.seal("secret", owner=1, purpose="link")
    assert vault_of(new).open(resealed, owner=1, purpose="link") == "secret"
    with pytest.raises(VaultError):
        vault_of(old).open(resealed, owner=1, purpose="link")


@pytest.mark.parametrize("key", ["", "short", "ä" * 44, "Qm9" * 13, "=" * 44])
def test_what_is_no_key_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(VaultError) as refused:
        vault_of(key)
    assert not key or key not in str(refused.value)


def test_a_vault_needs_a_key() -> None:
    with pytest.raises(VaultError):
        Vault([])
