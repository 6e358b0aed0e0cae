"""Connections to a SQLite file, and what their errors mean."""

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
async def connect(
    path: Path, patience: float, *, read_only: bool = False
) -> AsyncGenerator[aiosqlite.Connection]:
    """Open a file, made if it is not there, to read and write it; others' locks are waited for.

    `patience` is in seconds. Raises DatabaseUnusable.
    """
    make_private(path)

    def connect() -> sqlite3.Connection:
        # All at once, on the connection's own thread: each hop there takes as long as a statement.
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            _use_write_ahead_log(connection)
            # A purchase that was about to be asked for must be known even after a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA query_only = {read_only}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    async with aiosqlite.Connection(connect, iter_chunk_size=64) as connection:
        yield connection


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    # SQLite does not wait for a lock here, so that two first starts at once would refuse one.
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
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
