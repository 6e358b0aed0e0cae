"""Copy a database into a file while it is in use, and bring such a copy back.

A backup is a SQLite file of ours, whichever engine it comes from and goes back to.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from storage import MIGRATIONS
from storage.database import is_in_use, move, open_database, open_existing_database
from storage.database.sqlite_files import PREFIX, copy_checked, remove_database
from storage.errors import CannotMove, DatabaseMissing, DatabaseTooOld

Report = Callable[[int, int], None]

# What was owed to Discord then may have been sent since, so that the outbox looks before it sends.
_DOUBT = "UPDATE outbox SET attempted_at = COALESCE(attempted_at, created_at) WHERE due_at > 0"
# What is new since may have been told since: all of it counts as told.
_FORGET_NEWS = (
    "UPDATE followed_catalogs SET version = 0",
    "UPDATE followed_threads SET version = 0",
)
# The processes that held these are gone.
_RELEASE = "DELETE FROM claims"


async def back_up(url: str, path: Path, report: Report) -> Mapping[str, int]:
    """Copy a database, as it stands at one moment, into a new file; return its rows by table.

    The file is there when it is complete, and its owner's alone. `report` is told how many rows
    are copied, of how many. Raises DatabaseError.
    """
    _require_new(path)
    part = path.with_name(f"{path.name}.part")
    remove_database(part)
    try:
        async with (
            open_existing_database(url, MIGRATIONS) as source,
            source.snapshot() as moment,
            open_database(f"{PREFIX}{part}", MIGRATIONS) as target,
        ):
            rows = await move(moment, target, MIGRATIONS, report)
        part.rename(path)
    finally:
        remove_database(part)
    return rows


async def restore(
    path: Path, url: str, report: Report, *, replaces: bool = False
) -> Mapping[str, int]:
    """Bring a backup back into a database that nobody uses; return its rows by table.

    A backup of an earlier version is brought up to date on the way. What is in the database is
    refused, or else replaced, all of it or nothing. Raises DatabaseError.
    """
    await _check(path)
    with suppress(DatabaseMissing, DatabaseTooOld):
        async with open_existing_database(url, MIGRATIONS):
            pass
    if is_in_use(url):
        raise CannotMove("the database is in use: stop Kiosk first")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        copy_checked(path, copy)
        async with (
            open_database(f"{PREFIX}{copy}", MIGRATIONS) as backup,
            open_database(url, MIGRATIONS, patience=86_400.0) as target,
        ):
            for statement in (_DOUBT, *_FORGET_NEWS, _RELEASE):
                await backup.execute(statement)
            return await move(backup, target, MIGRATIONS, report, replaces=replaces)


def _require_new(path: Path) -> None:
    if path.exists():
        raise CannotMove(f"{path} is there already: name a new file")


async def _check(path: Path) -> None:
    try:
        # One of an earlier version is migrated in a copy.
        with suppress(DatabaseTooOld):
            async with open_existing_database(f"{PREFIX}{path}", MIGRATIONS):
                pass
    except DatabaseMissing:
        raise CannotMove(f"{path} is no backup: it is not there, or empty") from None
