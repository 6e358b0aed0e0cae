"""Backing up, and moving to the other engine."""

import asyncio
import itertools
import os
import sqlite3
import stat
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from bot.program.backups import back_up_today
from storage import MIGRATIONS
from storage.claims import Claims
from storage.copying import back_up, move_database, restore
from storage.database import Database, open_database
from storage.database.interface import Source
from storage.installation import Installation
from storage.links import Links
from storage.messages import Messages
from storage.names import Named, Names, PlaceKind
from storage.shown import ShownComment
from storage.storage_errors import CannotMove, DatabaseMissing, DatabaseUnusable
from storage.vault import Vault, new_key
from tests.storage.backing_up import content_of, put, token_in
from tests.storage.conftest import NOW
from tests.support.clock import utc_now
from tests.support.databases import address_at, damage, empty_at
from tests.support.kept_rows import TOKEN
from tests.support.postgres import PROGRAMS
from tests.support.shown import claim, showing, shown_in


async def test_a_backup_goes_back_to_either_engine(full: str, other: str, file: Path) -> None:
    rows = await back_up(full, file)

    assert await restore(file, other, utc_now()) == rows
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

    with pytest.raises(CannotMove, match="already exists"):
        await back_up(full, file)

    assert content_of(file) == b"Holiday pictures"


async def test_a_backup_is_read_without_a_file_beside_it(full: str, file: Path) -> None:
    """As it must be on a disk that can only be read."""
    await back_up(full, file)

    await restore(file, full, utc_now(), replaces=True)

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
    with pytest.raises(DatabaseUnusable, match=r"nowhere doesn't exist\. Create"):
        await back_up(full, file.parent / "nowhere" / "monday.db")

    assert not list(file.parent.iterdir())


async def test_what_killed_backups_left_goes_before_the_next(full: str, file: Path) -> None:
    for name in (".kiosk-backup-abcd_123", ".kiosk-backup-efgh_456", ".mine"):
        (file.parent / name).mkdir()
        put(file.parent / name / "part", b"half of it")
    put(file.parent / ".kiosk-backup-notes", b"not ours")

    # Of two at once, neither takes the other's for one that was killed.
    await asyncio.gather(back_up(full, file), back_up_today(full, file.parent, NOW))

    left = {path.name for path in file.parent.iterdir()}
    assert left == {"monday.db", "kiosk-2026-05-01.db", ".mine", ".kiosk-backup-notes"}


