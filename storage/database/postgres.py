"""PostgreSQL: a pool of connections, safe behind PgBouncer."""

import re
import time
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from psycopg.sql import SQL, Identifier

from storage.database.interface import PATIENCE, Database, Row, Transaction, Value
from storage.database.migrating import Ground, check_migrated, migrate
from storage.database.postgres_connections import (
    FIRST_PATIENCE,
    NAME,
    Connection,
    Pool,
    limited,
    listen,
    naming_faults,
    open_pool,
    passing_over_death,
)
from storage.errors import CommitUnknown, DatabaseInUse, DatabaseUnusable

_ANY_PATIENCE = 86_400.0
# Any number that no other program takes a lock under.
_MIGRATING = 0x4B696F736B
# For a second, at whether a database is in use.
_LOOKS, _SECONDS_BETWEEN_LOOKS = 10, 0.1
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)|(%)|('(?:[^']|'')*')")


class _Transaction(Transaction):
    def __init__(self, connection: Connection, patience: float) -> None:
        super().__init__()
        self._connection = connection
        self._patience = patience

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        with naming_faults(), limited(self._connection, self._patience):
            return await _fetch(self._connection, sql, parameters)

    async def execute(self, sql: str, **parameters: Value) -> int:
        with naming_faults(), limited(self._connection, self._patience):
            cursor = await self._connection.execute(_translated(sql), parameters)
        return cursor.rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Value]]) -> None:
        with naming_faults(), limited(self._connection, self._patience):
            async with self._connection.cursor() as cursor:
                await cursor.executemany(_translated(sql), rows)

    async def insert(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]
    ) -> None:
        names = SQL(", ").join(map(Identifier, columns))
        copying = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table), names)
        with naming_faults(), limited(self._connection, self._patience):
            async with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
                for row in rows:
                    await copy.write_row(row)

    async def hint(self) -> None:
        await self.fetch("SELECT pg_notify(:channel, '')", channel=NAME)


class PostgresDatabase(Database):
    """Every statement takes a connection of the pool, a transaction for as long as it lasts.

    A connection that died while nobody used it is replaced, as long as the patience lasts.
    """

    def __init__(self, pool: Pool, url: str, patience: float) -> None:
        self._pool = pool
        self._url = url
        self._patience = patience
        # For the server itself, should this process die and leave it with a transaction.
        milliseconds = int(patience * 1000)
        self._begin: LiteralString = _translated(
            f"BEGIN; SET LOCAL statement_timeout = {milliseconds};"
            f" SET LOCAL idle_in_transaction_session_timeout = {milliseconds}"
        )

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        """Run one reading statement and return all its rows."""
        deadline = time.monotonic() + self._patience
        with naming_faults():
            while True:
                left = deadline - time.monotonic()
                async with self._pool.connection(timeout=left) as connection:
                    # Reading once more changes nothing.
                    with passing_over_death(connection), limited(connection, left):
                        return await _fetch(connection, sql, parameters)

    async def state(self) -> object:
        """Return which transactions have ended: each that writes has a number of its own."""
        row = await self.fetch_one("SELECT CAST(pg_current_snapshot() AS text) AS ended")
        return row and row["ended"]

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        """Run one reading statement and yield its rows, so many at once, as one moment had them."""
        async with (
            self._pool.connection(timeout=self._patience) as connection,
            connection.transaction(),
            connection.cursor("batches") as cursor,
        ):
            await cursor.execute(_translated(sql))
            while rows := await cursor.fetchmany(size):
                yield rows

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Database]:
        """Lend the database as it stands at one moment, to read it while others write."""
        with naming_faults():
            async with self._pool.connection(timeout=self._patience) as connection:
                await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
                try:
                    async with connection.transaction():
                        yield _Snapshot(self._pool, self._url, connection)
                finally:
                    await connection.set_isolation_level(None)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        """Hold a connection; commit when the block ends, roll back when it raises.

        Raises CommitUnknown.
        """
        with naming_faults():
            async with self._begun() as connection:
                transaction = _Transaction(connection, self._patience)
                try:
                    yield transaction
                except BaseException:
                    with suppress(psycopg.Error), limited(connection, self._patience):
                        await connection.rollback()
                    raise
                try:
                    with limited(connection, self._patience):
                        await connection.commit()
                except psycopg.OperationalError as error:
                    if connection.broken:
                        raise CommitUnknown(type(error).__name__) from error
                    raise
        transaction.committed()

    @asynccontextmanager
    async def _begun(self) -> AsyncGenerator[Connection]:
        """Lend a connection on which a transaction has begun."""
        deadline = time.monotonic() + self._patience
        while True:
            left = deadline - time.monotonic()
            async with self._pool.connection(timeout=left) as connection:
                # Nothing was asked of it yet.
                with passing_over_death(connection), limited(connection, left):
                    await connection.execute(self._begin)
                if not connection.broken:
                    yield connection
                    return

    async def hints(self) -> AsyncGenerator[None]:
        """Yield whenever another process may have changed something."""
        async with aclosing(listen(self._url, NAME)) as hints:
            async for hint in hints:
                yield hint

    async def columns(self, table: str) -> Mapping[str, str]:
        """Return the types of a table's columns, as this engine calls them, by their names."""
        sql = (
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = :table"
            " ORDER BY ordinal_position"
        )
        rows = await self.fetch(sql, table=table)
        return {row["column_name"]: row["data_type"] for row in rows}

    async def last_id(self, table: str) -> int:
        """Return the highest id that a table has ever given, 0 where it gives none."""
        sql = "SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, 'id')::regclass) AS id"
        if "id" not in await self.columns(table):
            return 0
        row = await self.fetch_one(sql, table=table)
        return int(row["id"] or 0) if row else 0

    async def continue_ids(self, transaction: Transaction, table: str, last_id: int) -> None:
        """Let a table give ids above this one from now on."""
        if last_id and "id" in await self.columns(table):
            await transaction.fetch(
                "SELECT setval(pg_get_serial_sequence(:table, 'id'), :last_id)",
                table=table,
                last_id=last_id,
            )


