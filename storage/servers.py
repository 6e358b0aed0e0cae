"""Which servers Kiosk keeps something for and is no longer in, and since when."""

from collections.abc import AsyncIterator, Mapping, Set
from datetime import datetime

from storage.database import Database, queries_beside
from storage.times import from_micros

QUERIES = queries_beside(__file__)
# Looked at, or marked, at a time.
_AT_ONCE = 200


class GoneServers:
    """The marks on servers that Kiosk has left, or was made to leave."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_present(self, present: Set[int], now: datetime) -> None:
        """Mark the servers that are not among these as gone, and forget the marks of those back.

        A mark keeps its first moment. It is forgotten, too, where nothing is kept any more.
        """
        kept = {guild_id async for guild_id in self._kept()}
        gone, marked = kept - present, (await self.since()).keys()
        marks = [{"guild_id": each, "gone_since": now} for each in gone - marked]
        forgotten = [{"guild_id": each} for each in marked - gone]
        for name, rows in (("mark", marks), ("forget_mark", forgotten)):
            for start in range(0, len(rows), _AT_ONCE):
                async with self._database.transaction() as transaction:
                    some = rows[start : start + _AT_ONCE]
                    await transaction.execute_many(QUERIES[name], some)

    async def since(self) -> Mapping[int, datetime]:
        """Return since when each of them is gone, as far as was seen."""
        rows = await self._database.fetch(QUERIES["gone"])
        return {row["guild_id"]: from_micros(row["gone_since"]) for row in rows}

    async def _kept(self) -> AsyncIterator[int]:
        """Give the servers that something is kept for, in batches: nobody waits for all of them."""
        last = 0
        while rows := await self._database.fetch(QUERIES["kept"], after=last, most=_AT_ONCE):
            for row in rows:
                yield row["guild_id"]
            last = rows[-1]["guild_id"]
