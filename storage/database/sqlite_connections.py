"""Connections to a SQLite file, and what their errors mean."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiosqlite

from storage.database.interface import PATIENCE
from storage.database.sqlite_files import address_for_reading, make_private
from storage.errors import NotUnique, StatementFailed


@asynccontextmanager
async def reading(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    """Open a file only to read it."""
    async with aiosqlite.connect(address_for_reading(path), uri=True) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


@asynccontextmanager
async def connect(path: Path, patience: float) -> AsyncGenerator[aiosqlite.Connection]:
    """Open a file, made if it is not there, to read and write it; others' locks are waited for.

    `patience` is in seconds. Raises DatabaseUnusable.
    """
    make_private(path)
    async with aiosqlite.connect(path, timeout=patience, isolation_level=None) as connection:
        connection.row_factory = sqlite3.Row
        await _use_write_ahead_log(connection)
        # A purchase that was about to be asked for must be known even after a power cut.
        await connection.execute("PRAGMA synchronous = FULL")
        await connection.execute("PRAGMA foreign_keys = ON")
        yield connection


async def _use_write_ahead_log(connection: aiosqlite.Connection) -> None:
    # SQLite does not wait for a lock here, so that two first starts at once would refuse one.
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            await connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.01)
        else:
            return


@contextmanager
def naming_faults() -> Generator[None]:
    """Raise what the driver does as an error of ours."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise NotUnique(str(error)) from error
    except sqlite3.Error as error:
        raise StatementFailed(str(error)) from error