class _Snapshot(PostgresDatabase):
    """Reads through one connection, in whose transaction nothing changes."""

    def __init__(self, pool: Pool, url: str, connection: Connection) -> None:
        super().__init__(pool, url, _ANY_PATIENCE)
        self._connection = connection

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        with naming_faults():
            return await _fetch(self._connection, sql, parameters)

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        async with self._connection.cursor("batches") as cursor:
            await cursor.execute(_translated(sql))
            while rows := await cursor.fetchmany(size):
                yield rows


def postgres_is_in_use(url: str) -> bool:
    """Return whether any Kiosk has the database open. Raises DatabaseUnusable."""
    with _visiting(url) as connection:
        return _has_others(connection)


@contextmanager
def holding_postgres(url: str) -> Generator[None]:
    """Let nobody write to a database while the block runs. Raises DatabaseInUse."""
    with _visiting(url) as connection:
        _require_alone(connection)
        # Whoever starts from here on waits: it would write down which steps have run.
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(SQL("LOCK TABLE {} IN SHARE MODE").format(Identifier(table)))
        _require_alone(connection)
        yield


@contextmanager
def _visiting(url: str) -> Generator[psycopg.Connection]:
    try:
        with psycopg.connect(
            url, connect_timeout=int(FIRST_PATIENCE), application_name=f"{NAME} data"
        ) as connection:
            yield connection
    except psycopg.Error as error:
        raise DatabaseUnusable(f"PostgreSQL can't be used: {type(error).__name__}") from None


def _require_alone(connection: psycopg.Connection) -> None:
    if _has_others(connection):
        raise DatabaseInUse


def _has_others(connection: psycopg.Connection) -> bool:
    """Return whether a Kiosk is connected; one that has just left is listed a moment longer."""
    for _ in range(_LOOKS):
        # What was seen once is kept until a transaction ends.
        connection.execute("SELECT pg_stat_clear_snapshot()")
        found = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name = %s",
            (NAME,),
        )
        if found.fetchone() is None:
            return False
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return True


class _Ground(Ground):
    dialect = "postgresql"
    where = "the PostgreSQL database"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begin(self) -> None:
        # The lock is held until the transaction ends.
        await self._connection.execute("BEGIN")
        await self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))

    async def run(self, sql: str, **parameters: Value) -> None:
        await self._connection.execute(_translated(sql), parameters)

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        return await _fetch(self._connection, sql, parameters)

    async def columns(self, table: str) -> set[str]:
        rows = await self.fetch(
            "SELECT column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = :table",
            table=table,
        )
        return {row["column_name"] for row in rows}

    async def tables(self) -> set[str]:
        rows = await self.fetch(
            "SELECT relname FROM pg_class"
            " WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
            " AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid"
            " AND classid = 'pg_class'::regclass AND deptype = 'e')"
        )
        return {row["relname"] for row in rows}

    async def application_id(self) -> int:
        return 0

    async def set_application_id(self, number: int) -> None:
        pass

    async def commit(self) -> None:
        await self._connection.commit()


@asynccontextmanager
async def open_postgres(
    url: str, migrations: Path, *, patience: float = PATIENCE
) -> AsyncGenerator[Database]:
    """Open the database at `postgresql://…`, run the steps it lacks, close it at the end."""
    async with open_pool(url) as pool:
        try:
            async with pool.connection(timeout=FIRST_PATIENCE) as connection:
                await migrate(_Ground(connection), migrations)
        except psycopg.Error as error:
            raise DatabaseUnusable(f"PostgreSQL can't be used: {error}") from error
        yield PostgresDatabase(pool, url, patience)


@asynccontextmanager
async def look_into_postgres(url: str, migrations: Path) -> AsyncGenerator[Database]:
    """Open a database only to look at it, however long that takes."""
    async with open_pool(url, read_only=True) as pool:
        async with pool.connection(timeout=FIRST_PATIENCE) as connection:
            await check_migrated(_Ground(connection), migrations)
        yield PostgresDatabase(pool, url, _ANY_PATIENCE)


async def _fetch(
    connection: Connection, sql: str, parameters: Mapping[str, Value]
) -> Sequence[Row]:
    cursor = await connection.execute(_translated(sql), parameters)
    return await cursor.fetchall() if cursor.description else []


@lru_cache(maxsize=1024)
def _translated(sql: str) -> LiteralString:
    """Return a statement with its parameters as this driver names them: `%(so)s` for `:so`."""

    def translate(match: re.Match[str]) -> str:
        name, percent, text = match.groups()
        if name:
            return f"%({name})s"
        return "%%" if percent else str(text).replace("%", "%%")

    return cast("LiteralString", _PARAMETER.sub(translate, sql))
