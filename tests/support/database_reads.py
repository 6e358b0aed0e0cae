"""What a bot has read from its database, for tests that wait until it knows something."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from storage.database import Database, Row, Transaction, Value
from tests.support.gates import Happenings

_STATEMENTS = ("fetch", "execute", "execute_many")


@dataclass(frozen=True)
class DatabaseRead:
    """The rows that one statement returned, and the parameters it was run with."""

    parameters: Mapping[str, Value]
    rows: Sequence[Row]


def watch_reads(database: Database, reads: Happenings[DatabaseRead]) -> None:
    """Note every later read in the step in which its reader gets the rows.

    What is read in a transaction is noted once the transaction is committed.
    """
    fetch, transaction = database.fetch, database.transaction

    async def watched_fetch(sql: str, **parameters: Value) -> Sequence[Row]:
        rows = await fetch(sql, **parameters)
        reads.add(DatabaseRead(parameters, rows))
        return rows

    @asynccontextmanager
    async def watched_transaction() -> AsyncGenerator[Transaction]:
        found: list[DatabaseRead] = []
        async with transaction() as opened:
            fetch_inside = opened.fetch

            async def watched_fetch_inside(sql: str, **parameters: Value) -> Sequence[Row]:
                rows = await fetch_inside(sql, **parameters)
                found.append(DatabaseRead(parameters, rows))
                return rows

            opened.fetch = watched_fetch_inside
            yield opened
        for read in found:
            reads.add(read)

    database.fetch = watched_fetch
    database.transaction = watched_transaction


def watch_statements(database: Database, statements: list[str]) -> None:
    """Note every statement that later runs in a transaction."""
    transaction = database.transaction

    @asynccontextmanager
    async def watched() -> AsyncGenerator[Transaction]:
        async with transaction() as opened:
            for name in _STATEMENTS:
                setattr(opened, name, _noting(getattr(opened, name), statements))
            yield opened

    database.transaction = watched


def _noting(run: Callable[..., Any], statements: list[str]) -> Callable[..., Any]:
    def noting(sql: str, *args: Any, **parameters: Any) -> Any:
        statements.append(sql)
        return run(sql, *args, **parameters)

    return noting
