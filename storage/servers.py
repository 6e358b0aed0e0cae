"""Which servers Kiosk keeps something for and is no longer in, and since when."""

from collections.abc import AsyncIterator, Set
from datetime import datetime

from storage.database import Database, queries_beside
from storage.times import from_micros

QUERIES = queries_beside(__file__)
# Marked at a time.
_AT_ONCE = 200


class GoneServers:
    """The marks on servers that Kiosk has left, or was made to leave."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_present(self, present: Set[int], now: datetime) -> None:
        """Mark the servers that are not among these as gone, and forget the marks of those back.

        A mark keeps its first moment. It is forgotten, too, where nothing is kept any more.
        """
        kept = self._database.walk(QUERIES["kept"], by="guild_id")
        gone = {row["guild_id"] async for row in kept if row["guild_id"] not in present}
        forgotten = [
            {"guild_id": guild_id} async for guild_id, _ in self.marks() if guild_id not in gone
        ]
        marks = [{"guild_id": each, "gone_since": now} for each in gone]
        for name, rows in (("mark", marks), ("forget_mark", forgotten)):
            for start in range(0, len(rows), _AT_ONCE):
                async with self._database.transaction() as transaction:
                    some = rows[start : start + _AT_ONCE]
                    await transaction.execute_many(QUERIES[name], some)

    async def marks(self) -> AsyncIterator[tuple[int, datetime]]:
        """Give each of them, and since when it is gone, as far as was seen."""
        async for row in self._database.walk(QUERIES["gone"], by="guild_id"):
            yield row["guild_id"], from_micros(row["gone_since"])
