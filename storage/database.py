"""Open a database, bring its tables up to date, and lend connections to it.

DatabaseError
├── BadDatabaseUrl      the address is not one this version can open
├── DatabaseUnusable    the file can't be opened, or is not a database
├── DatabaseMissing     there is no file yet
├── DatabaseTooOld      it lacks steps, and was opened only to be looked at
└── DatabaseTooNew      a later version of the program has migrated it
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiosql
import aiosqlite

Value = str | int | float | bytes | None
Row = sqlite3.Row

# How long a connection waits for another process to finish writing, in seconds.
BUSY_TIMEOUT = 10.0
_URL_PREFIX = "sqlite:///"


class DatabaseError(Exception):
    """The database can't be used; the text says why in one line."""


class BadDatabaseUrl(DatabaseError):
    """DATABASE_URL is not `sqlite:///path`."""


class DatabaseUnusable(DatabaseError):
    """The file can't be opened, can't be written, or is not a database."""


class DatabaseMissing(DatabaseError):
    """There is no file yet."""


class DatabaseTooOld(DatabaseError):
    """The tables lack steps that opening it for use would run."""


class DatabaseTooNew(DatabaseError):
    """The tables were made by a later version of the program."""


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
            await _migrate(writer, _steps(migrations))
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
    if not _exists(path):
        raise DatabaseMissing(f"{path} does not exist yet")
    try:
        async with aiosqlite.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True) as connection:
            connection.row_factory = sqlite3.Row
            missing = len(_steps(migrations)) - await _steps_done(connection)
            if missing:
                _check_not_newer(missing)
                raise DatabaseTooOld(f"{path} lacks {missing} steps")
            pool: asyncio.LifoQueue[aiosqlite.Connection] = asyncio.LifoQueue()
            pool.put_nowait(connection)
            yield Database(pool, connection)
    except sqlite3.Error as error:
        raise DatabaseUnusable(f"{path}: {error}") from error


def database_path(url: str) -> Path:
    """Return the file that `sqlite:///path` names. Raises BadDatabaseUrl."""
    name = url.removeprefix(_URL_PREFIX)
    if name == url or not name or name == ":memory:":
        raise BadDatabaseUrl(f"{url!r} is not of the form sqlite:///kiosk.db")
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


async def _migrate(connection: aiosqlite.Connection, steps: Sequence[Path]) -> None:
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (step INTEGER PRIMARY KEY, name TEXT NOT NULL)"
    )
    await connection.execute("BEGIN IMMEDIATE")
    done = await _steps_done(connection)
    _check_not_newer(len(steps) - done)
    for number, step in enumerate(steps[done:], start=done + 1):
        for statement in _statements(step.read_text(encoding="utf-8")):
            await connection.execute(statement)
        await connection.execute("INSERT INTO migrations VALUES (?, ?)", (number, step.stem))
    await connection.commit()


async def _steps_done(connection: aiosqlite.Connection) -> int:
    rows = list(await connection.execute_fetchall("SELECT coalesce(max(step), 0) FROM migrations"))
    return int(rows[0][0])


def _check_not_newer(missing: int) -> None:
    if missing < 0:
        raise DatabaseTooNew(
            f"a version {-missing} steps newer has used it: use that or a later one"
        )


def _exists(path: Path) -> bool:
    return path.is_file()


def _steps(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sql"))


def _statements(script: str) -> Iterator[str]:
    # sqlite3's own executescript() would commit first, and so leave half a step behind.
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
