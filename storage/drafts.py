"""Texts on their way to the game, sealed, so that no failure loses one or sends it twice."""

from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex

from msgspec.structs import asdict

from bot.domain.drafts import CHANGES, MOST_KEPT, Authored, Draft, DraftState, NewDraft, Outcome
from storage.database import Database, Row, queries_beside
from storage.leases import Leases
from storage.outcomes import remember
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)


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
    ) -> Draft | None:
        """Keep a text that is sent next, and hold it; its id is that of what brought it.

        Returns None where as many of the member's as may be are kept since `oldest`. Raises
        NotUnique where what brought it was heard before, whatever has become of that text.
        """
        async with self._database.transaction() as transaction:
            await transaction.execute(
                QUERIES["hear"], draft_id=draft_id, member_id=new.member_id, created_at=now
            )
            row = await transaction.fetch_one(
                QUERIES["add"],
                draft_id=draft_id,
                **asdict(new),
                sealed_text=self._sealed(draft_id, new.member_id, new.text),
                claimed_by=token_hex(8),
                due_at=until,
                created_at=now,
                oldest=oldest,
                most=MOST_KEPT,
            )
        return self._read(row)

    async def find(self, draft_id: int, member_id: int, *, oldest: datetime) -> Draft | None:
        """Return a member's text, unless it is older than `oldest`."""
        row = await self._database.fetch_one(
            QUERIES["find"], draft_id=draft_id, member_id=member_id, oldest=oldest
        )
        return self._read(row)

    async def of_member(self, member_id: int, *, oldest: datetime) -> Sequence[Draft]:
        """Return a member's texts, those that are being sent too, the newest first."""
        rows = await self._database.fetch(QUERIES["of_member"], member_id=member_id, oldest=oldest)
        return [draft for row in rows if (draft := self._read(row))]

    async def left_behind(self, *, now: datetime) -> Sequence[Draft]:
        """Return the texts that were in the hands of processes that are gone."""
        rows = await self._database.fetch(QUERIES["left_behind"], now=now)
        return [draft for row in rows if (draft := self._read(row))]

    async def take(
        self, draft: Draft, *, now: datetime, until: datetime, text: str | None = None
    ) -> Draft | None:
        """Hold a text, perhaps with another in its place.

        Returns None if somebody else has it, it is gone, or it may not be changed any more.
        """
        sealed = None if text is None else self._sealed(draft.id, draft.member_id, text)
        async with self._database.transaction() as transaction:
            if sealed is not None and not await transaction.execute(
                QUERIES["reword"], draft_id=draft.id, sealed_text=sealed, now=now
            ):
                return None
            row = await self._leases.take(transaction, draft.id, now=now, until=until)
            if row is not None:
                row = await transaction.fetch_one(QUERIES["note_untold"], draft_id=draft.id)
        return self._read(row)

    async def drop_overtaken(self, draft: Draft) -> bool:
        """Forget a held change where a newer one of its comment is kept; return whether it went."""
        dropped = await self._database.execute(
            QUERIES["drop_overtaken"],
            draft_id=draft.id,
            member_id=draft.member_id,
            comment_id=draft.comment_id,
            claimed_by=draft.claimed_by,
        )
        return dropped > 0

    async def mark_sent(
        self,
        draft: Draft,
        *,
        until: datetime,
        sent_at: datetime | None = None,
        newest_before: int | None = None,
        player_id: int | None = None,
    ) -> Draft | None:
        """Note that a held text is sent now; None if another has taken it over."""
        row = await self._database.change_one(
            QUERIES["mark_sent"],
            draft_id=draft.id,
            claimed_by=draft.claimed_by,
            due_at=until,
            sent_at=sent_at,
            newest_before=newest_before,
            player_id=player_id,
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
        """Note that a comment is not what a text became."""
        await self._database.execute(
            QUERIES["rule_out"], draft_id=draft_id, member_id=member_id, comment_id=comment_id
        )

    async def settle(
        self, draft: Draft, written: Authored | None, outcome: Outcome | None = None
    ) -> None:
        """Forget a text that the game has, and in the same step remember what became of it.

        Nothing changes where another has taken it over, who will find the comment there. Raises
        NotUnique where another text of the member has become that comment since this one was kept.
        """
        async with self._database.transaction() as transaction:
            removed = await transaction.execute(
                QUERIES["remove"], draft_id=draft.id, claimed_by=draft.claimed_by
            )
            if not removed:
                return
            if written is not None:
                await remember(transaction, self._vault, written, known_before=draft.created_at)
            if outcome is None:
                return
            whose = {"member_id": draft.member_id, "locale": draft.locale}
            await transaction.execute(
                QUERIES["note_outcome"], draft_id=outcome.id, **whose, **asdict(outcome)
            )
            if draft.kind in CHANGES:
                # What another process left behind on its way is overtaken.
                await transaction.execute(
                    QUERIES["drop_older"],
                    draft_id=draft.id,
                    member_id=draft.member_id,
                    comment_id=draft.comment_id,
                )

    async def become_post(self, draft: Draft) -> Draft | None:
        """Turn a held reply into a comment of its thread; None if another has taken it over."""
        row = await self._database.change_one(
            QUERIES["become_post"], draft_id=draft.id, claimed_by=draft.claimed_by
        )
        return self._read(row)

    async def discard(self, draft_id: int, member_id: int, *, now: datetime) -> bool:
        """Forget a text at its writer's wish, unless it is being sent; return whether it went."""
        changed = await self._database.execute(
            QUERIES["discard"], draft_id=draft_id, member_id=member_id, now=now
        )
        return changed > 0

    def _sealed(self, draft_id: int, member_id: int, text: str) -> bytes:
        return self._vault.seal(text, owner=member_id, purpose=f"draft {draft_id}")

    def _read(self, row: Row | None) -> Draft | None:
        """Return the draft of a row, None for none; one that can't be opened says so."""
        if row is None:
            return None
        purpose, owner = f"draft {row['id']}", row["member_id"]
        text = self._vault.try_open(row["sealed_text"], purpose, owner=owner)
        ruled_out = frozenset(map(int, row["ruled_out"].split()))
        return read(Draft, row, text=text or "", is_readable=text is not None, ruled_out=ruled_out)
