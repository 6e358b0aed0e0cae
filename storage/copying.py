"""Copy a database: into another one, into a SQLite file and back, or compacted into itself."""

import contextlib
import shutil
import sqlite3
from collections import abc
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from storage import MIGRATIONS, messages, storage_errors
from storage.claims import Claims
from storage.database import (
    SECONDS_PER_DAY,
    Database,
    open_database,
    open_existing_database,
    place_of,
    sqlite,
)
from storage.database.steps import tables_of

_OF_RESTORED = (
    messages.QUERIES["doubt_all"],
    # News may have been sent since. So all of it counts as sent.
    "UPDATE followed SET version = 0",
    # The processes that held these are gone.
    "DELETE FROM claims",
)
_NOT_EMPTY = "the target database isn't empty"
# Prefix of the folders in which backups are made.
_UNFINISHED = ".kiosk-backup-"


async def back_up(url: str, path: Path) -> abc.Mapping[str, int]:
    """Copy a database, as of one moment, into a new file. Return its row counts by table.

    The file appears once it is complete, and only its owner can read it. Raises DatabaseError.
    """
    with _folder_beside(path) as folder:
        part = folder / "part"
        async with open_existing_database(url, MIGRATIONS) as source:
            if url.startswith(sqlite.PREFIX):
                await sqlite.copy_file(sqlite.database_path(url), part)
            else:
                async with open_database(f"{sqlite.PREFIX}{part}", MIGRATIONS) as target:
                    await _copy(source, target, _NOT_EMPTY)
        if damage := await sqlite.find_damage(part):
            raise storage_errors.DatabaseUnusable(
                f"a copy of {place_of(url)} is damaged ({damage}), and was deleted. Run"
                " `check`. If the database is damaged too, restore a backup. If"
                f" not, check the disk of {path.parent}"
            )
        sqlite.keep_in_one_file(part)
        async with open_existing_database(f"{sqlite.PREFIX}{part}", MIGRATIONS) as backup:
            rows = await _count(backup)
        part.rename(path)
    return rows


@contextlib.contextmanager
def _folder_beside(path: Path) -> abc.Generator[Path]:
    """Lend a folder to make a backup in. Remove the folders of backups that were killed."""
    if path.exists():
        raise storage_errors.CannotMove(f"{path} already exists. Choose a new file")
    for left in path.parent.glob(f"{_UNFINISHED}*"):
        with _in_folder(left) as is_alone:
            if is_alone:
                shutil.rmtree(left, ignore_errors=True)
    try:
        made = TemporaryDirectory(dir=path.parent, prefix=_UNFINISHED)
    except OSError as error:
        raise sqlite.unusable(path, error) from error
    with made as folder, _in_folder(Path(folder)):
        yield Path(folder)


@contextlib.contextmanager
def _in_folder(folder: Path) -> abc.Generator[bool]:
    """Lock a folder to work in it. Gives False if a living process has locked it."""
    with contextlib.ExitStack() as stack:
        try:
            lock = sqlite3.connect(folder / "lock", timeout=0, isolation_level=None)
            stack.enter_context(contextlib.closing(lock))
            # This works on a full disk, too: without a journal, nothing is written.
            lock.execute("PRAGMA journal_mode = OFF")
            lock.execute("BEGIN EXCLUSIVE")
            is_alone = True
        except sqlite3.OperationalError:
            is_alone = False
        yield is_alone


async def restore(
    path: Path, url: str, now: datetime, *, replaces: bool = False
) -> abc.Mapping[str, int]:
    """Restore a backup into a database that isn't in use. Return its row counts by table.

    An older version's backup is brought up to date in a copy. Rows in the database are refused or,
    if it `replaces`, all of them are replaced or none. Raises DatabaseError.
    """
    try:
        async with open_existing_database(f"{sqlite.PREFIX}{path}", MIGRATIONS) as backup:
            return await _restore_from(backup, path, url, now, replaces=replaces)
    except storage_errors.DatabaseMissing:
        raise storage_errors.CannotMove(f"{path} isn't a backup: it is missing or empty") from None
    except storage_errors.DatabaseOlder:
        with TemporaryDirectory() as folder:
            newer = Path(folder) / path.name
            await sqlite.copy_file(path, newer)
            async with open_database(
                f"{sqlite.PREFIX}{newer}", MIGRATIONS, keeps_old=False
            ) as backup:
                return await _restore_from(backup, path, url, now, replaces=replaces)


