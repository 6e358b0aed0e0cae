"""What could not be told to a member in time, kept sealed until their next command."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from storage.changes import note_change
from storage.database import Database, Row, Transaction, queries_beside
from storage.rows import read
from storage.untold import TOPIC
from storage.vault import Vault

QUERIES = queries_beside(__file__)
_PURPOSE = "inbox"


@dataclass(frozen=True)
class Message:
    """A title and a body in Discord's markdown, in the member's language when it was written."""

    id: int
    title: str
    body: str
    created_at: datetime


class Inbox:
    """The waiting messages of all members."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    async def put(self, transaction: Transaction, member_id: int, title: str, body: str) -> None:
        """Keep a message for a member."""
        await transaction.execute(
            QUERIES["put"],
            member_id=member_id,
            title=title,
            sealed_body=self._vault.seal(body, owner=member_id, purpose=_PURPOSE),
            created_at=datetime.now(UTC),
        )
        await note_change(transaction, TOPIC)

    async def of_member(self, member_id: int, most: int) -> Sequence[Message]:
        """Return a member's oldest messages."""
        rows = await self._database.fetch(QUERIES["of_member"], member_id=member_id, most=most)
        return [read(Message, row, body=self._body(member_id, row)) for row in rows]

    async def remove(self, message_id: int) -> None:
        """Take a message out, once it was shown."""
        await self._database.execute(QUERIES["remove"], message_id=message_id)

    def _body(self, member_id: int, row: Row) -> str:
        # An earlier version leaves it unsealed.
        if row["sealed_body"] is None:
            return str(row["body"])
        return self._vault.try_open(row["sealed_body"], owner=member_id, purpose=_PURPOSE) or ""
