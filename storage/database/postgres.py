"""PostgreSQL: a pool of connections, safe behind PgBouncer."""

import re
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, LiteralString, cast

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from storage.database.interface import Database, Row, Transaction, Value
from storage.database.migrating import Ground, check_migrated, migrate
from storage.errors import DatabaseUnusable, NotUnique, StatementFailed

# How long a statement waits for a connection, and a first connection for the server, in seconds.
_PATIENCE = 10.0
_FEWEST, _MOST = 1, 8
_NAME = "kiosk"
# Any number that no other program takes a lock under.
_MIGRATING = 0x4B696F736B
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)|(%)|('(?:[^']|'')*')")

_Connection = psycopg.AsyncConnection[dict[str, Any]]


class _Transaction(Transaction):
    def __init__(self, connection: _Connection) -> None:
        super().__init__()
        self._connection = connection

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        with _naming_faults():
            return await _fetch(self._connection, sql, parameters)

    async def execute(self, sql: str, **parameters: Value) -> int:
        with _naming_faults():
            cursor = await self._connection.execute(_translated(sql), parameters)
        return cursor.rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Value]]) -> None:
        with _naming_faults():
            async with self._connection.cursor() as cursor:
                await cursor.executemany(_translated(sql), rows)


class PostgresDatabase(Database):
    """Every statement takes a connection of the pool, a transaction for as long as it lasts."""

    def __init__(self, pool: "AsyncConnectionPool[_Connection]") -> None:
        self._pool = pool

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        """Run one reading statement and return all its rows."""
        with _naming_faults():
            async with self._pool.connection() as connection:
                return await _fetch(connection, sql, parameters)

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        """Run one reading statement and yield its rows, so many at once, as one moment had them."""
        async with (
            self._pool.connection() as connection,
            connection.transaction(),
            connection.cursor("batches") as cursor,
        ):
            await cursor.execute(_translated(sql))
            while rows := await cursor.fetchmany(size):
                yield rows

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        """Hold a connection; commit when the block ends, roll back when it raises."""
        with _naming_faults():
            async with self._pool.connection() as connection:
                transaction = _Transaction(connection)
                async with connection.transaction():
                    yield transaction
        transaction.committed()

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


def postgres_is_in_use(url: str) -> bool:
    """Return whether any Kiosk has the database open. Raises DatabaseUnusable."""
    try:
        with psycopg.connect(url, connect_timeout=int(_PATIENCE)) as connection:
            found = connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = %s",
                (_NAME,),
            ).fetchone()
    except psycopg.Error as error:
        raise DatabaseUnusable(f"PostgreSQL can't be used: {type(error).__name__}") from None
    return found is not None


class _Ground(Ground):
    dialect = "postgresql"

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    async def begin(self) -> None:
        # Held until the transaction ends.
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

    async def commit(self) -> None:
        await self._connection.commit()


@asynccontextmanager
async def open_postgres(url: str, migrations: Path) -> AsyncGenerator[Database]:
    """Open the database at `postgresql://…`, run the steps it lacks, close it at the end."""
    async with _pool(url) as pool:
        async with pool.connection() as connection:
            await migrate(_Ground(connection), migrations)
        yield PostgresDatabase(pool)


@asynccontextmanager
async def look_into_postgres(url: str, migrations: Path) -> AsyncGenerator[Database]:
    """Open a database only to look at it."""
    async with _pool(url, read_only=True) as pool:
        async with pool.connection() as connection:
            ground = _Ground(connection)
            if not await ground.columns("migrations"):
                raise DatabaseUnusable("the database has no tables yet: the first start makes them")
            await check_migrated(ground, migrations)
        yield PostgresDatabase(pool)


@asynccontextmanager
async def _pool(
    url: str, *, read_only: bool = False
) -> "AsyncGenerator[AsyncConnectionPool[_Connection]]":
    async def configure(connection: _Connection) -> None:
        await connection.set_read_only(read_only)

    pool: AsyncConnectionPool[_Connection] = AsyncConnectionPool(
        url,
        connection_class=cast("type[_Connection]", psycopg.AsyncConnection),
        # Parameters are written into the statement by the client: types need not be guessed, and
        # nothing is prepared that a pooler in between would lose.
        kwargs={
            "row_factory": dict_row,
            "cursor_factory": psycopg.AsyncClientCursor,
            "prepare_threshold": None,
            "application_name": _NAME,
        },
        configure=configure,
        min_size=_FEWEST,
        max_size=_MOST,
        timeout=_PATIENCE,
        open=False,
    )
    try:
        await pool.open(wait=True, timeout=_PATIENCE)
    except psycopg.Error as error:
        await pool.close()
        # The server's words may repeat the address, and the address holds a password.
        reason = str(error.__cause__ or error).splitlines()[0]
        raise DatabaseUnusable(f"PostgreSQL can't be used: {reason}") from None
    try:
        yield pool
    finally:
        await pool.close()


async def _fetch(
    connection: _Connection, sql: str, parameters: Mapping[str, Value]
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


@contextmanager
def _naming_faults() -> Generator[None]:
    try:
        yield
    except psycopg.errors.IntegrityError as error:
        raise NotUnique(type(error).__name__) from error
    except psycopg.Error as error:
        raise StatementFailed(type(error).__name__) from error
