"""Addresses of the tests' databases: on SQLite, or with DATABASE=postgresql on PostgreSQL."""

import asyncio
import atexit
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg.sql import SQL, Identifier

from storage import MIGRATIONS
from storage.database import open_database
from storage.database.sqlite import database_path
from tests.support.gates import PATIENCE_SECONDS
from tests.support.postgres import (
    drop_database,
    empty_schema,
    new_database,
    run_postgres,
    temporary_database,
)

T = TypeVar("T")

# What the whole run is on; a test for both engines puts the bot's database on each in turn.
RUN_ON = os.environ.get("DATABASE")
ENGINES = [RUN_ON] if RUN_ON else ["sqlite", "postgresql"]
# Of the bot, on PostgreSQL: no test has as many, and each takes ten megabytes.
MAX_DATABASES = 8
_databases: dict[Path, str] = {}


def address_at(path: Path, like: str | None = None) -> str:
    """Return the address of the bot's database for a file, the same each time.

    It has all its tables already: a copy is quicker than every step again. It begins `like` one
    that no one has open, else empty.
    """
    if os.environ.get("DATABASE") == "postgresql":
        return _database_for(path, like)
    address = f"sqlite:///{path}"
    if not path.exists():
        shutil.copy(database_path(like or _migrated(_empty_file())), path)
    return address


def lasting_address() -> str:
    """Return the address of a new database for the bot that others can be like, with its tables."""
    if os.environ.get("DATABASE") == "postgresql":
        return new_database(_server(), _migrated(_empty_template()))
    return address_at(_new_folder() / "kiosk.db")


def empty_at(path: Path) -> str:
    """Return the address of a database for the bot in which there is nothing yet, not a table."""
    return _address_on(os.environ.get("DATABASE"), path)


def game_address_at(path: Path) -> str:
    """Return the address of a game's database that stands for a file, the same each time."""
    return _address_on(RUN_ON, path)


def new_template(path: Path) -> str:
    """Return the address of an empty game's database, to be filled and copied."""
    return new_database(_server()) if RUN_ON == "postgresql" else f"sqlite:///{path}"


@contextmanager
def copy_of(template: str, path: Path) -> Generator[str]:
    """Give the address of a copy of a database that no one has open, while the block runs.

    On SQLite it is in a file. On PostgreSQL, what is to be copied is made by `new_template`.
    """
    if _is_sqlite(template):
        yield f"sqlite:///{shutil.copy(database_path(template), path)}"
    else:
        with temporary_database(_server(), template) as copy:
            yield copy


def run_aside(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a loop of its own. The caller may be in another."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, coroutine).result()


async def run_in_thread(address: str, sql: str, **values: object) -> None:
    """Run one statement while the loop goes on, which others may need to give the database free."""
    with ThreadPoolExecutor(1) as aside:
        asking = partial(run_beside, address, sql, **values)
        await asyncio.get_running_loop().run_in_executor(aside, asking)


def run_beside(address: str, sql: str, **values: object) -> list[tuple[Any, ...]]:
    """Run one statement as someone would who has the database open, too. Gives its rows."""
    if _is_sqlite(address):
        path = database_path(address)
        with closing(sqlite3.connect(path, timeout=PATIENCE_SECONDS)) as file, file:
            return file.execute(sql, values).fetchall()
    with psycopg.connect(address) as server:
        spelled = re.sub(r":(\w+)", r"%(\1)s", sql.replace("%", "%%"))
        cursor = server.execute(spelled.encode(), values)
        return cursor.fetchall() if cursor.description else []


def everything_in(address: str) -> str:
    rows = (
        row for table in _tables(address) for row in run_beside(address, f"SELECT * FROM {table}")
    )
    return "\n".join(map(str, rows))


def damage(path: Path) -> None:
    """Spoil a page of a file that no one has open, in a way that reading it doesn't notice."""
    with closing(sqlite3.connect(path)) as file:
        table = "SELECT rootpage FROM sqlite_schema WHERE name = 'facts'"
        ((page,), (size,)) = (file.execute(sql).fetchone() for sql in (table, "PRAGMA page_size"))
    with path.open("r+b") as file:
        # The offset of a page's first free block.
        file.seek((page - 1) * size + 1)
        file.write(b"\x0f\xf0")


@asynccontextmanager
async def locked(address: str) -> AsyncGenerator[None]:
    """Let no one else write to a database while the block runs."""
    # A task that writes at this moment may need the running loop to end it.
    if _is_sqlite(address):
        with closing(
            sqlite3.connect(
                database_path(address), check_same_thread=False, timeout=PATIENCE_SECONDS
            )
        ) as file:
            await asyncio.to_thread(file.execute, "BEGIN IMMEDIATE")
            yield
            file.rollback()
    else:
        tables = SQL(", ").join(map(Identifier, _tables(address)))
        async with await psycopg.AsyncConnection.connect(address) as server:
            await server.execute(SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(tables))
            yield
            await server.rollback()


def _tables(address: str) -> list[str]:
    names = (
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        if _is_sqlite(address)
        else "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    )
    return [name for (name,) in run_beside(address, names)]


def _is_sqlite(address: str) -> bool:
    return address.startswith("sqlite")


def _address_on(engine: str | None, path: Path) -> str:
    return _schema_for(path) if engine == "postgresql" else f"sqlite:///{path}"


@cache
def _migrated(address: str) -> str:
    async def migrate() -> None:
        async with open_database(address, MIGRATIONS):
            pass

    run_aside(migrate())
    return address


def _database_for(path: Path, like: str | None) -> str:
    if path not in _databases:
        if len(_databases) == MAX_DATABASES:
            drop_database(_server(), _databases.pop(next(iter(_databases))))
        _databases[path] = new_database(_server(), like or _migrated(_empty_template()))
    return _databases[path]


@cache
def _empty_file() -> str:
    return f"sqlite:///{_new_folder() / 'kiosk.db'}"


@cache
def _empty_template() -> str:
    return new_database(_server())


@cache
def _schema_for(path: Path) -> str:
    return empty_schema(_server())


@cache
def _server() -> str:
    return _resources().enter_context(run_postgres(_new_folder()))


def _new_folder() -> Path:
    return Path(_resources().enter_context(tempfile.TemporaryDirectory()))


@cache
def _resources() -> ExitStack:
    stack = ExitStack()
    atexit.register(stack.close)
    return stack
