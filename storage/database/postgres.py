"""PostgreSQL: a pool of connections, safe behind PgBouncer."""

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import LiteralString

import psycopg

from storage.database.interface import Database, Row, Transaction, Value
from storage.database.postgres_connections import (
    FIRST_PATIENCE,
    Pool,
    open_pool,
    reason_of,
)
from storage.database.postgres_statements import (
    Connection,
    PostgresGround,
    PostgresTransaction,
    fetch,
    limited,
    named,
    passing_over_death,
    translated,
)
from storage.database.schema import check_tables, make_tables
from storage.errors import CommitUnknown, DatabaseUnavailable, DatabaseUnusable

_ANY_PATIENCE = 86_400.0


class PostgresDatabase(Database):
    """Every statement takes a connection of the pool, a transaction for as long as it lasts.

    A connection that died while nobody used it is replaced, as long as the patience lasts.
    """

    clock = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT"

    def __init__(self, pool: Pool, patience: float) -> None:
        self._pool = pool
        self._patience = patience
        # For the server itself, should this process die and leave it with a transaction.
        milliseconds = int(patience * 1000)
        self._begin: LiteralString = translated(
            f"BEGIN; SET LOCAL statement_timeout = {milliseconds};"
            f" SET LOCAL idle_in_transaction_session_timeout = {milliseconds}"
        )

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        deadline = time.monotonic() + self._patience
        try:
            while True:
                left = deadline - time.monotonic()
                async with self._pool.connection(timeout=left) as connection:
                    # Reading once more changes nothing.
                    with passing_over_death(connection), limited(connection, left):
                        return await fetch(connection, sql, parameters)
        except psycopg.Error as error:
            raise named(error) from error

    async def state(self) -> object:
        """Return which transactions have ended: each that writes has a number of its own."""
        row = await self.fetch_one("SELECT CAST(pg_current_snapshot() AS text) AS ended")
        return row and row["ended"]

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        try:
            async with (
                self._pool.connection(timeout=self._patience) as connection,
                connection.transaction(),
                connection.cursor("batches") as cursor,
            ):
                await cursor.execute(translated(sql))
                while rows := await cursor.fetchmany(size):
                    yield rows
        except psycopg.Error as error:
            raise named(error) from error

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Database]:
        try:
            async with self._pool.connection(timeout=self._patience) as connection:
                await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
                try:
                    async with connection.transaction():
                        yield _Snapshot(self._pool, connection)
                finally:
                    await connection.set_isolation_level(None)
        except psycopg.Error as error:
            raise named(error) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        """Hold a connection; commit when the block ends, roll back when it raises.

        Raises CommitUnknown.
        """
        try:
            async with self._begun() as connection:
                transaction = PostgresTransaction(connection, self._patience)
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
        except psycopg.Error as error:
            raise named(error) from error
        for callback in transaction.afterwards:
            callback()

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

    async def columns(self, table: str) -> Mapping[str, str]:
        sql = (
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = :table"
            " ORDER BY ordinal_position"
        )
        rows = await self.fetch(sql, table=table)
        return {row["column_name"]: row["data_type"] for row in rows}

    async def last_id(self, table: str) -> int:
        sql = "SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, 'id')::regclass) AS id"
        if "id" not in await self.columns(table):
            return 0
        row = await self.fetch_one(sql, table=table)
        return int(row["id"] or 0) if row else 0

    async def continue_ids(self, transaction: Transaction, table: str, last_id: int) -> None:
        if last_id and "id" in await self.columns(table):
            await transaction.fetch(
                "SELECT setval(pg_get_serial_sequence(:table, 'id'), :last_id)",
                table=table,
                last_id=last_id,
            )


class _Snapshot(PostgresDatabase):
    """Reads through one connection, in whose transaction nothing changes."""

    def __init__(self, pool: Pool, connection: Connection) -> None:
        super().__init__(pool, _ANY_PATIENCE)
        self._connection = connection

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        try:
            return await fetch(self._connection, sql, parameters)
        except psycopg.Error as error:
            raise named(error) from error

    async def batches(self, sql: str, size: int) -> AsyncGenerator[Sequence[Row]]:
        async with self._connection.cursor("batches") as cursor:
            await cursor.execute(translated(sql))
            while rows := await cursor.fetchmany(size):
                yield rows


@asynccontextmanager
async def open_postgres(url: str, schema: Path, patience: float) -> AsyncGenerator[Database]:
    """Open the database at `postgresql://…`, make its tables if it is new, close it at the end."""
    async with open_pool(url) as pool:
        try:
            async with pool.connection(timeout=FIRST_PATIENCE) as connection:
                await make_tables(PostgresGround(connection), schema)
        except psycopg.Error as error:
            raise _unusable(error) from error
        yield PostgresDatabase(pool, patience)


@asynccontextmanager
async def look_into_postgres(url: str, schema: Path) -> AsyncGenerator[Database]:
    """Open a database only to look at it, however long that takes."""
    async with open_pool(url, read_only=True) as pool:
        try:
            async with pool.connection(timeout=FIRST_PATIENCE) as connection:
                await check_tables(PostgresGround(connection), schema)
        except psycopg.Error as error:
            raise _unusable(error) from error
        yield PostgresDatabase(pool, _ANY_PATIENCE)


def _unusable(error: psycopg.Error) -> DatabaseUnusable:
    passes = isinstance(error, psycopg.OperationalError)
    kind = DatabaseUnavailable if passes else DatabaseUnusable
    return kind(f"PostgreSQL can't be used: {reason_of(error)}")
