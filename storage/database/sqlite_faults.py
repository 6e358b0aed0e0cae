"""What is wrong with a SQLite file, in words for whoever mends it."""

import errno
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from storage.errors import DatabaseUnusable

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


def unusable(path: Path, error: OSError | sqlite3.Error) -> DatabaseUnusable:
    """Return what to raise for a file that can't be used, with its full path and what mends it."""
    path = path.resolve()
    if isinstance(error, OSError):
        words = _OF_SYSTEM.get(error.errno or 0, f"{{path}} can't be used: {error.strerror}")
    else:
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
        words = _OF_SQLITE.get(code, f"{{path}} can't be used: {error}")
    return DatabaseUnusable(words.format(path=path, folder=path.parent))


def prove_writable(path: Path) -> None:
    """Write something beside a database, and take its lock; leave nothing behind.

    Raises DatabaseUnusable.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=path.resolve().parent) as probe:
            probe.write(_PROBE)
            probe.flush()
            os.fsync(probe.fileno())
        if path.is_file():
            with path.open("r+b"):
                pass
            _take_lock(path)
    except (OSError, sqlite3.Error) as error:
        raise unusable(path, error) from error


def _take_lock(path: Path) -> None:
    address = f"{path.resolve().as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
    ) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
