"""What members were not told of their texts, and the direct messages that are owed for it.

A message that is owed changes nothing: until Discord has it, the member may be told in another
way instead.
"""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.drafts import Draft, Outcome
from bot.domain.outbox import Entry, Owed, Priority
from storage.database import Database, Row, Transaction, queries_beside
from storage.outbox import Outbox
from storage.times import to_micros

QUERIES = queries_beside(__file__)
# Counted up when something has come to wait for a member.
TOPIC = "untold"
# The kinds of entries by which members are told.
TEXT, OUTCOME = "text", "outcome"
# Owed in one transaction.
_AT_ONCE = 500


class Untold:
    """The texts, and what others came to, that their writers were not told of."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def is_any(self, member_id: int) -> bool:
        """Return whether a text, what became of one, or a message waits for a member."""
        return await self._database.fetch_one(QUERIES["any"], member_id=member_id) is not None

    async def outcomes(self, member_id: int, *, oldest: datetime) -> Sequence[Outcome]:
        """Return what a member's texts came to (see `Drafts.settle`), the oldest first."""
        return await self._database.read(
            Outcome, QUERIES["of_member"], member_id=member_id, oldest=oldest
        )

    async def remove_outcome(self, draft_id: int) -> None:
        """Forget the outcome of a draft, once the member was told."""
        await self._database.execute(QUERIES["tell_outcome"], draft_id=draft_id)

    async def owe(self, *, before: datetime, oldest: datetime) -> None:
        """Owe a message for each that stands as it does since `before`, younger than `oldest`."""
        bounds = {"before": before, "oldest": oldest, "most": _AT_ONCE}
        for kind, query in ((TEXT, "drafts"), (OUTCOME, "outcomes")):
            while rows := await self._database.fetch(QUERIES[query], **bounds):
                async with self._database.transaction() as transaction:
                    await self._outbox.owe(transaction, *(_owed(kind, row) for row in rows))

    async def take_back(self, one: Draft | Outcome) -> bool:
        """Return whether a member may be told otherwise, and owe them no message if so."""
        key = f"{OUTCOME} {one.id}"
        if isinstance(one, Draft):
            key = f"{TEXT} {one.id} {to_micros(one.due_at)}"
        async with self._database.transaction() as transaction:
            return await self._outbox.drop(transaction, key)

    async def is_text_left(self, entry: Entry) -> bool:
        """Return whether the text that a message was owed for still waits, untold."""
        draft_id = int(entry.payload["draft"])
        return await self._database.fetch_one(QUERIES["draft"], draft_id=draft_id) is not None

    async def outcome(self, entry: Entry) -> Outcome | None:
        """Return the outcome that a message was owed for, None where it was told."""
        draft_id = int(entry.payload["draft"])
        return await self._database.read_one(Outcome, QUERIES["outcome"], draft_id=draft_id)

    async def note_told(self, transaction: Transaction, entry: Entry) -> None:
        """Note that Discord took a message that was owed."""
        if entry.kind == OUTCOME:
            draft_id = int(entry.payload["draft"])
            await transaction.execute(QUERIES["tell_outcome"], draft_id=draft_id)
        else:
            await transaction.execute(
                QUERIES["tell_drafts"], member_id=entry.member_id, before=entry.created_at
            )


def _owed(kind: str, row: Row) -> Owed:
    return Owed(
        kind,
        row["key"],
        Priority.DIRECT_MESSAGE,
        member_id=row["member_id"],
        payload={"draft": row["id"], "locale": row["locale"]},
    )
