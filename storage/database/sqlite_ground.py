"""What steps are run on, in a SQLite file."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import aiosqlite

from storage.database.interface import Row, Value
from storage.database.migrating import Ground


class SqliteGround(Ground):
    """The writing connection, or one for reading, of the file at a path."""

    dialect = "sqlite"

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection = connection
        self.where = str(path.resolve())

    async def begin(self) -> None:
        """Begin, once whoever else runs steps has ended."""
        await self._connection.execute("BEGIN IMMEDIATE")

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        """Run one statement and return its rows."""
        rows = await self._connection.execute_fetchall(sql, parameters)
        return cast("Sequence[Row]", rows)

    async def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns, none where it is not there."""
        rows = await self.fetch("SELECT name FROM pragma_table_info(:table)", table=table)
        return {row["name"] for row in rows}

    async def tables(self) -> set[str]:
        """Return the names of all tables, but for SQLite's own."""
        rows = await self.fetch("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {row["name"] for row in rows if not row["name"].startswith("sqlite_")}

    async def application_id(self) -> int:
        """Return the number that says which program's the file is, 0 where none does."""
        (row,) = await self.fetch("PRAGMA application_id")
        return int(row["application_id"])

    async def set_application_id(self, number: int) -> None:
        """Say which program's the file is."""
        if await self.application_id() != number:
            await self._connection.execute(f"PRAGMA application_id = {number}")

    async def commit(self) -> None:
        """Let everything last."""
        await self._connection.commit()
