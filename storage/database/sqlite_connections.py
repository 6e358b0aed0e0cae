"""Connections to a SQLite file, what is asked over them, and what their errors mean."""

import sqlite3
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, cast

import aiosqlite

from storage.database.interface import PATIENCE, Row, Transaction, Value
from storage.database.schema import Ground
from storage.database.sqlite_files import address_for_reading, make_private
from storage.errors import NotUnique, StatementFailed
from storage.rows import to_micros

# For every connection: the driver knows of no adapters of one alone.
sqlite3.register_adapter(datetime, to_micros)


@asynccontextmanager
async def reading(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    """Open a file only to read it."""
    async with aiosqlite.connect(address_for_reading(path), uri=True) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


@asynccontextmanager
async def connect(
    path: Path, patience: float, *, read_only: bool = False
) -> AsyncGenerator[aiosqlite.Connection]:
    """Open a file, made if it is not there, to read and write it; others' locks are waited for.

    `patience` is in seconds. Raises DatabaseUnusable.
    """
    make_private(path)

    def connect() -> sqlite3.Connection:
        # All at once, on the connection's own thread: each hop there takes as long as a statement.
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            _use_write_ahead_log(connection)
            # A purchase that was about to be asked for must be known even after a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA query_only = {read_only}")
            if read_only:
                # In KiB. The system keeps the file's pages, too; a long thread would fill 2 MiB.
                connection.execute("PRAGMA cache_size = -512")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    async with aiosqlite.Connection(connect, iter_chunk_size=64) as connection:
        yield connection


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    # SQLite does not wait for a lock here, so that two first starts at once would refuse one.
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def named(error: sqlite3.Error) -> StatementFailed:
    """Return what the driver raised as an error of ours."""
    kind = NotUnique if isinstance(error, sqlite3.IntegrityError) else StatementFailed
    return kind(str(error))


@dataclass(eq=False)
class SqliteTransaction(Transaction):
    """The writing connection, inside a transaction."""

    connection: aiosqlite.Connection

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        return cast("Sequence[Row]", await self.connection.execute_fetchall(sql, parameters))

    async def execute(self, sql: str, **parameters: Value) -> int:
        cursor = await self.connection.execute(sql, parameters)
        return cursor.rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Value]]) -> None:
        await self.connection.executemany(sql, rows)

    async def insert(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]
    ) -> None:
        marks = ", ".join("?" * len(columns))
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - ours
        await self.connection.executemany(sql, rows)


class SqliteGround(Ground):
    """The writing connection, or one for reading, of the file at a path."""

    dialect = "sqlite"
    words: ClassVar[dict[str, str]] = {"id": "INTEGER PRIMARY KEY AUTOINCREMENT", "bytes": "BLOB"}

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection = connection
        self.where = str(path.resolve())

    async def begin(self) -> None:
        await self._connection.execute("BEGIN IMMEDIATE")

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        return cast("Sequence[Row]", await self._connection.execute_fetchall(sql, parameters))

    async def columns(self, table: str) -> set[str]:
        rows = await self.fetch("SELECT name FROM pragma_table_info(:table)", table=table)
        return {row["name"] for row in rows}

    async def tables(self) -> set[str]:
        rows = await self.fetch("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {row["name"] for row in rows if not row["name"].startswith("sqlite_")}

    async def application_id(self) -> int:
        (row,) = await self.fetch("PRAGMA application_id")
        return int(row["application_id"])

    async def set_application_id(self, number: int) -> None:
        if await self.application_id() != number:
            await self._connection.execute(f"PRAGMA application_id = {number}")

    async def commit(self) -> None:
        await self._connection.commit()
