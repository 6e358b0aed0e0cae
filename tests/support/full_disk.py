"""A database in which no order can be changed any more, as on a full disk, or even read.

What holds of orders can be made to hold of another table's rows.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import psycopg

from storage.database.sqlite import database_path
from tests.support.gates import PATIENCE_SECONDS

_FILL = {
    "sqlite": (
        (
            "CREATE TRIGGER disk BEFORE UPDATE ON {table} WHEN ({where})"
            " BEGIN SELECT RAISE(ABORT, 'full'); END"
        ),
    ),
    "postgresql": (
        "CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE 'full'; END $$ LANGUAGE plpgsql",
        (
            "CREATE TRIGGER disk BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({where})"
            " EXECUTE FUNCTION fail()"
        ),
    ),
}
_EMPTY = {"sqlite": ("DROP TRIGGER disk",), "postgresql": ("DROP TRIGGER disk ON {table}",)}


def disk_with(free: int) -> Callable[[Path], SimpleNamespace]:
    """Return what takes the place of `shutil.disk_usage` for a disk with so many bytes free."""
    return lambda _: SimpleNamespace(free=free)


async def fill_up(address: str, table: str = "writes", where: str = "TRUE") -> None:
    """Let every change of an order fail, or those after which it would be as `where` says."""
    await asyncio.to_thread(_run, address, _FILL, table, where)


async def make_room(address: str, table: str = "writes") -> None:
    await asyncio.to_thread(_run, address, _EMPTY, table)


async def take_orders_away(address: str) -> None:
    """Let everything that is asked of the orders fail."""
    await asyncio.to_thread(
        _run, address, dict.fromkeys(_FILL, ("ALTER TABLE writes RENAME TO elsewhere",))
    )


async def bring_orders_back(address: str) -> None:
    await asyncio.to_thread(
        _run, address, dict.fromkeys(_FILL, ("ALTER TABLE elsewhere RENAME TO writes",))
    )


def _run(
    address: str, statements: dict[str, tuple[str, ...]], table: str = "", where: str = ""
) -> None:
    # In a thread: a task that has the database locked may need the event loop to let go of it.
    if address.startswith("sqlite"):
        with (
            closing(sqlite3.connect(database_path(address), timeout=PATIENCE_SECONDS)) as file,
            file,
        ):
            for sql in statements["sqlite"]:
                file.execute(sql.format(table=table, where=where))
    else:
        with psycopg.connect(address, autocommit=True) as server:
            for sql in statements["postgresql"]:
                server.execute(sql.format(table=table, where=where).encode())
