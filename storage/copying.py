"""Copy a database into another one, into a file while it is in use, and back.

A backup is a SQLite file of ours, whichever engine it comes from and goes back to.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from bot.clock import utc_now
from storage import MIGRATIONS
from storage.database import (
    Database,
    holding,
    is_in_use,
    open_database,
    open_existing_database,
    place_of,
)
from storage.database.interface import Source
from storage.database.sqlite_files import PREFIX, leave_the_log, remove_database
from storage.errors import CannotMove, DatabaseInUse, DatabaseMissing, StatementFailed

Report = Callable[[int, int], None]

_OF_RESTORED = (
    # What was owed to Discord then may have been sent since: the worker looks before it sends.
    "UPDATE messages SET attempted_at = COALESCE(attempted_at, wanted_at) WHERE due_at > 0",
    # What is new since may have been told since: all of it counts as told.
    "UPDATE followed SET version = 0",
    # The processes that held these are gone.
    "DELETE FROM claims",
)
_CREATED = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
_ROWS_AT_ONCE = 1000
_A_DAY = 86_400.0


async def back_up(url: str, path: Path, report: Report) -> Mapping[str, int]:
    """Copy a database, as it stands at one moment, into a new file; return its rows by table.

    The file is there when it is complete, and its owner's alone. `report` is told how many rows
    are copied, of how many. Raises DatabaseError.
    """
    _require_new(path)
    part = path.with_name(f"{path.name}.part")
    if is_in_use(f"{PREFIX}{part}"):
        raise CannotMove(f"{path} is being made by another process: wait, or name a new file")
    remove_database(part)
    try:
        async with (
            open_existing_database(url, MIGRATIONS) as source,
            source.snapshot() as moment,
            open_database(f"{PREFIX}{part}", MIGRATIONS) as target,
        ):
            rows = await _move(moment, target, report)
        # So that it can be read from where nothing can be written.
        leave_the_log(part)
        part.rename(path)
    finally:
        remove_database(part)
    return rows


def _require_new(path: Path) -> None:
    if path.exists():
        raise CannotMove(f"{path} is there already: name a new file")


async def restore(
    path: Path, url: str, report: Report, *, replaces: bool = False
) -> Mapping[str, int]:
    """Bring a backup back into a database that nobody uses; return its rows by table.

    What is in the database is refused, or else replaced, all of it or nothing. Raises
    DatabaseError.
    """
    with suppress(DatabaseMissing):
        async with open_existing_database(url, MIGRATIONS):
            pass
    if is_in_use(url):
        raise DatabaseInUse
    try:
        async with (
            open_existing_database(f"{PREFIX}{path}", MIGRATIONS) as opened,
            opened.snapshot() as backup,
        ):
            try:
                (checked,) = await backup.fetch("PRAGMA quick_check(1)")
                found = checked["quick_check"]
            except StatementFailed as error:
                found = str(error)
            if found != "ok":
                raise CannotMove(f"{path} is damaged: {found}")
            async with open_database(url, MIGRATIONS, patience=_A_DAY) as target:
                return await _move(
                    backup,
                    target,
                    report,
                    replaces=replaces,
                    # Discord takes a message whose nonce it knows for that earlier one, and buttons
                    # stay in chats; no table gets a hundred rows a second.
                    last_id=int(utc_now().timestamp() * 100),
                    finally_run=_OF_RESTORED,
                )
    except DatabaseMissing:
        raise CannotMove(f"{path} is no backup: it is not there, or empty") from None


async def move_database(source: str, target: str, report: Report) -> Mapping[str, int]:
    """Copy a database into an empty one; return how many rows of each table it has.

    `report` is told how many rows are copied, of how many. Raises DatabaseError, CannotMove where
    the source is in use or the target is not empty; then nothing was changed.
    """
    if place_of(source) == place_of(target):
        # Its copying would wait for itself.
        raise CannotMove("the target is the source: name an empty database")
    with holding(source):
        async with (
            open_existing_database(source, MIGRATIONS) as leaving,
            open_database(target, MIGRATIONS, patience=_A_DAY) as arriving,
        ):
            return await _move(leaving, arriving, report)


async def _move(
    source: Database,
    target: Database,
    report: Report,
    *,
    replaces: bool = False,
    last_id: int = 0,
    finally_run: Sequence[str] = (),
) -> Mapping[str, int]:
    """Copy every row, in one transaction, and count what has arrived; return the counts.

    `report` is told how many rows are copied, of how many. What is in the target is refused, or
    else replaced; new rows get ids beyond those here and `last_id`. Raises CannotMove.
    """
    # In the order in which they are made: none refers to a later one.
    tables = _CREATED.findall(MIGRATIONS.read_text(encoding="utf-8"))
    counts = {table: await _count(source, table) for table in tables}
    if not replaces and any([await _count(target, table) for table in tables]):
        raise CannotMove("the target is not empty")
    total, done = sum(counts.values()), 0
    async with target.transaction() as writing:
        for table in reversed(tables if replaces else ()):
            await writing.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        for table in tables:
            columns = list(await target.columns(table))
            everything = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - ours
            async with aclosing(source.batches(everything, _ROWS_AT_ONCE)) as batches:
                async for rows in batches:
                    values = [[row[name] for name in columns] for row in rows]
                    await writing.insert(table, columns, values)
                    done += len(rows)
                    report(done, total)
            if "id" in columns and (beyond := max(last_id, await _last_id(source, table))):
                await writing.fetch(target.continue_ids, table=table, last_id=beyond)
            if await _count(writing, table) != counts[table]:
                raise CannotMove(f"table {table} arrived with other rows than it left with")
        for statement in finally_run:
            await writing.execute(statement)
    return counts


async def _count(source: Source, table: str) -> int:
    row = await source.fetch_one(f"SELECT count(*) AS rows FROM {table}")  # noqa: S608 - ours
    return int(row["rows"]) if row else 0


async def _last_id(source: Database, table: str) -> int:
    row = await source.fetch_one(source.last_id, table=table)
    return int(row["id"] or 0) if row else 0
