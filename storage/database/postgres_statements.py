"""Statements on a connection to PostgreSQL: how they are written, how long they may take."""

import asyncio
import os
import re
import socket
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, LiteralString, cast

import psycopg
from psycopg.sql import SQL, Identifier

from storage.database.interface import Row, Transaction, Value
from storage.database.migrating import Ground
from storage.errors import NotUnique, StatementFailed

NAME = "kiosk"
# Any number that no other program takes a lock under.
_MIGRATING = 0x4B696F736B
# Rows that one statement inserts: each costs a way there and back, and a plan.
_AT_ONCE = 40
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)|(%)|('(?:[^']|'')*')")
_VALUES = re.compile(r"\bVALUES\s*\(")
_ROW_PARAMETER = re.compile(r"(?<!:):(\w+)")

Connection = psycopg.AsyncConnection[dict[str, Any]]


@dataclass(eq=False)
class PostgresTransaction(Transaction):
    """A connection inside a transaction; each statement takes so many seconds at most."""

    hint = f"SELECT pg_notify('{NAME}', '')"

    connection: Connection
    patience: float

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        with limited(self.connection, self.patience):
            return await fetch(self.connection, sql, parameters)

    async def execute(self, sql: str, **parameters: Value) -> int:
        with limited(self.connection, self.patience):
            cursor = await self.connection.execute(translated(sql), parameters)
        return cursor.rowcount

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Value]]) -> None:
        whole = _for_rows(sql)
        for at in range(0, len(rows), _AT_ONCE):
            batch = rows[at : at + _AT_ONCE]
            if whole is not None and len(batch) == _AT_ONCE:
                await self.execute(whole, **_parameters_of(batch))
                continue
            with limited(self.connection, self.patience):
                async with self.connection.cursor() as cursor:
                    await cursor.executemany(translated(sql), batch)

    async def insert(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]
    ) -> None:
        names = SQL(", ").join(map(Identifier, columns))
        copying = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table), names)
        with limited(self.connection, self.patience):
            async with self.connection.cursor() as cursor, cursor.copy(copying) as copy:
                for row in rows:
                    await copy.write_row(row)


class PostgresGround(Ground):
    """One connection, and the schema that it looks into."""

    dialect = "postgresql"
    where = "the PostgreSQL database"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begin(self) -> None:
        # The lock is held until the transaction ends.
        await self._connection.execute("BEGIN")
        await self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        return await fetch(self._connection, sql, parameters)

    async def columns(self, table: str) -> set[str]:
        rows = await self.fetch(
            # Not information_schema, which hides what its reader has no right to.
            "SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
            " WHERE relnamespace = current_schema()::regnamespace AND relname = :table"
            " AND attnum > 0 AND NOT attisdropped",
            table=table,
        )
        return {row["attname"] for row in rows}

    async def tables(self) -> set[str]:
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
        await self._connection.commit()


async def fetch(connection: Connection, sql: str, parameters: Mapping[str, Value]) -> Sequence[Row]:
    """Run one statement and return its rows, none where it has none to give."""
    cursor = await connection.execute(translated(sql), parameters)
    return await cursor.fetchall() if cursor.description else []


@lru_cache(maxsize=1024)
def translated(sql: str) -> LiteralString:
    """Return a statement with its parameters as this driver names them: `%(so)s` for `:so`."""

    def translate(match: re.Match[str]) -> str:
        name, percent, text = match.groups()
        if name:
            return f"%({name})s"
        return "%%" if percent else str(text).replace("%", "%%")

    return cast("LiteralString", _PARAMETER.sub(translate, sql))


@contextmanager
def limited(connection: Connection, seconds: float) -> Generator[None]:
    """Cut a connection that takes longer to answer; the statement fails as if the server had died.

    Cancelling would wait for the server in turn, which may answer nothing at all.
    """
    timer = asyncio.get_running_loop().call_later(seconds, _cut, connection)
    try:
        yield
    finally:
        timer.cancel()


def _cut(connection: Connection) -> None:
    with suppress(OSError, psycopg.Error):
        copy = socket.socket(fileno=os.dup(connection.fileno()))
        with copy:
            copy.shutdown(socket.SHUT_RDWR)


@contextmanager
def passing_over_death(connection: Connection) -> Generator[None]:
    """Let the failure of a statement pass where it is that the connection has died."""
    try:
        yield
    except psycopg.OperationalError:
        if not connection.broken:
            raise


def named(error: psycopg.Error) -> StatementFailed:
    """Return what the driver raised as an error of ours."""
    kind = NotUnique if isinstance(error, psycopg.IntegrityError) else StatementFailed
    return kind(type(error).__name__)


@lru_cache(maxsize=64)
def _for_rows(sql: str) -> str | None:
    """Return an insertion of one row as one of _AT_ONCE, with `:so_0`, `:so_1`… for `:so`.

    None for any other statement, and where something else than the row has parameters.
    """
    found = _VALUES.search(sql)
    if found is None:
        return None
    begin = found.end() - 1
    end = _end_of(sql, begin)
    row, rest = sql[begin:end], sql[:begin] + sql[end:]
    if _ROW_PARAMETER.search(rest):
        return None
    rows = (_ROW_PARAMETER.sub(rf":\1_{number}", row) for number in range(_AT_ONCE))
    return sql[:begin] + ", ".join(rows) + sql[end:]


def _parameters_of(rows: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the parameters of as many rows as `_for_rows` takes."""
    return {
        f"{name}_{number}": value for number, row in enumerate(rows) for name, value in row.items()
    }


def _end_of(sql: str, begin: int) -> int:
    """Return where the bracket ends that begins there."""
    depth = 0
    for at in range(begin, len(sql)):
        depth += {"(": 1, ")": -1}.get(sql[at], 0)
        if not depth:
            return at + 1
    return len(sql)
