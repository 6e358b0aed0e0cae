"""Backups are of one moment, complete and private, and go back to either engine."""

import asyncio
import itertools
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.domain.announcing import News
from storage import MIGRATIONS
from storage.backups import back_up, restore
from storage.database import Database, open_database
from storage.errors import CannotMove, DatabaseError, DatabaseForeign, DatabaseUnusable
from storage.facts import Facts
from storage.links import Links
from storage.times import to_micros
from storage.vault import Vault, new_key
from tests.storage.conftest import MEMBER, NOW
from tests.support.announcing import open_desk
from tests.support.databases import address_at, empty_at
from tests.support.kept_rows import OWED, TOKEN, fill, fill_server
from tests.support.rogue_shop import item, open_rogue_shop

VAULT = Vault([SecretStr(new_key())])


def unseen(_done: int, _total: int) -> None:
    pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backups" / "monday.db"


@pytest.fixture
async def full(address: str, file: Path) -> str:
    """The address of a database with something in it."""
    file.parent.mkdir()
    async with open_database(address, MIGRATIONS) as database:
        await fill(database, VAULT, MEMBER, NOW)
        await fill_server(database, 3)
    return address


@pytest.fixture
def other(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database on the other engine."""
    engine = "postgresql" if address.startswith("sqlite") else "sqlite"
    monkeypatch.setenv("DATABASE", engine)
    return empty_at(tmp_path / "other.db")


def content_of(path: Path) -> bytes:
    return path.read_bytes()


def put(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def token_in(address: str) -> str | None:
    async with open_database(address, MIGRATIONS) as database:
        link = await Links(database, VAULT).find(MEMBER)
    return link and link.token.get_secret_value()


async def test_a_backup_goes_back_to_either_engine(full: str, other: str, file: Path) -> None:
    rows = await back_up(full, file, unseen)

    assert await restore(file, other, unseen) == rows
    assert rows["links"] == rows["drafts"] == rows["names"] == 1
    assert await token_in(other) == TOKEN


async def test_a_backup_is_one_private_file(full: str, file: Path) -> None:
    await back_up(full, file, unseen)

    assert [path.name for path in file.parent.iterdir()] == ["monday.db"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    with closing(sqlite3.connect(file)) as backup:
        assert backup.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert backup.execute("PRAGMA application_id").fetchone() == (0x4B696F73,)


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
        await back_up(full, file, unseen)
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


async def in_both(database: Database) -> tuple[int, int]:
    facts = await database.fetch("SELECT 1 FROM facts WHERE name LIKE 'n%'")
    names = await database.fetch("SELECT 1 FROM names WHERE guild_id = 77")
    return len(facts), len(names)


async def test_a_backup_never_replaces_a_file(full: str, file: Path) -> None:
    put(file, b"Holiday pictures")

    with pytest.raises(CannotMove, match="there already"):
        await back_up(full, file, unseen)

    assert content_of(file) == b"Holiday pictures"


async def test_a_backup_that_fails_leaves_no_file_behind(full: str, file: Path) -> None:
    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await back_up(full, file, stop)
    with pytest.raises(DatabaseUnusable, match="nowhere is not there: make"):
        await back_up(full, file.parent / "nowhere" / "monday.db", unseen)

    assert not list(file.parent.iterdir())


async def test_a_database_in_use_is_not_restored_into(full: str, file: Path) -> None:
    await back_up(full, file, unseen)

    async with open_database(full, MIGRATIONS):
        with pytest.raises(CannotMove, match="in use: stop Kiosk first"):
            await restore(file, full, unseen, replaces=True)


async def test_what_is_there_is_replaced_only_when_told_to(full: str, file: Path) -> None:
    await back_up(full, file, unseen)
    async with open_database(full, MIGRATIONS) as database:
        await Facts(database).save("since", "1")
        await Links(database, VAULT).remove(MEMBER)

    with pytest.raises(CannotMove, match="not empty"):
        await restore(file, full, unseen)
    assert await token_in(full) is None
    await restore(file, full, unseen, replaces=True)

    assert await token_in(full) == TOKEN
    async with open_database(full, MIGRATIONS) as database:
        assert await Facts(database).find("since") is None


async def test_what_was_announced_after_the_backup_is_not_announced_again(
    tmp_path: Path, file: Path
) -> None:
    file.parent.mkdir()
    address = address_at(tmp_path / "kiosk.db")
    async with open_rogue_shop() as shop:
        shop.items = [item(number) for number in range(1, 4)]
        async with open_desk(tmp_path, shop) as desk:
            await desk.subscribe()
            assert await desk.poll()
            await back_up(address, file, unseen)
            shop.items.append(item(98))
            assert await desk.poll()
            assert [told for _, told in await desk.owed()] == [[(98, {News.NEW})]]
        await restore(file, address, unseen, replaces=True)

        async with open_desk(tmp_path, shop) as desk:
            assert await desk.poll()
            assert await desk.owed() == []
            shop.items.append(item(99))
            assert await desk.poll()
            assert [told for _, told in await desk.owed()] == [[(99, {News.NEW})]]


async def test_a_restoring_that_fails_leaves_everything_as_it_was(full: str, file: Path) -> None:
    await back_up(full, file, unseen)
    async with open_database(full, MIGRATIONS) as database:
        await Facts(database).save("since", "1")

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await restore(file, full, stop, replaces=True)

    async with open_database(full, MIGRATIONS) as database:
        assert await Facts(database).find("since") == "1"


async def test_a_log_that_was_left_beside_a_removed_database_does_no_harm(
    full: str, file: Path, tmp_path: Path
) -> None:
    await back_up(full, file, unseen)
    target = tmp_path / "again.db"
    # The database was moved away by hand, its write-ahead log was not.
    with closing(sqlite3.connect(target)) as old:
        old.execute("PRAGMA journal_mode = WAL")
        old.execute("CREATE TABLE links (member_id INTEGER)")
        old.execute("INSERT INTO links VALUES (1)")
        log = (tmp_path / "again.db-wal").read_bytes()
    target.unlink()
    (tmp_path / "again.db-wal").write_bytes(log)

    await restore(file, f"sqlite:///{target}", unseen)

    assert await token_in(f"sqlite:///{target}") == TOKEN


async def test_a_copy_with_its_log_beside_it_is_restored_with_what_the_log_holds(
    tmp_path: Path,
) -> None:
    source, copy = tmp_path / "kiosk.db", tmp_path / "copy.db"
    async with open_database(f"sqlite:///{source}", MIGRATIONS) as database:
        await fill(database, VAULT, MEMBER, NOW)
        for suffix in ("", "-wal"):
            copied = source.with_name(f"{source.name}{suffix}").read_bytes()
            copy.with_name(f"{copy.name}{suffix}").write_bytes(copied)

    await restore(copy, f"sqlite:///{tmp_path}/new.db", unseen)

    assert await token_in(f"sqlite:///{tmp_path}/new.db") == TOKEN


async def test_a_backup_of_an_earlier_version_is_brought_up_to_date(
    tmp_path: Path, other: str
) -> None:
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    for step in MIGRATIONS.glob("*.sql"):
        if step.name < "0008":
            (earlier / step.name).write_bytes(step.read_bytes())
    async with open_database(f"sqlite:///{tmp_path}/old.db", earlier) as database:
        await Facts(database).save("mine", "kept")

    await restore(tmp_path / "old.db", other, unseen)

    async with open_database(other, MIGRATIONS) as database:
        assert await Facts(database).find("mine") == "kept"


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        (None, CannotMove, "is no backup"),
        (b"", CannotMove, "is no backup"),
        (b"Dear diary, " * 400, DatabaseUnusable, "not a SQLite database"),
    ],
)
async def test_what_is_no_backup_is_refused_by_name(
    full: str, file: Path, content: bytes | None, error: type[DatabaseError], sentence: str
) -> None:
    if content is not None:
        put(file, content)

    with pytest.raises(error, match=f"monday.db.*{sentence}"):
        await restore(file, full, unseen, replaces=True)

    assert await token_in(full) == TOKEN


async def test_another_programs_file_is_no_backup(full: str, file: Path) -> None:
    with closing(sqlite3.connect(file)) as album:
        album.execute("CREATE TABLE pictures (name TEXT)")

    with pytest.raises(DatabaseForeign, match=r"monday\.db is the database of another program"):
        await restore(file, full, unseen, replaces=True)


async def test_a_damaged_backup_changes_nothing(full: str, file: Path) -> None:
    await back_up(full, file, unseen)
    damaged = bytearray(content_of(file))
    damaged[3 * 4096 : 12 * 4096] = b"\xff" * (9 * 4096)
    put(file, bytes(damaged))

    with pytest.raises(DatabaseError):
        await restore(file, full, unseen, replaces=True)

    assert await token_in(full) == TOKEN


async def test_what_was_owed_then_may_have_been_sent_since(full: str, file: Path) -> None:
    owed = {"due_at": to_micros(NOW), "state": "owed", "settled_at": None}
    async with open_database(full, MIGRATIONS) as database:
        await database.execute(OWED, key="k", member_id=None, now=to_micros(NOW), **owed)
    await back_up(full, file, unseen)

    await restore(file, full, unseen, replaces=True)

    async with open_database(full, MIGRATIONS) as database:
        (row,) = await database.fetch("SELECT attempted_at FROM outbox WHERE key = 'k'")
    assert row["attempted_at"] == to_micros(NOW)
