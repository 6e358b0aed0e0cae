"""Return free pages of a SQLite file to the disk, by its writing connection."""

from pathlib import Path

import aiosqlite

from storage import storage_errors

# It holds for a file without tables, and for another one from its next VACUUM on.
GIVES_BACK = "PRAGMA auto_vacuum = INCREMENTAL"
_INCREMENTAL = 2
# How many pages of 4 KiB are moved at a time, while writing transactions wait.
_PAGES_MOVED = 25
# New rows use free pages first, so one page in ten may stay free.
_ONE_FREE_OF = 10
# VACUUM writes all that is left into another file, and from there into the log.
_VACUUM_TAKES = 2
_MIB = 1 << 20
_ROOM = (
    "SELECT page_count, freelist_count, page_size, auto_vacuum FROM pragma_page_count,"
    " pragma_freelist_count, pragma_page_size, pragma_auto_vacuum"
)


async def move_some(writer: aiosqlite.Connection) -> bool:
    """Give some pages back to the disk. Return False if few are free, or the file can't shrink."""
    ((pages, free, _, mode),) = await writer.execute_fetchall(_ROOM)
    if mode != _INCREMENTAL or free * _ONE_FREE_OF <= pages:
        return False
    # The driver's `execute` would move one page alone.
    await writer.executescript(f"PRAGMA incremental_vacuum({_PAGES_MOVED})")
    return True


async def compact(writer: aiosqlite.Connection, path: Path, room: int) -> None:
    """Rewrite a file without its free pages. Raises DatabaseUnavailable."""
    ((pages, free, page_size, _),) = await writer.execute_fetchall(_ROOM)
    needed = (pages - free) * page_size * _VACUUM_TAKES
    if room < needed:
        raise storage_errors.DatabaseUnavailable(
            f"{path}: this needs {-(-needed // _MIB)} MiB of room, and {room // _MIB} MiB are free:"
            " make more there"
        )
    folder = str(path.parent).replace("'", "''")
    # The temporary file is as large as the database, and /tmp of a container may be small.
    await writer.execute_fetchall(f"PRAGMA temp_store_directory = '{folder}'")
    await writer.execute_fetchall(GIVES_BACK)
    await writer.execute_fetchall("VACUUM")
