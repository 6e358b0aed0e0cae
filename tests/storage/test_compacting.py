"""A SQLite file shrinks by itself; one from before 3.0.0 does so once an operator compacted it."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import MIGRATIONS, copying
from storage.claims import Claims
from storage.database import Database, open_database
from storage.storage_errors import CannotMove, DatabaseUnavailable
from tests.support.full_disk import disk_with

ROWS = 20_000
FILL = """
INSERT INTO log_lines (guild_id, member_id, what, detail, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
SELECT i % 10, 1, 'shown', 'A line of some length for the log', i FROM n
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it's here" / "kiosk.db"


@pytest.fixture
def address(path: Path) -> str:
    path.parent.mkdir()
    return f"sqlite:///{path}"


def size_of(path: Path) -> int:
    return path.stat().st_size


async def size_after_most_went(database: Database, path: Path) -> float:
    """Let nine of ten rows come and go; return what is left of the file's size."""
    await database.execute(FILL, rows=ROWS)
    await database.truncate_log()
    before = size_of(path)
    await database.execute("DELETE FROM log_lines WHERE guild_id <> 0")
    while await database.give_back_room():
        pass
    await database.truncate_log()
    return size_of(path) / before


def forget_to_shrink(path: Path) -> None:
    """Make a file one of those that an older version left."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = DELETE")
        file.execute("PRAGMA auto_vacuum = NONE")
        file.execute("VACUUM")


async def test_a_new_file_gives_back_what_is_free(address: str, path: Path) -> None:
    async with open_database(address, MIGRATIONS) as database:
        assert await size_after_most_went(database, path) < 0.5
        assert len(await database.fetch("SELECT 1 FROM log_lines")) == ROWS / 10
        assert [tuple(row) for row in await database.fetch("PRAGMA quick_check")] == [("ok",)]


async def test_a_file_from_before_gives_it_back_once_it_is_compacted(
    address: str, path: Path
) -> None:
    async with open_database(address, MIGRATIONS):
        pass
    forget_to_shrink(path)
    async with open_database(address, MIGRATIONS) as database:
        assert await size_after_most_went(database, path) == 1

    before, after = await copying.compact(address)

    assert size_of(path) == after < before / 2
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]
    async with open_database(address, MIGRATIONS) as database:
        assert await size_after_most_went(database, path) < 0.5


async def test_a_file_in_use_is_not_compacted(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database, Claims(database) as claims:
        await claims.renew()
        with pytest.raises(CannotMove, match=r"in use\. Stop Kiosk first"):
            await copying.compact(address)


async def test_a_file_is_not_compacted_without_room_for_it(
    address: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_database(address, MIGRATIONS):
        pass
    monkeypatch.setattr(shutil, "disk_usage", disk_with(1))
    with pytest.raises(DatabaseUnavailable, match="needs 1 MiB of room, and 0 MiB are free"):
        await copying.compact(address)
