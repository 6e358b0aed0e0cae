"""Texts on their way to the game, sealed, so that no failure loses one or sends it twice."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bot.domain.drafts import (
    MOST_KEPT,
    Authored,
    Draft,
    DraftKind,
    DraftState,
    NewDraft,
    Outcome,
)
from storage.database import Database, Row, Transaction, load_queries
from storage.leases import Leases, new_holder
from storage.times import from_micros, to_micros
from storage.vault import BrokenSeal, Vault, VaultError

QUERIES = load_queries(Path(__file__).parent / "sql" / "drafts.sql")
_ID_BITS = 62


def new_draft_id() -> int:
    """Return an id that no text had before, so that a button of old means no other text."""
    return secrets.randbits(_ID_BITS)


class Drafts:
    """The texts of all members, each in the hands of one sender at a time."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._leases = Leases("drafts")

    async def add(
        self,
        new: NewDraft,
        *,
        draft_id: int,
        now: datetime,
        until: datetime,
        oldest: datetime,
        sent_at: datetime | None = None,
        newest_before: int | None = None,
    ) -> Draft | None:
        """Keep a text that is sent next, and hold it.

        Returns None where as many of the member's as may be are kept since `oldest`.
        """
        row = await self._database.change_one(
            QUERIES["add"],
            draft_id=draft_id,
            member_id=new.member_id,
            kind=new.kind,
            thread_id=new.thread_id,
            comment_id=new.comment_id,
            sealed_text=self._seal(new.text, draft_id, new.member_id),
            claimed_by=new_holder(),
            due_at=to_micros(until),
            created_at=to_micros(now),
            sent_at=sent_at and to_micros(sent_at),
            newest_before=newest_before,
            oldest=to_micros(oldest),
            most=MOST_KEPT,
        )
        return self._read(row)

    async def find(self, draft_id: int, member_id: int, *, oldest: datetime) -> Draft | None:
        """Return a member's text, unless it is older than `oldest`."""
        row = await self._database.fetch_one(
            QUERIES["find"], draft_id=draft_id, member_id=member_id, oldest=to_micros(oldest)
        )
        return self._read(row)

    async def of_member(self, member_id: int, *, oldest: datetime) -> Sequence[Draft]:
        """Return a member's texts, those that are being sent too, the newest first."""
        rows = await self._database.fetch(
            QUERIES["of_member"], member_id=member_id, oldest=to_micros(oldest)
        )
        return [draft for row in rows if (draft := self._read(row)) is not None]

    async def changing_until(self, draft: Draft, *, now: datetime) -> datetime | None:
        """Return until when another change of the draft's comment may reach the game, if any."""
        row = await self._database.fetch_one(
            QUERIES["changing_until"],
            draft_id=draft.id,
            comment_id=draft.comment_id,
            created_at=to_micros(draft.created_at),
            now=to_micros(now),
        )
        return None if row is None else _moment(row["until"])

    async def take(
        self, draft: Draft, *, text: str, now: datetime, until: datetime
    ) -> Draft | None:
        """Take the right to send `text` for a draft; None if another has it, or it is gone."""
        async with self._database.transaction() as transaction:
            row = await self._leases.take(transaction, draft.id, now=now, until=until)
            if row is not None and text != draft.text:
                sealed = self._seal(text, draft.id, draft.member_id)
                await transaction.execute(QUERIES["change"], draft_id=draft.id, sealed_text=sealed)
            if row is not None:
                row = await transaction.fetch_one(QUERIES["note_untold"], draft_id=draft.id)
        return self._read(row)

    async def mark_sent(
        self,
        draft: Draft,
        *,
        until: datetime,
        sent_at: datetime | None = None,
        newest_before: int | None = None,
    ) -> Draft | None:
        """Note that a held text is sent now; None if another has taken it over."""
        row = await self._database.change_one(
            QUERIES["mark_sent"],
            draft_id=draft.id,
            claimed_by=draft.claimed_by,
            due_at=to_micros(until),
            sent_at=sent_at and to_micros(sent_at),
            newest_before=newest_before,
        )
        return self._read(row)

    async def release(self, draft: Draft, state: DraftState, *, due_at: datetime) -> None:
        """Let a text be sent again from `due_at` on, unless another has taken it over."""
        async with self._database.transaction() as transaction:
            if await self._leases.release(transaction, draft.id, draft.claimed_by, due_at=due_at):
                await transaction.execute(QUERIES["note_state"], draft_id=draft.id, state=state)

    async def note_told(self, draft: Draft) -> None:
        """Note that the member knows how a draft stands, unless it was taken since."""
        await self._database.execute(
            QUERIES["note_told"], draft_id=draft.id, claimed_by=draft.claimed_by
        )

    async def rule_out(self, draft_id: int, member_id: int, comment_id: int) -> None:
        """Note that a comment, and so those before it, is not what a text became."""
        await self._database.execute(
            QUERIES["rule_out"], draft_id=draft_id, member_id=member_id, comment_id=comment_id
        )

    async def settle(
        self, draft: Draft, written: Authored | None, outcome: Outcome | None = None
    ) -> None:
        """Forget a text that the game has, and in the same step remember what became of it.

        Nothing changes where another has taken it over, who will find the comment there.
        """
        async with self._database.transaction() as transaction:
            removed = await transaction.execute(
                QUERIES["remove"], draft_id=draft.id, claimed_by=draft.claimed_by
            )
            if not removed:
                return
            if written is not None:
                await _remember(transaction, written)
            if outcome is not None:
                await transaction.execute(
                    QUERIES["note_outcome"],
                    draft_id=outcome.id,
                    member_id=draft.member_id,
                    kind=outcome.kind,
                    thread_id=outcome.thread_id,
                    comment_id=outcome.comment_id,
                    created_at=to_micros(outcome.created_at),
                )

    async def become_edit(self, draft: Draft, written: Authored) -> Draft | None:
        """Turn a text that has arrived, and was changed since, into an edit of its comment.

        Returns None where another has taken it over.
        """
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["become_edit"],
                draft_id=draft.id,
                claimed_by=draft.claimed_by,
                comment_id=written.comment_id,
            )
            if row is not None:
                await _remember(transaction, written)
        return self._read(row)

    async def discard(self, draft_id: int, member_id: int, *, now: datetime) -> bool:
        """Forget a text at its writer's wish, unless it is being sent; return whether it went."""
        changed = await self._database.execute(
            QUERIES["discard"], draft_id=draft_id, member_id=member_id, now=to_micros(now)
        )
        return changed > 0

    async def purge(self, *, oldest: datetime) -> int:
        """Forget every text older than `oldest`, and return how many went."""
        return await self._database.execute(QUERIES["purge"], oldest=to_micros(oldest))

    def _seal(self, text: str, draft_id: int, member_id: int) -> bytes:
        return self._vault.seal(text, owner=member_id, purpose=f"draft {draft_id}")

    def _open(self, sealed: bytes, draft_id: int, member_id: int) -> str:
        try:
            return self._vault.open(sealed, owner=member_id, purpose=f"draft {draft_id}")
        except BrokenSeal:
            # The version before bound a text to its writer alone.
            return self._vault.open(sealed, owner=member_id, purpose="draft")

    def _read(self, row: Row | None) -> Draft | None:
        if row is None:
            return None
        draft_id, member_id = int(row["id"]), int(row["member_id"])
        draft = Draft(
            member_id=member_id,
            kind=DraftKind(row["kind"]),
            thread_id=row["thread_id"],
            comment_id=row["comment_id"],
            text="",
            sent="",
            id=draft_id,
            state=DraftState(row["state"]),
            claimed_by=row["claimed_by"],
            due_at=from_micros(row["due_at"]),
            created_at=from_micros(row["created_at"]),
            sent_at=_moment(row["sent_at"]),
            arrives_until=_moment(row["arrives_until"]),
            newest_before=row["newest_before"],
            is_told=bool(row["is_told"]),
        )
        try:
            text, sent = (
                self._open(bytes(row[column]), draft_id, member_id)
                for column in ("sealed_text", "sealed_sent")
            )
        except VaultError:
            return replace(draft, is_readable=False)
        return replace(draft, text=text, sent=sent)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


async def _remember(transaction: Transaction, written: Authored) -> None:
    await transaction.execute(
        QUERIES["remember"],
        member_id=written.member_id,
        comment_id=written.comment_id,
        thread_id=written.thread_id,
        excerpt=written.excerpt,
        created_at=to_micros(written.created_at),
    )
