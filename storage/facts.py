"""Small facts about this installation, such as which commands Discord was last given."""

from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)


class Facts:
    """Short texts by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, name: str) -> str | None:
        """Return the text kept under a name, or None."""
        row = await self._database.fetch_one(QUERIES["find"], name=name)
        return None if row is None else str(row["value"])

    async def save(self, name: str, value: str) -> None:
        """Keep a text under a name, in place of the one before."""
        await self._database.execute(QUERIES["save"], name=name, value=value)
