"""The interface of both engines: rows by name, statements with named parameters, transactions."""

import contextlib
import dataclasses
from abc import ABC, abstractmethod
from collections import abc
from datetime import datetime
from functools import partial
from typing import ClassVar

from storage import rows as storage_rows
from storage import storage_errors
from storage.rows import Row

# How long a statement may take, and wait for its turn: a member waits.
PATIENCE_SECONDS = 4.0

# Each engine's driver writes times as `rows.to_micros` has them.
Value = str | int | float | bytes | datetime | None


class Source(ABC):
    """A database, or a transaction of one, to read from."""

    @abstractmethod
    async def fetch(self, sql: str, **parameters: Value) -> abc.Sequence[Row]:
        """Run one statement and return all its rows."""

    async def fetch_one(self, sql: str, **parameters: Value) -> Row | None:
        rows = await self.fetch(sql, **parameters)
        return rows[0] if rows else None

    async def read(
        self, kind: type[storage_rows.T], sql: str, /, **parameters: Value
    ) -> abc.Sequence[storage_rows.T]:
        rows = await self.fetch(sql, **parameters)
        return await storage_rows.convert_all(partial(storage_rows.read, kind), rows)

    async def read_one(
        self, kind: type[storage_rows.T], sql: str, /, **parameters: Value
    ) -> storage_rows.T | None:
        return storage_rows.read(kind, await self.fetch_one(sql, **parameters))


@dataclasses.dataclass(eq=False)
class Transaction(Source):
    """One connection inside one transaction. Its writes last only if the block ends well.

    Statements name their parameters `:so`. The block that it was opened for raises what fails in
    it: StatementFailed, or NotUnique if a row's key is taken.
    """

    # Called once what was written lasts, and not at all if it doesn't.
    on_commit: list[abc.Callable[[], object]] = dataclasses.field(
        default_factory=list[abc.Callable[[], object]], init=False
    )

    @abstractmethod
    async def execute(self, sql: str, **parameters: Value) -> int:
        """Run one statement and return how many rows it changed."""

    @abstractmethod
    async def execute_many(self, sql: str, rows: abc.Sequence[abc.Mapping[str, Value]]) -> None:
        """Run one statement once for each row of parameters."""


class Database(Source):
    """A database with its tables, on either engine. It raises as transactions do."""

    # The rest is what engines spell differently. What a schema calls `{id}` and `{bytes}`:
    engine: str
    words: ClassVar[abc.Mapping[str, str]]
    tables: str
    # Which tables refer to which.
    references: str
    # The names and types of a table's columns.
    columns_of: str
    # The time by the database's own clock.
    clock: str
    # The bytes that all of it takes.
    size: str
    # The highest id that a table has ever given, and what lets it give those above from now on.
    last_id: str
    continue_ids: str

    # The number of the last step that its tables had when it was opened.
    last_step = 0

    # This times each read and each transaction, the wait for a connection included.
    time_read: abc.Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
    time_transaction: abc.Callable[[], contextlib.AbstractContextManager[object]] = (
        contextlib.nullcontext
    )

    @abstractmethod
    async def state(self) -> object:
        """Return a value that stays the same while no one changes anything in the database."""

    @abstractmethod
    def snapshot(self) -> contextlib.AbstractAsyncContextManager[Source]:
        """Lend the database as it is at one moment, to read it while others write."""

    @abstractmethod
    def transaction(self) -> contextlib.AbstractAsyncContextManager[Transaction]:
        """Open a transaction: commit when the block ends, roll back when it raises."""

    @abstractmethod
    def changing_tables(self) -> contextlib.AbstractAsyncContextManager[Transaction]:
        """Open a transaction for a step, which may take long. Others who want one wait for it."""

    async def are_tables_changing(self) -> bool:
        """Return whether others are in `changing_tables`, and readers may have to wait."""
        return False

    async def lock_tables(self, transaction: Transaction) -> None:
        """Lock the tables until a step is done, however long others use them before that."""

    async def check_references(self) -> None:
        """Find rows that refer to rows which are missing, if the engine lets any in.

        Raises DatabaseUnusable.
        """

    @abstractmethod
    async def copy_old(self, name: str) -> bool:
        """Copy an older version's database, unless this engine can't, which is logged.

        `name_copy` gives the copy this name. Raises DatabaseError.
        """

    async def name_copy(self, name: str) -> None:
        """Give a copy this name, or the next free one, unless it has a name."""

    def free_room(self) -> int | None:
        """Return how many bytes are free on its disk, None if that isn't known."""
        return None

    async def truncate_log(self) -> None:
        """Move everything that was written into the file itself, if it is a file."""

    async def give_back_room(self) -> bool:
        """Give some free pages of a SQLite file back to the disk. Return whether it has more."""
        return False

    async def compact(self) -> None:
        """Rewrite a SQLite file without its free pages. Raises CannotMove, DatabaseUnavailable."""
        raise storage_errors.CannotMove(
            "only a SQLite file is compacted: PostgreSQL gives room to new rows by itself"
        )

    def spelled(self, queries: abc.Mapping[str, str]) -> dict[str, str]:
        """Return queries that ask for the time, `{clock}`, as this engine understands them."""
        return {name: sql.replace("{clock}", self.clock) for name, sql in queries.items()}

    async def columns(self, table: str) -> abc.Mapping[str, str]:
        rows = await self.fetch(self.columns_of, table=table)
        return {row["name"]: row["type"] for row in rows}

    async def execute(self, sql: str, **parameters: Value) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(sql, **parameters)

    async def change_one(self, sql: str, **parameters: Value) -> Row | None:
        """Run one writing statement in its own transaction. Return its first row, if any."""
        async with self.transaction() as transaction:
            return await transaction.fetch_one(sql, **parameters)


# What an engine does with a database, and its name for people, before it hands it out.
Prepare = abc.Callable[[Database, str], abc.Awaitable[None]]
# What is done first with a database that an older version has left.
AtOlder = abc.Callable[[Database], abc.Awaitable[object]]
