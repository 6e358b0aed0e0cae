"""Texts on their way to the game, sealed, so that no failure loses one or sends it twice."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bot.domain.drafts import Authored, Draft, DraftKind, DraftState, NewDraft
from storage.database import Database, Row, load_queries
from storage.leases import Leases, new_holder
from storage.times import from_micros, to_micros
from storage.vault import Vault, VaultError

QUERIES = load_queries(Path(__file__).parent / "sql" / "drafts.sql")
_PURPOSE = "draft"


class Drafts:
    """The texts of all members, each in the hands of one sender at a time."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._leases = Leases("drafts")

    async def add(self, new: NewDraft, *, now: datetime, until: datetime) -> Draft:
        """Keep a text that is sent next, and hold it."""
        row = await self._database.change_one(
            QUERIES["add"],
            member_id=new.member_id,
            kind=new.kind,
            thread_id=new.thread_id,
            comment_id=new.comment_id,
            sealed_text=self._vault.seal(new.text, owner=new.member_id, purpose=_PURPOSE),
            claimed_by=new_holder(),
            due_at=to_micros(until),
            created_at=to_micros(now),
        )
        draft = self._read(row)
        assert draft is not None  # noqa: S101 - RETURNING gives the row that was inserted
        return draft

    async def find(self, draft_id: int, member_id: int, *, oldest: datetime) -> Draft | None:
        """Return a member's text, unless it is older than `oldest`."""
        row = await self._database.fetch_one(
            QUERIES["find"], draft_id=draft_id, member_id=member_id, oldest=to_micros(oldest)
        )
        return self._read(row)

    async def waiting(self, member_id: int, *, now: datetime, oldest: datetime) -> Sequence[Draft]:
        """Return a member's texts that nobody is sending, the newest first."""
        rows = await self._database.fetch(
            QUERIES["waiting"], member_id=member_id, now=to_micros(now), oldest=to_micros(oldest)
        )
        return [draft for row in rows if (draft := self._read(row)) is not None]

    async def take(
        self, draft: Draft, *, text: str, now: datetime, until: datetime
    ) -> Draft | None:
        """Take the right to send `text` for a draft; None if another has it, or it is gone."""
        async with self._database.transaction() as transaction:
            row = await self._leases.take(transaction, draft.id, now=now, until=until)
            if row is not None and text != draft.text:
                sealed = self._vault.seal(text, owner=draft.member_id, purpose=_PURPOSE)
                row = await transaction.fetch_one(
                    QUERIES["change"], draft_id=draft.id, sealed_text=sealed
                )
        return self._read(row)

    async def mark_sent(self, draft: Draft, *, until: datetime) -> Draft | None:
        """Note that a held text is sent now; None if another has taken it over."""
        row = await self._database.change_one(
            QUERIES["mark_sent"],
            draft_id=draft.id,
            claimed_by=draft.claimed_by,
            due_at=to_micros(until),
        )
        return self._read(row)

    async def release(self, draft: Draft, state: DraftState, *, due_at: datetime) -> Draft:
        """Let a text be sent again from `due_at` on; return it as it stands now.

        Nothing changes where another has taken it over.
        """
        async with self._database.transaction() as transaction:
            if await self._leases.release(transaction, draft.id, draft.claimed_by, due_at=due_at):
                await transaction.execute(QUERIES["note_state"], draft_id=draft.id, state=state)
        return replace(draft, state=state, claimed_by="", due_at=due_at)

    async def give_up(self, member_id: int, *, now: datetime, oldest: datetime) -> bool:
        """Release what a process of the past was sending; return whether there was any."""
        times = {"now": to_micros(now), "oldest": to_micros(oldest)}
        # Asked after every command and hardly ever true: writing would make all of them wait.
        if not await self._database.fetch_one(QUERIES["left"], member_id=member_id, **times):
            return False
        return await self._database.execute(QUERIES["give_up"], member_id=member_id, **times) > 0

    async def settle(self, draft: Draft, written: Authored | None) -> None:
        """Forget a text that the game has, and in the same step remember what became of it.

        Nothing changes where another has taken it over, who will find the comment there.
        """
        async with self._database.transaction() as transaction:
            await transaction.execute(
                QUERIES["remove"], draft_id=draft.id, claimed_by=draft.claimed_by
            )
            if written is not None:
                await transaction.execute(
                    QUERIES["remember"],
                    draft_id=draft.id,
                    member_id=written.member_id,
                    comment_id=written.comment_id,
                    thread_id=written.thread_id,
                    excerpt=written.excerpt,
                    created_at=to_micros(written.created_at),
                )

    async def discard(self, draft_id: int, member_id: int, *, now: datetime) -> bool:
        """Forget a text at its writer's wish, unless it is being sent; return whether it went."""
        changed = await self._database.execute(
            QUERIES["discard"], draft_id=draft_id, member_id=member_id, now=to_micros(now)
        )
        return changed > 0

    async def purge(self, *, oldest: datetime) -> int:
        """Forget every text older than `oldest`, and return how many went."""
        return await self._database.execute(QUERIES["purge"], oldest=to_micros(oldest))

    def _read(self, row: Row | None) -> Draft | None:
        if row is None:
            return None
        member_id = int(row["member_id"])
        try:
            text, sent = (
                self._vault.open(bytes(row[column]), owner=member_id, purpose=_PURPOSE)
                for column in ("sealed_text", "sealed_sent")
            )
        except VaultError:
            # Its key is gone: nobody can read it any more.
            return None
        return Draft(
            member_id=member_id,
            kind=DraftKind(row["kind"]),
            thread_id=row["thread_id"],
            comment_id=row["comment_id"],
            text=text,
            sent=sent,
            id=row["id"],
            state=DraftState(row["state"]),
            claimed_by=row["claimed_by"],
            due_at=from_micros(row["due_at"]),
            created_at=from_micros(row["created_at"]),
        )
