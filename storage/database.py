"""Open a database, bring its tables up to date, and lend connections to it."""

import asyncio
import sqlite3
import stat
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiosql
import aiosqlite

from storage.errors import BadDatabaseUrl, DatabaseMissing, DatabaseUnusable
from storage.migrating import check_migrated, migrate

Value = str | int | float | bytes | None
Row = sqlite3.Row

# How long a connection waits for another process to finish writing, in seconds.
BUSY_TIMEOUT = 10.0
_URL_PREFIX = "sqlite:///"


class Transaction:
    """One connection inside one transaction; what it writes lasts only if the block ends well."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        """Run one statement and return all its rows."""
        return list(await self._connection.execute_fetchall(sql, parameters))

    async def fetch_one(self, sql: str, **parameters: Value) -> Row | None:
        """Run one statement and return its first row, if it has one."""
        rows = await self.fetch(sql, **parameters)
        return rows[0] if rows else None

    async def execute(self, sql: str, **parameters: Value) -> int:
        """Run one statement and return how many rows it changed."""
        cursor = await self._connection.execute(sql, parameters)
        return cursor.rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Value]]) -> None:
        """Run one statement once for each row of parameters."""
        await self._connection.executemany(sql, rows)


class Database:
    """A migrated database: reads go to any free connection, transactions take the writing one."""

    def __init__(
        self, readers: asyncio.LifoQueue[aiosqlite.Connection], writer: aiosqlite.Connection
    ) -> None:
        self._readers = readers
        self._writer = writer
        self._writing = asyncio.Lock()

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        """Run one reading statement and return all its rows."""
        connection = await self._readers.get()
        try:
            # One call, so one hop to the connection's thread: twice as fast as a cursor.
            return list(await connection.execute_fetchall(sql, parameters))
        finally:
            self._readers.put_nowait(connection)

    async def fetch_one(self, sql: str, **parameters: Value) -> Row | None:
        """Run one reading statement and return its first row, if it has one."""
        rows = await self.fetch(sql, **parameters)
        return rows[0] if rows else None

    async def execute(self, sql: str, **parameters: Value) -> int:
        """Run one writing statement in a transaction of its own; return the rows changed."""
        async with self.transaction() as transaction:
            return await transaction.execute(sql, **parameters)

    async def change_one(self, sql: str, **parameters: Value) -> Row | None:
        """Run one writing statement in a transaction of its own; return its first row, if any."""
        async with self.transaction() as transaction:
            return await transaction.fetch_one(sql, **parameters)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        """Hold the writing connection; commit when the block ends, roll back when it raises."""
        async with self._writing:
            try:
                await self._writer.execute("BEGIN IMMEDIATE")
                yield Transaction(self._writer)
                await self._writer.commit()
            except BaseException:
                # Shielded: a second cancellation must not hand on a connection mid-transaction.
                await asyncio.shield(asyncio.ensure_future(self._writer.rollback()))
                raise


def load_queries(path: Path) -> dict[str, str]:
    """Read an aiosql file; return each query's SQL by its name."""
    queries = aiosql.from_path(path, "aiosqlite")  # pyright: ignore[reportUnknownMemberType]
    return {
        name: getattr(queries, name).sql
        for name in queries.available_queries
        if not name.endswith("_cursor")
    }


@asynccontextmanager
async def open_database(
    url: str, migrations: Path, *, readers: int = 2
) -> AsyncGenerator[Database]:
    """Open the database at `sqlite:///path`, run the steps it lacks, close it at the end.

    Several processes may open one database at the same time: a step runs in one of them.

    Raises DatabaseError.
    """
    path = database_path(url)
    async with AsyncExitStack() as stack:
        try:
            writer = await stack.enter_async_context(_connect(path))
            await migrate(writer, migrations)
            pool: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
            for _ in range(readers):
                connection = await stack.enter_async_context(_connect(path))
                await connection.execute("PRAGMA query_only = ON")
                pool.put_nowait(connection)
        except sqlite3.Error as error:
            raise DatabaseUnusable(f"{path}: {error}") from error
        yield Database(pool, writer)


@asynccontextmanager
async def open_existing_database(url: str, migrations: Path) -> AsyncGenerator[Database]:
    """Open a database only to look at it: nothing is created, migrated or written.

    Raises DatabaseError.
    """
    path = database_path(url)
    if not path.is_file():
        raise DatabaseMissing(f"{path} does not exist yet")
    try:
        async with aiosqlite.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as connection:
            connection.row_factory = sqlite3.Row
            await check_migrated(connection, migrations)
            pool: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
            pool.put_nowait(connection)
            yield Database(pool, connection)
    except sqlite3.Error as error:
        raise DatabaseUnusable(f"{path}: {error}") from error


def database_path(url: str) -> Path:
    """Return the file that `sqlite:///path` names. Raises BadDatabaseUrl."""
    name = url.removeprefix(_URL_PREFIX)
    if name == url or not name or name == ":memory:":
        # Not in its own words: an address may hold a password.
        raise BadDatabaseUrl("the address is not of the form sqlite:///kiosk.db")
    return Path(name)


@asynccontextmanager
async def _connect(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    _make_private(path)
    async with aiosqlite.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None) as connection:
        connection.row_factory = sqlite3.Row
        await _use_write_ahead_log(connection)
        # A purchase that was about to be asked for must be known even after a power cut.
        await connection.execute("PRAGMA synchronous = FULL")
        await connection.execute("PRAGMA foreign_keys = ON")
        yield connection


def _make_private(path: Path) -> None:
    try:
        # Sealed or not, what is inside is the owner's alone.
        path.touch(mode=0o600, exist_ok=True)
        for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
                file.chmod(0o600)
    except OSError as error:
        raise DatabaseUnusable(f"{path}: {error.strerror}") from error


async def _use_write_ahead_log(connection: aiosqlite.Connection) -> None:
    # SQLite does not wait for a lock here, so that two first starts at once would refuse one.
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            await connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.01)
        else:
            return