VAULT = Vault([SecretStr(new_key())])
DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def other(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database on the other engine."""
    engine = "postgresql" if address.startswith("sqlite") else "sqlite"
    monkeypatch.setenv("DATABASE", engine)
    return empty_at(tmp_path / "other.db")


async def fill(database: Database) -> None:
    links = Links(database, VAULT, utc_now)
    for member in (2**62, 7, 8):
        await links.save(member, SecretStr(f"token of {member}"))
    await Names(database, Messages(database, utc_now)).save(
        1, PlaceKind.THREAD, Named(12, "Pond's \u00dcber-life: 100 %"), "pond"
    )
    facts = [{"name": f"fact {number}", "value": "1"} for number in range(2500)]
    async with database.transaction() as transaction:
        await transaction.execute_many("INSERT INTO facts VALUES (:name, :value)", facts)
    shown = shown_in(database)
    for _ in range(3):
        record = await claim(shown, 1, 2, [ShownComment(5, 50), ShownComment(6)])
        assert record is not None
        await shown.complete(record, 2**60, 1)


async def move(source: str, target: str) -> dict[str, int]:
    rows = await move_database(source, target)
    return {table: count for table, count in rows.items() if count}


async def test_everything_arrives_and_new_rows_get_new_ids(address: str, other: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        await fill(database)

    moved = await move(address, other)

    assert moved == {
        "links": 3,
        "names": 1,
        "facts": 2500,
        "moderation": 1,
        "messages": 3,
        "message_comments": 6,
    }
    async with open_database(other, MIGRATIONS) as database:
        link = await Links(database, VAULT, utc_now).find(2**62)
        assert link is not None
        assert link.token.get_secret_value() == f"token of {2**62}"
        named = await Names(database, Messages(database, utc_now)).all_of_kind(1, PlaceKind.THREAD)
        assert [one.name for one in named] == ["Pond's \u00dcber-life: 100 %"]
        shown = shown_in(database)
        assert await claim(shown, 1, 2, [ShownComment(5)]) == 4
        assert len(await showing(database, 1, 6)) == 3


async def test_a_target_that_is_not_empty_is_left_alone(address: str, other: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        await fill(database)
    async with open_database(other, MIGRATIONS) as database:
        await Installation(database).save_fact("mine", "1")

    with pytest.raises(CannotMove, match="isn't empty"):
        await move(address, other)

    async with open_database(other, MIGRATIONS) as database:
        assert await Installation(database).find_fact("mine") == "1"
        assert await Links(database, VAULT, utc_now).find(7) is None


async def test_a_source_in_use_is_refused(address: str, other: str) -> None:
    async with open_database(address, MIGRATIONS) as database, Claims(database) as claims:
        await claims.renew()
        with pytest.raises(CannotMove, match="in use"):
            await move(address, other)


async def test_a_source_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissing):
        await move(f"sqlite:///{tmp_path}/nowhere.db", f"sqlite:///{tmp_path}/new.db")
    assert not (tmp_path / "nowhere.db").exists()


async def test_a_backup_a_day_is_made_and_seven_are_kept(
    full: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "daily" / "of kiosk"
    for day in range(9):
        await back_up_today(full, folder, NOW + timedelta(days=day))
    await back_up_today(full, folder, NOW + timedelta(days=8, hours=3))

    made = sorted(path.name for path in folder.iterdir())
    assert made == [f"kiosk-2026-05-0{day}.db" for day in range(3, 10)]
    await restore(folder / made[-1], full, utc_now(), replaces=True)
    assert await token_in(full) == TOKEN

    (tmp_path / "in the way").touch()
    for nowhere in ("in the way", "n" * 300):
        caplog.clear()
        fault = await back_up_today(full, tmp_path / nowhere, NOW)
        assert fault.startswith("BACKUP_DIR: can't make today's backup: ")
        assert caplog.messages[-1] == fault


@pytest.fixture
async def daily(tmp_path: Path) -> tuple[str, Path]:
    """The address of a database in a file, and a folder with seven backups of it."""
    url, folder = f"sqlite:///{tmp_path / 'kiosk.db'}", tmp_path / "backups"
    async with open_database(url, MIGRATIONS):
        pass
    folder.mkdir()
    for day in range(1, 8):
        put(folder / f"kiosk-2037-01-0{day}.db", b"made before")
    return url, folder


async def test_what_was_just_made_stays_though_others_are_dated_later(
    daily: tuple[str, Path],
) -> None:
    for day in range(2):
        assert not await back_up_today(*daily, NOW + timedelta(days=day))

    _, folder = daily
    left = sorted(path.name for path in folder.iterdir())
    made = [f"kiosk-2026-05-0{day}.db" for day in (1, 2)]
    assert left == [*made, *(f"kiosk-2037-01-0{day}.db" for day in range(3, 8))]


async def test_a_damaged_database_costs_no_older_backup(
    daily: tuple[str, Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    damage(tmp_path / "kiosk.db")

    fault = await back_up_today(*daily, NOW)

    where = tmp_path / "kiosk.db"
    assert fault.startswith(
        f"BACKUP_DIR: can't make today's backup: a copy of {where} is damaged (Page "
    )
    assert "restore a backup" in fault
    assert caplog.messages[-1] == fault
    _, folder = daily
    assert {content_of(path) for path in folder.iterdir()} == {b"made before"}
    assert len(list(folder.iterdir())) == 7


async def test_the_timer_makes_a_dump_a_day_and_seven_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    server = conninfo_to_dict(address_at(tmp_path / "kiosk.db"))
    ahead = [f"kiosk-2137-01-0{day}.dump" for day in range(1, 8)]
    for name in ahead:
        put(tmp_path / name, b"made before")

    async def dump(database: object) -> int:
        environment = {
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "PGHOST": str(server["host"]),
            "PGUSER": str(server["user"]),
            "PGDATABASE": str(database),
        }
        script = await asyncio.create_subprocess_exec(
            "sh", DEPLOY / "pg_dump.sh", tmp_path, env=environment
        )
        return await script.wait()

    def dumps() -> list[str]:
        return sorted(path.name for path in tmp_path.glob("*.dump"))

    assert await dump("nowhere")
    assert dumps() == ahead
    assert await dump(server["dbname"]) == 0
    made, *others = dumps()
    assert content_of(tmp_path / made).startswith(b"PGDMP")
    assert others == ahead[1:]
    assert await dump(server["dbname"]) == 0
    assert dumps() == [made, *others]
