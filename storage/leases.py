"""Hold a row until a moment, so that of all processes one works on it.

A table whose rows can be held has a column `claimed_by`, the holder or '', and a column `due_at`:
when anybody may take the row, or NULL when there is nothing left to do. A holder is a name drawn
anew for each taking. What only the holder may write asks for that name, and so changes nothing
once the lease has run out and the row was taken over.
"""

import secrets
from datetime import datetime

from storage.database import Row, Transaction, queries_beside

_QUERIES = queries_beside(__file__)


def new_holder() -> str:
    """Return a name for one taking of one row."""
    return secrets.token_hex(8)


class Leases:
    """The leases on the rows of one table."""

    def __init__(self, table: str) -> None:
        self._queries = {name: sql.replace("leased", table) for name, sql in _QUERIES.items()}

    async def take(
        self, transaction: Transaction, row_id: int, *, now: datetime, until: datetime
    ) -> Row | None:
        """Hold a row that is due, and return it; None while it is held or not due."""
        return await transaction.fetch_one(
            self._queries["take"], row_id=row_id, now=now, claimed_by=new_holder(), due_at=until
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
