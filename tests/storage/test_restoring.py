"""A backup is restored as a whole, and what is none is refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.claims import Claims
from storage.copying import back_up, restore
from storage.database import open_database
from storage.installation import Installation
from storage.links import Links
from storage.messages import Messages, NewMessage, Priority
from storage.rows import to_micros
from storage.storage_errors import CannotMove, DatabaseError, DatabaseUnusable, StatementFailed
from storage.subscriptions import News
from tests.storage.backing_up import content_of, put, token_in
from tests.storage.conftest import BACKED_UP, MEMBER, NOW
from tests.support.announcing import open_desk
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.kept_rows import OWED, TOKEN, fill
from tests.support.rogue_game import item, open_rogue_shop


async def next_entry(address: str, key: str) -> int:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Messages(database, utc_now)
        async with database.transaction() as transaction:
            await outbox.want(
                transaction, NewMessage("post", key, Priority.LIVE_POST, channel_id=1)
            )
        entry = await outbox.find(key)
    assert entry is not None
    return entry.id


async def test_a_database_in_use_is_not_restored_into(full: str, file: Path) -> None:
    await back_up(full, file)

    async with open_database(full, MIGRATIONS) as database, Claims(database) as claims:
        await claims.renew()
        with pytest.raises(CannotMove, match=r"in use\. Stop Kiosk first"):
            await restore(file, full, utc_now(), replaces=True)


async def test_what_is_there_is_replaced_only_when_told_to(full: str, file: Path) -> None:
    await back_up(full, file)
    async with open_database(full, MIGRATIONS) as database:
        await Installation(database).save_fact("since", "1")
        await Links(database, BACKED_UP, utc_now).remove(MEMBER)

    with pytest.raises(CannotMove, match="isn't empty"):
        await restore(file, full, utc_now())
    assert await token_in(full) is None
    await restore(file, full, utc_now(), replaces=True)

    assert await token_in(full) == TOKEN
    async with open_database(full, MIGRATIONS) as database:
        assert await Installation(database).find_fact("since") is None


async def test_old_announcements_are_not_repeated(tmp_path: Path, file: Path) -> None:
    file.parent.mkdir()
    address = address_at(tmp_path / "kiosk.db")
    async with open_rogue_shop() as shop:
        shop.items = [item(number) for number in range(1, 4)]
        async with open_desk(tmp_path, shop) as desk:
            await desk.subscribe()
            assert await desk.poll()
            await back_up(address, file)
            shop.items.append(item(98))
            assert await desk.poll()
            assert [told for _, told in await desk.owed()] == [[(98, {News.NEW})]]
        await restore(file, address, utc_now(), replaces=True)

        async with open_desk(tmp_path, shop) as desk:
            assert await desk.poll()
            assert await desk.owed() == []
            shop.items.append(item(99))
            assert await desk.poll()
            assert [told for _, told in await desk.owed()] == [[(99, {News.NEW})]]


async def test_ids_after_a_restoring_are_new(full: str, file: Path) -> None:
    """Discord knows the nonces of what was sent after the backup, and would drop what has them."""
    await back_up(full, file)
    given = [await next_entry(full, f"sent after the backup {number}") for number in range(3)]
    await restore(file, full, utc_now(), replaces=True)
    given.append(await next_entry(full, "sent after the restoring"))
    await restore(file, full, utc_now(), replaces=True)
    given.append(await next_entry(full, "sent after another"))

    assert given == sorted(set(given))


async def test_a_restoring_that_fails_leaves_everything_as_it_was(
    full: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await back_up(full, file)
    async with open_database(full, MIGRATIONS) as database:
        await Installation(database).save_fact("since", "1")

    # After everything else.
    monkeypatch.setattr("storage.copying._OF_RESTORED", ("not SQL",))
    with pytest.raises(StatementFailed):
        await restore(file, full, utc_now(), replaces=True)

    async with open_database(full, MIGRATIONS) as database:
        assert await Installation(database).find_fact("since") == "1"


async def test_a_left_behind_log_does_no_harm(full: str, file: Path, tmp_path: Path) -> None:
    await back_up(full, file)
    target = tmp_path / "again.db"
    # The database was moved away by hand, its write-ahead log was not.
    with closing(sqlite3.connect(target)) as old:
        old.execute("PRAGMA journal_mode = WAL")
        old.execute("CREATE TABLE links (member_id INTEGER)")
        old.execute("INSERT INTO links VALUES (1)")
        log = (tmp_path / "again.db-wal").read_bytes()
    target.unlink()
    (tmp_path / "again.db-wal").write_bytes(log)

    await restore(file, f"sqlite:///{target}", utc_now())

    assert await token_in(f"sqlite:///{target}") == TOKEN


async def test_a_copy_is_restored_with_its_log(tmp_path: Path) -> None:
    source, copy = tmp_path / "kiosk.db", tmp_path / "copy.db"
    async with open_database(f"sqlite:///{source}", MIGRATIONS) as database:
        await fill(database, BACKED_UP, MEMBER, NOW)
        for suffix in ("", "-wal"):
            copied = source.with_name(f"{source.name}{suffix}").read_bytes()
            copy.with_name(f"{copy.name}{suffix}").write_bytes(copied)

    await restore(copy, f"sqlite:///{tmp_path}/new.db", utc_now())

    assert await token_in(f"sqlite:///{tmp_path}/new.db") == TOKEN


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        (None, CannotMove, "isn't a backup"),
        (b"", CannotMove, "isn't a backup"),
        (b"Dear diary, " * 400, DatabaseUnusable, "isn't a SQLite database"),
    ],
)
async def test_what_is_no_backup_is_refused_by_name(
    full: str, file: Path, content: bytes | None, error: type[DatabaseError], sentence: str
) -> None:
    if content is not None:
        put(file, content)

    with pytest.raises(error, match=f"monday.db.*{sentence}"):
        await restore(file, full, utc_now(), replaces=True)

    assert await token_in(full) == TOKEN


async def test_a_backup_of_another_version_is_refused(full: str, file: Path) -> None:
    await back_up(full, file)
    with closing(sqlite3.connect(file)) as old, old:
        old.execute("UPDATE about SET step = 1000")

    with pytest.raises(DatabaseUnusable, match="another version of Kiosk made its tables"):
        await restore(file, full, utc_now(), replaces=True)

    assert await token_in(full) == TOKEN


async def test_another_programs_file_is_no_backup(full: str, file: Path) -> None:
    with closing(sqlite3.connect(file)) as album:
        album.execute("CREATE TABLE pictures (name TEXT)")

    with pytest.raises(DatabaseUnusable, match=r"monday\.db is the database of another program"):
        await restore(file, full, utc_now(), replaces=True)


async def test_a_damaged_backup_changes_nothing(full: str, file: Path) -> None:
    await back_up(full, file)
    damaged = bytearray(content_of(file))
    damaged[3 * 4096 : 12 * 4096] = b"\xff" * (9 * 4096)
    put(file, bytes(damaged))

    with pytest.raises(DatabaseError):
        await restore(file, full, utc_now(), replaces=True)

    assert await token_in(full) == TOKEN


async def test_what_was_owed_then_may_have_been_sent_since(full: str, file: Path) -> None:
    owed = {"due_at": to_micros(NOW), "state": "owed", "kept_until": None}
    async with open_database(full, MIGRATIONS) as database:
        await database.execute(OWED, key="k", member_id=None, now=to_micros(NOW), **owed)
    await back_up(full, file)

    await restore(file, full, utc_now(), replaces=True)

    async with open_database(full, MIGRATIONS) as database:
        (row,) = await database.fetch("SELECT attempted_at FROM messages WHERE key = 'k'")
    assert row["attempted_at"] == to_micros(NOW)
