"""Backups are of one moment, complete and private, and go back to either engine."""

import asyncio
import itertools
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.copying import back_up, restore
from storage.database import open_database
from storage.database.interface import Source
from storage.errors import CannotMove, DatabaseUnusable
from tests.storage.backing_up import content_of, put, token_in
from tests.support.kept_rows import TOKEN


async def test_a_backup_goes_back_to_either_engine(full: str, other: str, file: Path) -> None:
    rows = await back_up(full, file)

    assert await restore(file, other) == rows
    assert rows["links"] == rows["names"] == 1
    assert await token_in(other) == TOKEN


async def test_a_backup_is_one_private_file(full: str, file: Path) -> None:
    await back_up(full, file)

    assert [path.name for path in file.parent.iterdir()] == ["monday.db"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    with closing(sqlite3.connect(file)) as backup:
        assert backup.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_backup_is_of_one_moment_though_others_write(full: str, file: Path) -> None:
    """Each writer adds to the first and the last table at once: a backup has both or neither."""
    async with open_database(full, MIGRATIONS) as database:
        enough = asyncio.Event()

        async def write() -> None:
            for written in itertools.count():
                if written == 20:
                    enough.set()
                async with database.transaction() as transaction:
                    for table in ("facts", "names"):
                        await transaction.execute(INSERTS[table], name=f"n{written}", id=written)

        async with database.snapshot() as moment:
            before = await in_both(moment)
            writer = asyncio.create_task(write())
            await enough.wait()
            assert await in_both(moment) == before
        await back_up(full, file)
        writer.cancel()
        await asyncio.wait([writer])

    async with open_database(f"sqlite:///{file}", MIGRATIONS) as backup:
        facts, names = await in_both(backup)
        assert facts == names >= 20


INSERTS = {
    "facts": "INSERT INTO facts (name, value) VALUES (:name, CAST(:id AS TEXT))",
    "names": "INSERT INTO names (guild_id, kind, game_id, name, name_key)"
    " VALUES (77, 'thread', :id, :name, :name)",
}


async def in_both(database: Source) -> tuple[int, int]:
    facts = await database.fetch("SELECT 1 FROM facts WHERE name LIKE 'n%'")
    names = await database.fetch("SELECT 1 FROM names WHERE guild_id = 77")
    return len(facts), len(names)


async def test_a_backup_never_replaces_a_file(full: str, file: Path) -> None:
    put(file, b"Holiday pictures")

    with pytest.raises(CannotMove, match="there already"):
        await back_up(full, file)

    assert content_of(file) == b"Holiday pictures"


async def test_a_backup_is_read_without_a_file_beside_it(full: str, file: Path) -> None:
    """As it must be on a disk that can only be read."""
    await back_up(full, file)

    await restore(file, full, replaces=True)

    assert [path.name for path in file.parent.iterdir()] == ["monday.db"]


async def test_a_backup_that_fails_leaves_no_file_behind(
    full: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_part: Path, _file: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopping:
        stopping.setattr(Path, "rename", stop)
        with pytest.raises(KeyboardInterrupt):
            await back_up(full, file)
    with pytest.raises(DatabaseUnusable, match="nowhere is not there: make"):
        await back_up(full, file.parent / "nowhere" / "monday.db")

    assert not list(file.parent.iterdir())
