"""Texts on their way to the game, sealed, so that no failure loses one or sends it twice."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bot.domain.drafts import Authored, Draft, DraftKind, DraftState, NewDraft
from storage.authored import save_authored
from storage.database import Database, Row, load_queries
from storage.times import from_micros, to_micros
from storage.vault import Vault, VaultError

QUERIES = load_queries(Path(__file__).parent / "sql" / "drafts.sql")
_PURPOSE = "draft"


class Drafts:
    """The texts of all members."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    async def add(self, new: NewDraft, *, now: datetime, held_until: datetime) -> Draft:
        """Keep a text that is sent next."""
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["add"],
                member_id=new.member_id,
                kind=new.kind,
                thread_id=new.thread_id,
                comment_id=new.comment_id,
                sealed_text=self._seal(new.member_id, new.text),
                state=DraftState.SENDING,
                held_until=to_micros(held_until),
                created_at=to_micros(now),
            )
        assert row is not None  # noqa: S101 - RETURNING gives the row that was inserted
        return Draft(
            **vars(new),
            sent=new.text,
            id=row["id"],
            state=DraftState.SENDING,
            held_until=held_until,
            created_at=now,
        )

    async def find(self, draft_id: int, member_id: int, *, oldest: datetime) -> Draft | None:
        """Give a member's text, unless it is older than `oldest`."""
        row = await self._database.fetch_one(
            QUERIES["find"], draft_id=draft_id, member_id=member_id, oldest=to_micros(oldest)
        )
        return None if row is None else self._read(row)

    async def waiting(self, member_id: int, *, now: datetime, oldest: datetime) -> Sequence[Draft]:
        """Give a member's texts that nobody is sending, the newest first."""
        rows = await self._database.fetch(
            QUERIES["waiting"], member_id=member_id, now=to_micros(now), oldest=to_micros(oldest)
        )
        return [draft for row in rows if (draft := self._read(row)) is not None]

    async def hold(
        self, draft: Draft, *, text: str, now: datetime, held_until: datetime
    ) -> Draft | None:
        """Take the right to send `text` for a draft, or give None if another has it.

        The draft is given in the state it was in before.
        """
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["find"], draft_id=draft.id, member_id=draft.member_id, oldest=0
            )
            changed = await transaction.execute(
                QUERIES["hold"],
                draft_id=draft.id,
                member_id=draft.member_id,
                now=to_micros(now),
                held_until=to_micros(held_until),
            )
            before = self._read(row) if row is not None and changed else None
            if before is None:
                return None
            if text != before.text:
                sealed = self._seal(draft.member_id, text)
                await transaction.execute(QUERIES["change"], draft_id=draft.id, sealed_text=sealed)
        return replace(before, text=text, held_until=held_until)

    async def renew(self, draft: Draft, *, held_until: datetime) -> Draft | None:
        """Note that a held text is sent now, or give None if the hold has run out."""
        changed = await self._database.execute(
            QUERIES["renew"],
            draft_id=draft.id,
            held_before=to_micros(draft.held_until),
            held_until=to_micros(held_until),
        )
        return replace(draft, sent=draft.text, held_until=held_until) if changed else None

    async def release(self, draft: Draft, state: DraftState, *, held_until: datetime) -> Draft:
        """Let a held text be sent again from `held_until` on; gives it as it stands now."""
        await self._database.execute(
            QUERIES["release"],
            draft_id=draft.id,
            state=state,
            held_before=to_micros(draft.held_until),
            held_until=to_micros(held_until),
        )
        return replace(draft, state=state, held_until=held_until)

    async def give_up(self, member_id: int, *, now: datetime, oldest: datetime) -> bool:
        """Note that what a process of the past was sending may have arrived; tells if any was."""
        times = {"now": to_micros(now), "oldest": to_micros(oldest)}
        # Asked after every command and hardly ever true: writing would make all of them wait.
        if not await self._database.fetch_one(QUERIES["left"], member_id=member_id, **times):
            return False
        return await self._database.execute(QUERIES["give_up"], member_id=member_id, **times) > 0

    async def settle(self, draft: Draft, written: Authored | None) -> None:
        """Forget a text that the game has, and in the same step remember what became of it."""
        async with self._database.transaction() as transaction:
            if written is not None:
                await save_authored(transaction, written)
            await transaction.execute(QUERIES["remove"], draft_id=draft.id)

    async def discard(self, draft_id: int, member_id: int, *, now: datetime) -> bool:
        """Forget a text at its writer's wish, unless it is being sent; tells whether it went."""
        changed = await self._database.execute(
            QUERIES["discard"], draft_id=draft_id, member_id=member_id, now=to_micros(now)
        )
        return changed > 0

    async def purge(self, *, oldest: datetime) -> int:
        """Forget every text older than `oldest`; gives how many went."""
        return await self._database.execute(QUERIES["purge"], oldest=to_micros(oldest))

    def _seal(self, member_id: int, text: str) -> bytes:
        return self._vault.seal(text, owner=member_id, purpose=_PURPOSE)

    def _read(self, row: Row) -> Draft | None:
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
            held_until=from_micros(row["held_until"]),
            created_at=from_micros(row["created_at"]),
        )
