"""What happens once: rows that one process works on, and presses of "Share" that count once.

A table whose rows can be held has a column `claimed_by`, the holder or '', and a column `due_at`:
when anybody may take the row, or NULL when there is nothing left to do. A holder is a name drawn
anew for each taking; what only the holder may write asks for that name.
"""

from datetime import datetime, timedelta
from secrets import token_hex

from msgspec import Struct

from storage.database import Database, Row, Transaction, queries_beside

_QUERIES = queries_beside(__file__)
_SHARES = queries_beside(__file__, "shares")
# Whoever began to share before is gone.
_LONGEST_SENDING = timedelta(minutes=1)


class Leases:
    """The leases on the rows of one table."""

    def __init__(self, table: str) -> None:
        self._queries = {name: sql.replace("leased", table) for name, sql in _QUERIES.items()}

    async def take(
        self, transaction: Transaction, row_id: int, *, now: datetime, until: datetime
    ) -> Row | None:
        """Hold a row that is due, and return it; None while it is held or not due."""
        return await transaction.fetch_one(
            self._queries["take"], row_id=row_id, now=now, claimed_by=token_hex(8), due_at=until
        )

    async def renew(
        self, transaction: Transaction, row_id: int, holder: str, *, until: datetime
    ) -> bool:
        """Hold a row for longer, and return whether `holder` still has it."""
        changed = await transaction.execute(
            self._queries["renew"], row_id=row_id, claimed_by=holder, due_at=until
        )
        return changed > 0

    async def release(
        self, transaction: Transaction, row_id: int, holder: str, *, due_at: datetime
    ) -> bool:
        """Let anybody take a row from `due_at` on, and return whether `holder` still had it."""
        changed = await transaction.execute(
            self._queries["release"], row_id=row_id, claimed_by=holder, due_at=due_at
        )
        return changed > 0


class Shares(Struct, frozen=True):
    """What was shared with which press; a press is named by its card and its button."""

    database: Database

    async def begin(self, pressed: str, *, now: datetime) -> bool:
        """Record a press; return False where one of its name was, or is being, shared."""
        row = await self.database.change_one(
            _SHARES["begin"], pressed=pressed, created_at=now, stale=now - _LONGEST_SENDING
        )
        return row is not None

    async def complete(self, pressed: str, message_id: int) -> None:
        """Note which message a press has become."""
        await self.database.execute(_SHARES["complete"], pressed=pressed, message_id=message_id)

    async def forget(self, pressed: str) -> None:
        """Forget a press that came to nothing."""
        await self.database.execute(_SHARES["forget"], pressed=pressed)

    async def forget_message(self, message_id: int) -> None:
        """Forget the press that a message came from, so that it can be shared again."""
        await self.database.execute(_SHARES["forget_message"], message_id=message_id)
