"""SQLite: a write-ahead log, one writing connection and a few reading ones."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

import aiosqlite

from storage.database.interface import PATIENCE, Database, Row, Transaction, Value
from storage.database.schema import Dialect, check_tables, has_tables, make_tables
from storage.database.sqlite_files import (
    address_for_reading,
    database_path,
    make_private,
    unusable,
)
from storage.errors import DatabaseMissing, NotUnique, StatementFailed
from storage.rows import to_micros

_DIALECT = Dialect(
    "sqlite",
    {"id": "INTEGER PRIMARY KEY AUTOINCREMENT", "bytes": "BLOB"},
    begin="BEGIN IMMEDIATE",
    tables="SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'",
    mark="PRAGMA application_id = {}",
)
_READERS = 2
# In seconds, though others of this process took all of a writer's time.
_LEAST_WAIT = 0.05

# For every connection: the driver knows of no adapters of one alone.
sqlite3.register_adapter(datetime, to_micros)


@dataclass(eq=False)
class SqliteTransaction(Transaction):
    """A connection, inside a transaction or not."""

    connection: aiosqlite.Connection

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        return await _fetch(self.connection, sql, parameters)

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


class SqliteDatabase(Database):
    """Reads go to any free connection, transactions take the writing one."""

    clock = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"
    # A cast to BOOLEAN would make a number of it, as everything else does here.
    columns_of = (
        "SELECT name, replace(type, 'INTEGER', 'BIGINT') AS type FROM pragma_table_info(:table)"
    )
    last_id = "SELECT seq AS id FROM sqlite_sequence WHERE name = :table"
    continue_ids = (
        "REPLACE INTO sqlite_sequence (rowid, name, seq)"
        " VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = :table), :table, :last_id)"
    )

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
        with self.time_read():
            connection = await self._readers.get()
            try:
                return await _fetch(connection, sql, parameters)
            except sqlite3.Error as error:
                raise _named(error) from error
            finally:
                self._readers.put_nowait(connection)

    async def state(self) -> object:
        """Return a number that another connection's every change counts up."""
        # On this thread: it looks at shared memory, in a tenth of the time of a hop to another.
        with _naming():
            return self._watcher.execute("PRAGMA data_version").fetchall()

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        async with self._reader() as connection, connection.execute(sql) as cursor:
            while rows := list(await cursor.fetchmany(size)):
                yield cast("Sequence[Row]", rows)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Database]:
        async with self._reader() as connection:
            try:
                await connection.execute("BEGIN")
                # The moment is that of the first look.
                await connection.execute_fetchall("SELECT 1 FROM sqlite_schema")
                yield SqliteDatabase(_queue([connection]), connection, self._watcher)
            finally:
                await asyncio.shield(asyncio.ensure_future(connection.rollback()))

    @asynccontextmanager
    async def _reader(self) -> AsyncGenerator[aiosqlite.Connection]:
        connection = await self._readers.get()
        try:
            with _naming():
                yield connection
        finally:
            self._readers.put_nowait(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        with self.time_transaction():
            deadline = time.monotonic() + self._patience
            try:
                async with asyncio.timeout(self._patience):
                    await self._writing.acquire()
            except TimeoutError:
                raise StatementFailed("the database is locked") from None
            transaction = SqliteTransaction(self._writer)
            try:
                with _naming():
                    # For other processes it waits as long as it has not waited for this one's.
                    left = max(deadline - time.monotonic(), _LEAST_WAIT)
                    await self._writer.executescript(
                        f"PRAGMA busy_timeout = {int(left * 1000)}; BEGIN IMMEDIATE"
                    )
                    yield transaction
                    await self._writer.commit()
            except BaseException:
                # Shielded: a second cancellation must not hand on a connection mid-transaction.
                await asyncio.shield(asyncio.ensure_future(self._writer.rollback()))
                raise
            finally:
                self._writing.release()
        for callback in transaction.afterwards:
            callback()


async def _fetch(
    connection: aiosqlite.Connection, sql: str, parameters: Mapping[str, Value]
) -> Sequence[Row]:
    # One call, so one hop to the connection's thread: twice as fast as a cursor.
    return cast("Sequence[Row]", await connection.execute_fetchall(sql, parameters))


@contextmanager
def _naming() -> Generator[None]:
    """Raise what the driver raises as an error of ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _named(error) from error


def _named(error: sqlite3.Error) -> StatementFailed:
    kind = NotUnique if isinstance(error, sqlite3.IntegrityError) else StatementFailed
    return kind(str(error))


@asynccontextmanager
async def open_sqlite(url: str, schema: Path, patience: float) -> AsyncGenerator[Database]:
    """Open the database at `sqlite:///path`, make its tables if it is new, close it at the end.

    A transaction waits so many seconds for other processes to end theirs.
    """
    path = database_path(url)
    where = str(path.resolve())
    async with AsyncExitStack() as stack:
        try:
            if path.is_file():
                # Before anything is changed, were it only the file's permissions. What was left
                # behind by a crash can't be read before it is mended.
                with suppress(sqlite3.OperationalError):
                    async with _looking(path) as connection:
                        await has_tables(SqliteTransaction(connection), _DIALECT, where, schema)
            make_private(path)
            writer = await stack.enter_async_context(_connected(path, patience))
            await make_tables(SqliteTransaction(writer), _DIALECT, where, schema)
            readers = [
                await stack.enter_async_context(_connected(path, patience, read_only=True))
                for _ in range(_READERS)
            ]
            watcher = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        except (OSError, sqlite3.Error) as error:
            raise unusable(path, error) from error
        yield SqliteDatabase(_queue(readers), writer, watcher, patience)


@asynccontextmanager
async def look_into_sqlite(url: str, schema: Path) -> AsyncGenerator[Database]:
    """Open a database only to look at it."""
    path = database_path(url)
    where = str(path.resolve())
    if not path.is_file():
        raise DatabaseMissing(f"{where} is not there yet: the first start makes it")
    try:
        async with _looking(path) as connection:
            await check_tables(SqliteTransaction(connection), _DIALECT, where, schema)
            with closing(sqlite3.connect(address_for_reading(path), uri=True)) as watcher:
                yield SqliteDatabase(_queue([connection]), connection, watcher)
    except sqlite3.Error as error:
        raise unusable(path, error) from error


def _queue(
    connections: Iterable[aiosqlite.Connection],
) -> asyncio.LifoQueue[aiosqlite.Connection]:
    queue: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
    for connection in connections:
        queue.put_nowait(connection)
    return queue


@asynccontextmanager
async def _looking(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    """Open a file only to read it."""
    async with aiosqlite.connect(address_for_reading(path), uri=True) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def _connected(path: Path, patience: float, *, read_only: bool = False) -> aiosqlite.Connection:
    """Return a connection to read and write a file; it waits so many seconds for others' locks."""

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

    return aiosqlite.Connection(connect, iter_chunk_size=64)


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
