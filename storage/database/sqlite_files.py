"""The files of a SQLite database: where they are, whose they are, who has them open."""

import errno
import os
import sqlite3
import stat
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from storage.database.sqlite_faults import unusable
from storage.errors import BadDatabaseUrl, DatabaseInUse, DatabaseUnusable

PREFIX = "sqlite:///"


def database_path(url: str) -> Path:
    """Return the file that `sqlite:///path` names. Raises BadDatabaseUrl."""
    name = url.removeprefix(PREFIX)
    if name == url or not name or name == ":memory:":
        # Not in its own words: an address may hold a password.
        raise BadDatabaseUrl("the address is neither sqlite:///kiosk.db nor postgresql://…")
    return Path(name)


def sqlite_is_in_use(url: str) -> bool:
    """Return whether anybody has the database open."""
    path = database_path(url)
    if not path.is_file():
        return False
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        try:
            # Leaving the write-ahead log takes the database for oneself.
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            return True
    return False


@contextmanager
def holding_sqlite(url: str) -> Generator[None]:
    """Let nobody write to a database while the block runs. Raises DatabaseInUse."""
    path = database_path(url)
    if not path.is_file():
        yield
        return
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN IMMEDIATE")
            (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        except sqlite3.OperationalError:
            mode = None
        # Whoever opens it goes back to the write-ahead log first, and can't from here on.
        if mode != "delete":
            raise DatabaseInUse
        yield


def make_private(path: Path) -> None:
    """Make the file unless it is there, and keep it from others. Raises DatabaseUnusable."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # Sealed or not, what is inside is the owner's alone.
        path.touch(mode=0o600, exist_ok=True)
        for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
                file.chmod(0o600)
    except OSError as error:
        raise unusable(path, error) from error


def address_for_reading(path: Path) -> str:
    """Return the URI under which a file can be read, and neither made nor changed."""
    return f"{path.resolve().as_uri()}?mode=ro"


def copy_checked(path: Path, copy: Path) -> None:
    """Copy a database, with what its write-ahead log holds. Raises DatabaseUnusable."""
    try:
        make_private(copy)
        with (
            closing(sqlite3.connect(address_for_reading(path), uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            (found,) = target.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise unusable(path, error) from error
    if found != "ok":
        raise DatabaseUnusable(f"{path.resolve()} is damaged: {found}")


def remove_database(path: Path) -> None:
    """Remove a database that nobody has open, with the files beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
