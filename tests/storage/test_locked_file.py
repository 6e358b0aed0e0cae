"""A SQLite file that another program holds on to."""

import asyncio
import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.database.sqlite import unusable
from storage.errors import DatabaseUnavailable, StatementFailed
from storage.installation import Installation

# In seconds: what one writer waits, and less than what all of them would one after the other.
PATIENCE, LESS_THAN_ALL = 0.2, 8.0
WRITERS = 60


async def save(database: Database, name: str) -> bool:
    try:
        await Installation(database).save_fact(name, "kept")
    except StatementFailed:
        return False
    return True


async def test_all_who_wait_for_a_locked_file_give_up_together(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kiosk.db"
    async with open_database(url, MIGRATIONS, patience=PATIENCE) as database:
        with closing(sqlite3.connect(tmp_path / "kiosk.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            async with asyncio.timeout(LESS_THAN_ALL):
                saved = await asyncio.gather(
                    *(save(database, f"while locked {number}") for number in range(WRITERS))
                )
            assert not any(saved)
            # Readers are not kept waiting at all.
            assert await Installation(database).find_fact("while locked 1") is None
            other.execute("ROLLBACK")

        assert await save(database, "then")


async def test_a_start_on_a_locked_file_may_be_tried_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kiosk.db"
    async with open_database(url, MIGRATIONS):
        pass
    with closing(sqlite3.connect(tmp_path / "kiosk.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseUnavailable, match="is locked by another program"):
            async with open_database(url, MIGRATIONS, patience=PATIENCE):
                pass


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_start_on_a_full_disk_may_be_tried_again(tmp_path: Path, number: int) -> None:
    assert isinstance(unusable(tmp_path, OSError(number, "full")), DatabaseUnavailable)
    assert not isinstance(unusable(tmp_path, OSError(errno.EACCES, "")), DatabaseUnavailable)


async def test_a_file_that_is_full_says_so_and_is_used_again_when_it_is_not(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/kiosk.db"
    async with open_database(url, MIGRATIONS) as database:
        (pages,) = await database.fetch("PRAGMA page_count")
        await limit(database, int(pages["page_count"]) + 1)

        with pytest.raises(StatementFailed, match="full"):
            await Installation(database).save_fact("large", "x" * 100_000)
        assert await Installation(database).find_fact("large") is None

        await limit(database, 1_000_000)
        await Installation(database).save_fact("large", "x" * 100_000)


async def limit(database: Database, pages: int) -> None:
    """Let the file take so many pages, as a disk would."""
    async with database.transaction() as transaction:
        await transaction.fetch(f"PRAGMA max_page_count = {pages}")
