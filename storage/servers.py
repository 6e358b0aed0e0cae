"""Which servers Kiosk keeps something for and is no longer in, and since when."""

from collections.abc import Mapping, Set
from datetime import datetime
from pathlib import Path

from storage.database import Database, load_queries
from storage.times import from_micros, to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "servers.sql")


class GoneServers:
    """The marks on servers that Kiosk has left, or was made to leave."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_present(self, present: Set[int], now: datetime) -> None:
        """Mark the servers that are not among these as gone, and forget the marks of those back.

        A mark keeps its first moment. It is forgotten, too, where nothing is kept any more.
        """
        async with self._database.transaction() as transaction:
            kept = {row["guild_id"] for row in await transaction.fetch(QUERIES["kept"])}
            marked = {row["guild_id"] for row in await transaction.fetch(QUERIES["gone"])}
            gone = kept - present
            await transaction.execute_many(
                QUERIES["mark"],
                [{"guild_id": each, "gone_since": to_micros(now)} for each in gone - marked],
            )
            await transaction.execute_many(
                QUERIES["forget_mark"], [{"guild_id": each} for each in marked - gone]
            )

    async def since(self) -> Mapping[int, datetime]:
        """Return since when each of them is gone, as far as was seen."""
        rows = await self._database.fetch(QUERIES["gone"])
        return {row["guild_id"]: from_micros(row["gone_since"]) for row in rows}
