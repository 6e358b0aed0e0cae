"""The files of a SQLite database: where they are, who has them open, what is wrong with one."""

import errno
import os
import sqlite3
import stat
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from storage.errors import BadDatabaseUrl, DatabaseInUse, DatabaseUnavailable, DatabaseUnusable

PREFIX = "sqlite:///"
# Room for what is written before anything can be cleaned up.
_PROBE = b"\0" * (1 << 20)
_PATIENCE = 0.5

_OF_SYSTEM = {
    errno.ENOENT: "{folder} is not there: make this folder, or name another one",
    errno.ENOTDIR: "{folder} is not a folder: name one that is",
    errno.EISDIR: "{path} is a folder: name a file in it",
    errno.EACCES: "{path} can't be written: let the user that runs this write to it and its folder",
    errno.EPERM: "{path} can't be written: let the user that runs this write to it and its folder",
    errno.EROFS: "{path} is on a disk that can only be read: name a place that can be written",
    errno.ENOSPC: "the disk of {path} is full: make room there",
    errno.EDQUOT: "no more may be written to the disk of {path}: make room there",
}
_OF_SQLITE = {
    sqlite3.SQLITE_NOTADB: "{path} is not a SQLite database: name another file, or move it away",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged: move it away, and restore a backup",
    sqlite3.SQLITE_CANTOPEN: "{path} can't be opened: let the user that runs this read and write it"
    " and its folder",
    sqlite3.SQLITE_READONLY: "{path} can't be written: let the user that runs this write to it and"
    " its folder",
    sqlite3.SQLITE_FULL: "the disk of {path} is full: make room there",
    sqlite3.SQLITE_BUSY: "{path} is locked by another program: end that",
}
# The lowest byte of SQLite's codes; the others tell more than is needed.
_PRIMARY = 0xFF


def database_path(url: str) -> Path:
    """Return the file that `sqlite:///path` names. Raises BadDatabaseUrl."""
    name = url.removeprefix(PREFIX)
    if name == url or not name or name == ":memory:":
        # Not in its own words: an address may hold a password.
        raise BadDatabaseUrl("the address is neither sqlite:///kiosk.db nor postgresql://…")
    return Path(name)


def leave_the_log(path: Path) -> None:
    """Let a database need no files beside it, were it only read: it must be nobody else's."""
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        # Takes the database for oneself.
        connection.execute("PRAGMA journal_mode = DELETE")


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
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & _PRIMARY != sqlite3.SQLITE_BUSY:
                raise unusable(path, error) from error
            mode = None
        # Whoever opens it goes back to the write-ahead log first, and can't from here on.
        if mode != "delete":
            raise DatabaseInUse
        yield


def make_private(path: Path) -> None:
    """Make the file unless it is there, and keep it from others. Raises DatabaseUnusable."""
    try:
        _refuse_folder(path)
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


def remove_database(path: Path) -> None:
    """Remove a database that nobody has open, with the files beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def unusable(path: Path, error: OSError | sqlite3.Error) -> DatabaseUnusable:
    """Return what to raise for a file that can't be used, with its full path and what mends it."""
    path = path.resolve()
    if isinstance(error, OSError):
        code = error.errno or 0
        words = _OF_SYSTEM.get(code, f"{{path}} can't be used: {error.strerror}")
        passes = code in (errno.ENOSPC, errno.EDQUOT)
    else:
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
        words = _OF_SQLITE.get(code, f"{{path}} can't be used: {error}")
        passes = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL)
    kind = DatabaseUnavailable if passes else DatabaseUnusable
    return kind(words.format(path=path, folder=path.parent))


def prove_writable(path: Path) -> None:
    """Write something beside a database, and take its lock; leave nothing behind.

    Raises DatabaseUnusable.
    """
    try:
        _refuse_folder(path)
        with tempfile.TemporaryFile(dir=path.resolve().parent) as probe:
            probe.write(_PROBE)
            probe.flush()
            os.fsync(probe.fileno())
        if path.is_file():
            with closing(
                sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            ) as connection:
                connection.execute("BEGIN IMMEDIATE")
    except (OSError, sqlite3.Error) as error:
        raise unusable(path, error) from error


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
