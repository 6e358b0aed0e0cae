"""SQLite: a write-ahead log, one writing connection and a few reading ones."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import cast

import aiosqlite

from storage.database.interface import PATIENCE, Database, Row, Transaction, Value
from storage.database.schema import check_kind, check_tables, make_tables
from storage.database.sqlite_connections import (
    SqliteGround,
    SqliteTransaction,
    connect,
    named,
    reading,
)
from storage.database.sqlite_files import address_for_reading, database_path, unusable
from storage.errors import DatabaseMissing, StatementFailed

# A shorter wait than this, in seconds, changes nothing for those who come next.
_NOTICEABLE = 0.05
_READERS = 2


class SqliteDatabase(Database):
    """Reads go to any free connection, transactions take the writing one."""

    clock = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"

    def __init__(
        self,
        readers: asyncio.LifoQueue[aiosqlite.Connection],
        writer: aiosqlite.Connection,
        watcher: sqlite3.Connection,
        patience: float = PATIENCE,
    ) -> None:
        self._readers = readers
        self._writer = writer
        self._watcher = watcher
        self._patience = patience
        self._writing = asyncio.Lock()

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        connection = await self._readers.get()
        try:
            # One call, so one hop to the connection's thread: twice as fast as a cursor.
            return cast("Sequence[Row]", await connection.execute_fetchall(sql, parameters))
        except sqlite3.Error as error:
            raise named(error) from error
        finally:
            self._readers.put_nowait(connection)

    async def state(self) -> object:
        """Return a number that another connection's every change counts up."""
        # On this thread: it looks at shared memory, in a tenth of the time of a hop to another.
        try:
            return self._watcher.execute("PRAGMA data_version").fetchall()
        except sqlite3.Error as error:
            raise named(error) from error

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        connection = await self._readers.get()
        try:
            async with connection.execute(sql) as cursor:
                while rows := list(await cursor.fetchmany(size)):
                    yield cast("Sequence[Row]", rows)
        finally:
            self._readers.put_nowait(connection)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Database]:
        connection = await self._readers.get()
        alone: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
        alone.put_nowait(connection)
        try:
            await connection.execute("BEGIN")
            # The moment is that of the first look.
            await connection.execute_fetchall("SELECT 1 FROM sqlite_schema")
            yield SqliteDatabase(alone, connection, self._watcher)
        except sqlite3.Error as error:
            raise named(error) from error
        finally:
            await asyncio.shield(asyncio.ensure_future(connection.rollback()))
            self._readers.put_nowait(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._patience):
                await self._writing.acquire()
        except TimeoutError:
            raise StatementFailed("the database is locked") from None
        transaction = SqliteTransaction(self._writer)
        try:
            waited = time.monotonic() - begun
            if waited > _NOTICEABLE:
                await self._begin_within(max(self._patience - waited, _NOTICEABLE))
            else:
                await self._writer.execute("BEGIN IMMEDIATE")
            yield transaction
            await self._writer.commit()
        except BaseException as error:
            # Shielded: a second cancellation must not hand on a connection mid-transaction.
            await asyncio.shield(asyncio.ensure_future(self._writer.rollback()))
            if isinstance(error, sqlite3.Error):
                raise named(error) from error
            raise
        finally:
            self._writing.release()
        for callback in transaction.afterwards:
            callback()

    async def _begin_within(self, seconds: float) -> None:
        """Wait for other processes, for what this one's other transactions have left of patience.

        While another process holds the file, all who wait for it give up after the same time: each
        one's wait counts from where it began.
        """
        await self._be_patient(seconds)
        try:
            await self._writer.execute("BEGIN IMMEDIATE")
        finally:
            await self._be_patient(self._patience)

    async def _be_patient(self, seconds: float) -> None:
        await self._writer.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    async def columns(self, table: str) -> Mapping[str, str]:
        sql = "SELECT name, type FROM pragma_table_info(:table)"
        rows = await self.fetch(sql, table=table)
        # A cast to BOOLEAN would make a number of it, as everything else does here.
        return {row["name"]: "BIGINT" if row["type"] == "INTEGER" else row["type"] for row in rows}

    async def last_id(self, table: str) -> int:
        sql = "SELECT seq FROM sqlite_sequence WHERE name = :table"
        row = await self.fetch_one(sql, table=table)
        return int(row["seq"]) if row else 0

    async def continue_ids(self, transaction: Transaction, table: str, last_id: int) -> None:
        rows = await transaction.fetch(
            "SELECT 1 FROM sqlite_schema WHERE name = :table AND sql LIKE '%AUTOINCREMENT%'",
            table=table,
        )
        if rows:
            await transaction.execute(
                "DELETE FROM sqlite_sequence WHERE name = :table", table=table
            )
            await transaction.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last_id)",
                table=table,
                last_id=last_id,
            )


@asynccontextmanager
async def open_sqlite(url: str, schema: Path, patience: float) -> AsyncGenerator[Database]:
    """Open the database at `sqlite:///path`, make its tables if it is new, close it at the end.

    A transaction waits so many seconds for other processes to end theirs.
    """
    path = database_path(url)
    async with AsyncExitStack() as stack:
        try:
            if path.is_file():
                # Before anything is changed, were it only the file's permissions. What was left
                # behind by a crash can't be read before it is mended.
                with suppress(sqlite3.OperationalError):
                    async with reading(path) as connection:
                        await check_kind(SqliteGround(connection, path), schema)
            writer = await stack.enter_async_context(connect(path, patience))
            await make_tables(SqliteGround(writer, path), schema)
            pool: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
            for _ in range(_READERS):
                reader = connect(path, patience, read_only=True)
                pool.put_nowait(await stack.enter_async_context(reader))
            watcher = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        except (OSError, sqlite3.Error) as error:
            raise unusable(path, error) from error
        yield SqliteDatabase(pool, writer, watcher, patience)


@asynccontextmanager
async def look_into_sqlite(url: str, schema: Path) -> AsyncGenerator[Database]:
    """Open a database only to look at it."""
    path = database_path(url)
    if not path.is_file():
        raise DatabaseMissing(f"{path.resolve()} is not there yet: the first start makes it")
    try:
        async with reading(path) as connection:
            await check_tables(SqliteGround(connection, path), schema)
            pool: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
            pool.put_nowait(connection)
            with closing(sqlite3.connect(address_for_reading(path), uri=True)) as watcher:
                yield SqliteDatabase(pool, connection, watcher)
    except sqlite3.Error as error:
        raise unusable(path, error) from error
