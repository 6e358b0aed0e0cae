"""What a member could not be told by direct message, until their next command."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from storage.database import Database, Transaction, queries_beside
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)
_PURPOSE = "inbox"


class InboxEntry(Struct, frozen=True):
    """A title and a body in Discord's markdown, in the member's language when it was written."""

    id: int
    title: str
    body: str
    created_at: datetime


class Inbox(Struct, frozen=True):
    """The waiting messages of all members."""

    database: Database
    vault: Vault
    now: Callable[[], datetime]

    async def put(self, transaction: Transaction, member_id: int, title: str, body: str) -> None:
        """Keep a message for a member."""
        await transaction.execute(
            QUERIES["put"],
            member_id=member_id,
            title=title,
            sealed_body=self.vault.seal(body, owner=member_id, purpose=_PURPOSE),
            created_at=self.now(),
        )

    async def of_member(self, member_id: int, most: int) -> Sequence[InboxEntry]:
        """Return a member's oldest messages, without those that wait for a key to open them."""
        found: list[InboxEntry] = []
        for row in await self.database.fetch(QUERIES["of_member"], member_id=member_id):
            body = self.vault.try_open(row["sealed_body"], _PURPOSE, owner=member_id)
            if body is not None:
                found.append(read(InboxEntry, row, body=body))
        return found[:most]

    async def remove(self, message_id: int) -> None:
        """Take a message out, once it was shown."""
        await self.database.execute(QUERIES["remove"], message_id=message_id)
