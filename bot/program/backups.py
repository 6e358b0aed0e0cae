"""Daily backups of a SQLite database, each checked before an older one is deleted."""

import asyncio
import logging
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from bot.clock import Clock
from bot.log import describe
from bot.rest import Rest
from storage.copying import back_up
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

# The setting that names their folder.
SETTING = "BACKUP_DIR"
_SECONDS_BETWEEN_LOOKS = 3600.0
_NAMES = "kiosk-????-??-??.db"
_MAX_KEPT = 7


async def keep_backups(
    url: str, folder: Path, clock: Clock, faults: dict[str, str], rest: Rest
) -> NoReturn:
    """Make a backup each day until cancelled. `faults` has what is wrong, by the setting's name."""
    try:
        while True:
            fault = await back_up_today(url, folder, clock.now())
            if fault:
                faults[SETTING] = fault
            else:
                faults.pop(SETTING, None)
            await rest.sleep(_SECONDS_BETWEEN_LOOKS)
    finally:
        # From here on, another process knows.
        faults.pop(SETTING, None)


async def back_up_today(url: str, folder: Path, now: datetime) -> str:
    """Copy the database, unless that was done today, and keep the last seven copies.

    Returns why there is no backup of today, and deletes nothing then.
    """
    path = folder / f"kiosk-{now:%Y-%m-%d}.db"
    try:
        if await asyncio.to_thread(path.exists):
            return ""
        await asyncio.to_thread(folder.mkdir, 0o700, parents=True, exist_ok=True)
        await back_up(url, path)
        await asyncio.to_thread(_drop_old, path)
    except (DatabaseError, OSError) as error:
        fault = f"{SETTING}: can't make today's backup: {describe(error)}"
        log.error("%s", fault)
        return fault
    log.info("Backed up the database to %s", path)
    return ""


def _drop_old(made: Path) -> None:
    """Keep `made` and the last ones before it. Those that a wrong clock dated later go first."""
    others = [path for path in made.parent.glob(_NAMES) if path != made]
    others.sort(key=lambda path: (path.name < made.name, path.name), reverse=True)
    for old in others[_MAX_KEPT - 1 :]:
        old.unlink()
