"""What steps are run on, in a PostgreSQL database."""

from collections.abc import Sequence

from storage.database.interface import Row, Value
from storage.database.migrating import Ground
from storage.database.postgres_connections import Connection, fetch

# Any number that no other program takes a lock under.
_MIGRATING = 0x4B696F736B


class PostgresGround(Ground):
    """One connection, and the schema that it looks into."""

    dialect = "postgresql"
    where = "the PostgreSQL database"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begin(self) -> None:
        """Begin, once whoever else runs steps has ended."""
        # The lock is held until the transaction ends.
        await self._connection.execute("BEGIN")
        await self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        """Run one statement and return its rows."""
        return await fetch(self._connection, sql, parameters)

    async def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns, none where it is not there."""
        rows = await self.fetch(
            "SELECT column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = :table",
            table=table,
        )
        return {row["column_name"] for row in rows}

    async def tables(self) -> set[str]:
        """Return the names of all tables, but for those of extensions."""
        rows = await self.fetch(
            "SELECT relname FROM pg_class"
            " WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
            " AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid"
            " AND classid = 'pg_class'::regclass AND deptype = 'e')"
        )
        return {row["relname"] for row in rows}

    async def application_id(self) -> int:
        """Return 0: no number says which program's the database is."""
        return 0

    async def set_application_id(self, number: int) -> None:
        """Do nothing."""

    async def commit(self) -> None:
        """Let everything last."""
        await self._connection.commit()
