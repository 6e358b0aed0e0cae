"""One interface to the database, and two engines: SQLite and PostgreSQL."""

import contextlib
import re
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from storage.database import sqlite
from storage.database.interface import PATIENCE_SECONDS, AtOlder, Database, Row, Transaction, Value
from storage.database.steps import check_steps, read_steps, run_missing_steps, try_to_make_tables
from storage.storage_errors import BadDatabaseUrl, DatabaseError

__all__ = ["Database", "DatabaseError", "Row", "Transaction", "Value"]

# The patience of a copy of everything, in seconds.
SECONDS_PER_DAY = 86_400.0
_POSTGRES = ("postgresql://", "postgres://")


def open_database(
    url: str,
    steps: Path,
    *,
    patience: float = PATIENCE_SECONDS,
    only_look: bool = False,
    only_try: bool = False,
    keeps_old: bool = True,
    at_older: AtOlder | None = None,
) -> contextlib.AbstractAsyncContextManager[Database]:
    """Open the database at `sqlite:///path` or `postgresql://…`, and close it at the end.

    The first process that opens it brings its tables to the last of a folder's `steps`. On SQLite,
    a backup of an older one is kept beside it. `at_older` is called with an older one first, and
    may raise. With `only_look`, nothing is changed. With `only_try`, a table is made and dropped,
    as those steps would. A statement that takes more than `patience` seconds fails. Raises
    DatabaseError.
    """
    check_address(url)
    makes_new = not (only_look or only_try)
    opening = partial(sqlite.open_sqlite, only_look=only_look, makes_new=makes_new)
    if url.startswith(_POSTGRES):
        # Only those who use it load its driver.
        from storage.database.postgres import open_postgres as opening
    known = read_steps(steps)
    prepare = partial(run_missing_steps, steps=known, keeps_old=keeps_old, at_older=at_older)
    if only_look:
        prepare = partial(check_steps, steps=known, at_older=at_older)
    elif only_try:
        prepare = try_to_make_tables
    return opening(url, prepare, patience)


def open_existing_database(
    url: str, steps: Path, *, at_older: AtOlder | None = None
) -> contextlib.AbstractAsyncContextManager[Database]:
    """Open a database only to read it. Raises DatabaseError."""
    return open_database(url, steps, patience=SECONDS_PER_DAY, only_look=True, at_older=at_older)


def check_address(url: str) -> str:
    """Return an address that an engine can open. Raises BadDatabaseUrl."""
    if not url.startswith(_POSTGRES):
        sqlite.database_path(url)
        return url
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        # There may be several, of which one is the primary.
        ports = [urlsplit(f"//{host}").port for host in parts.netloc.rpartition("@")[2].split(",")]
        is_encoded = not re.search(r"%(?![0-9a-fA-F]{2})|%00|\s", url)
        # Otherwise the server's name would be a piece of a password, and be shown.
        is_split_well = "@" not in parts.netloc.partition("@")[2] + parts.path
        is_split_well &= "#" not in url.partition("?")[0]
        is_split_well &= all("=" in pair for pair in filter(None, parts.query.split("&")))
        if is_encoded and is_split_well and 0 not in ports:
            return url
    # Not in its own words: an address may hold a password.
    raise BadDatabaseUrl(
        "the address must have the form postgresql://user:password@host:port/name. In a"
        " password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25, [ as %5B,"
        " a space as %20"
    )


def folder_of(url: str) -> Path:
    """Return the folder of a database's file, the current one if it has none."""
    return Path() if url.startswith(_POSTGRES) else sqlite.database_path(url).parent


def place_of(url: str) -> str:
    """Return a database's full path, or its address without the passwords, for others to read."""
    if not url.startswith(_POSTGRES):
        return str(sqlite.database_path(url).resolve())
    url = re.sub(r"(?<=://)([^/@?:]*):.*@", r"\1:•••@", url)
    return re.sub(r"(?<=password=)[^&]*", "•••", url)


def queries_beside(module: str) -> dict[str, str]:
    """Return a module's queries: the file of its own name in the folder `sql`."""
    path = Path(module)
    return load_queries(path.parent / "sql" / f"{path.stem}.sql")


def load_queries(path: Path) -> dict[str, str]:
    """Return the queries of a file by their names, without comments.

    Each is below a line such as `-- name: find(draft_id)^`: what it takes, and whether it gives one
    row (`^`), none (`!`) or many. What follows the name is only for readers.
    """
    _, *parts = re.split(
        r"^-- name: (\w+).*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    named = zip(parts[::2], parts[1::2], strict=True)
    return {name: re.sub(r"^\s*--.*\n", "", sql, flags=re.MULTILINE).strip() for name, sql in named}