async def _restore_from(
    backup: Database, path: Path, url: str, now: datetime, *, replaces: bool
) -> abc.Mapping[str, int]:
    if damage := await sqlite.find_damage(path):
        raise storage_errors.CannotMove(f"{path} is damaged: {damage}")
    async with open_database(url, MIGRATIONS, patience=SECONDS_PER_DAY) as target:
        await _require_unused(target)
        # Discord takes a message whose nonce it knows for that earlier one, and buttons stay in
        # chats. No table gets a hundred rows a second.
        last_id = int(now.timestamp() * 100)
        refusal = None if replaces else f"{_NOT_EMPTY}. Add --replace to replace everything in it"
        return await _copy(backup, target, refusal, last_id=last_id, finally_run=_OF_RESTORED)


async def move_database(source: str, target: str) -> abc.Mapping[str, int]:
    """Copy an unused database into an empty one, all or nothing. Return its row counts by table."""
    async with (
        open_existing_database(source, MIGRATIONS) as leaving,
        open_database(target, MIGRATIONS, patience=SECONDS_PER_DAY) as arriving,
    ):
        await _require_unused(leaving)
        return await _copy(leaving, arriving, _NOT_EMPTY)


async def compact(url: str) -> tuple[int, int]:
    """Rewrite an unused database's file without its free pages.

    Returns its bytes before and after. Raises DatabaseError.
    """
    async with open_existing_database(url, MIGRATIONS):
        pass
    async with open_database(url, MIGRATIONS, patience=SECONDS_PER_DAY) as database:
        await _require_unused(database)
        before = await _size(database)
        await database.compact()
        return before, await _size(database)


async def _size(database: Database) -> int:
    (row,) = await database.fetch(database.size)
    return row["bytes"]


async def _require_unused(database: Database) -> None:
    if await Claims(database).count_processes():
        raise storage_errors.CannotMove("the database is in use. Stop Kiosk first")


async def _count(database: Database) -> abc.Mapping[str, int]:
    counts: dict[str, int] = {}
    for table in await tables_of(database):
        (row,) = await database.fetch(f"SELECT count(*) AS rows FROM {table}")  # noqa: S608 - ours
        counts[table] = row["rows"]
    return counts


async def _copy(
    source: Database,
    target: Database,
    refusal: str | None,
    *,
    last_id: int = 0,
    finally_run: abc.Sequence[str] = (),
) -> abc.Mapping[str, int]:
    """Copy every row as of one moment. New rows get ids above these and above `last_id`.

    Rows in the target raise the sentence `refusal`, or are replaced if there is none.
    """
    tables = await tables_of(target)
    async with source.snapshot() as moment, target.transaction() as writing:
        for table in tables:
            has_some = await writing.fetch(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608 - ours
            if has_some and refusal:
                raise storage_errors.CannotMove(refusal)
        for table in reversed(tables):
            await writing.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        counts: dict[str, int] = {}
        for table in tables:
            columns = await target.columns(table)
            names = ", ".join(columns)
            # One engine's BOOLEAN is the other's number.
            values = ", ".join(f"CAST(:{name} AS {kind})" for name, kind in columns.items())
            rows = await moment.fetch(f"SELECT {names} FROM {table}")  # noqa: S608 - ours
            counts[table] = len(rows)
            await writing.execute_many(
                f"INSERT INTO {table} ({names}) VALUES ({values})",  # noqa: S608 - ours
                [dict(row) for row in rows],
            )
            if "id" in columns:
                newest = await source.fetch_one(source.last_id, table=table)
                beyond = max(last_id, newest["id"] or 0 if newest else 0)
                if beyond:
                    await writing.fetch(target.continue_ids, table=table, last_id=beyond)
        for statement in finally_run:
            await writing.execute(statement)
    return counts
