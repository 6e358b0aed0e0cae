"""Opening, making and sharing a database, and one whose file is locked or full."""

import asyncio
import errno
import shutil
import sqlite3
import stat
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import uvloop

from storage import MIGRATIONS
from storage.database import (
    Database,
    check_address,
    open_database,
    open_existing_database,
    place_of,
)
from storage.database.sqlite import unusable
from storage.installation import Installation
from storage.rows import convert_all
from storage.storage_errors import (
    BadDatabaseUrl,
    DatabaseError,
    DatabaseUnavailable,
    DatabaseUnusable,
    NotUnique,
    StatementFailed,
)
from tests.storage.steps import NOTES, steps_in
from tests.support.gates import PATIENCE_SECONDS as LONGEST

INSERT = "INSERT INTO notes (text) VALUES (:text)"
SELECT = "SELECT text FROM notes"


@pytest.fixture
def address(empty_address: str) -> str:
    return empty_address


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/test.db"


@pytest.mark.parametrize("steps", range(1, 8))
def test_opening_that_is_cut_off_says_nothing_after_the_end(url: str, steps: int) -> None:
    async def open_it() -> None:
        async with open_database(url, MIGRATIONS):
            pass

    async def cut_off() -> None:
        opening = asyncio.ensure_future(open_it())
        for _ in range(steps):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait([opening])

    before = set(threading.enumerate())
    # The bot's own loop: it ends quickly enough to show it.
    with asyncio.Runner(loop_factory=uvloop.Loop) as runner:
        runner.run(cut_off())

    # What a thread raises fails the test.
    for thread in set(threading.enumerate()) - before:
        thread.join()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:pass:w/rd@db.example/kiosk", "postgresql://me:•••@db.example/kiosk"),
        ("postgresql://db.example/kiosk?password=x&user=me",
         "postgresql://db.example/kiosk?password=•••&user=me"),
        ("postgresql://db.example/kiosk", "postgresql://db.example/kiosk"),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert place_of(address) == shown


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with the steps of a database of notes."""
    return steps_in(tmp_path / "steps", NOTES)


async def test_many_processes_may_start_at_once_on_an_empty_database(address: str) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from storage import MIGRATIONS\n"
        "from storage.database import open_database\n"
        "async def main():\n"
        "    async with open_database(sys.argv[1], MIGRATIONS): pass\n"
        "asyncio.run(main())\n"
    )
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", program, address)
        for _ in range(4)
    ]

    assert [await process.wait() for process in processes] == [0, 0, 0, 0]
    async with open_database(address, MIGRATIONS) as database:
        assert not await database.fetch("SELECT * FROM links")


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:secret@x/y",
        "kiosk.db",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///k.db?mode=ro",
    ],
)
async def test_other_addresses_are_refused_without_their_password(url: str, notes: Path) -> None:
    with pytest.raises(BadDatabaseUrl) as refused:
        async with open_database(url, notes):
            pass
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "password",
    [
        *("to%morrow", "to%00day", "to[day", "12/34", "us@me", "to day"),
        # If it begins with digits, they look like a port.
        *("1#us@me", "1#us/me", "1?us@me", "1?us/me"),
    ],
)
async def test_a_password_that_is_not_encoded_is_refused(password: str, notes: Path) -> None:
    url = f"postgresql://me:{password}@127.0.0.1:9/kiosk"
    with pytest.raises(BadDatabaseUrl, match="% as %25"):
        check_address(url)

    # As a command line gives it, too.
    with pytest.raises(DatabaseError) as refused:
        async with open_existing_database(url.replace(":9", ":port"), notes):
            pass
    assert password not in str(refused.value)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "text.db").write_text("This is a letter, not a database. " * 100)

    with pytest.raises(DatabaseUnusable, match="isn't a SQLite database"):
        async with open_database(f"sqlite:///{tmp_path}/text.db", notes):
            pass


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path, notes: Path) -> None:
    with pytest.raises(DatabaseUnusable, match=r"nowhere doesn't exist\. Create"):
        async with open_database(f"sqlite:///{tmp_path}/nowhere/test.db", notes):
            pass


async def test_a_folder_in_place_of_a_file_is_named(tmp_path: Path, notes: Path) -> None:
    folder = tmp_path / "kiosk.db"
    folder.mkdir(mode=0o755)

    with pytest.raises(DatabaseUnusable, match=f"{folder} is a folder. Choose a file in it"):
        async with open_database(f"sqlite:///{folder}", notes):
            pass

    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


async def test_the_files_are_the_owners_alone(url: str, tmp_path: Path, notes: Path) -> None:
    files = [tmp_path / name for name in ("test.db", "test.db-wal", "test.db-shm")]
    async with open_database(url, notes) as database:
        await database.execute(INSERT, text="private")

        assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 3


async def test_what_raises_inside_a_transaction_undoes_it(address: str, notes: Path) -> None:
    async with open_database(address, notes) as database:

        async def write_twice() -> None:
            async with database.transaction() as transaction:
                await transaction.execute(INSERT, text="new")
                await transaction.execute(INSERT, text="new")

        with pytest.raises(NotUnique):
            await write_twice()

        assert len(await database.fetch(SELECT)) == 1
        await database.execute(INSERT, text="after")


async def test_a_cancelled_transaction_is_undone(address: str, notes: Path) -> None:
    async with open_database(address, notes) as database:
        entered = asyncio.Event()

        async def write_and_wait() -> None:
            async with database.transaction() as transaction:
                await transaction.execute(INSERT, text="unfinished")
                entered.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(write_and_wait())
        await entered.wait()
        task.cancel()
        await database.execute(INSERT, text="finished")

        assert [row["text"] for row in await database.fetch(SELECT)] == ["a; b", "finished"]


async def test_a_reading_connection_can_not_write(url: str, notes: Path) -> None:
    async with open_database(url, notes) as database:
        with pytest.raises(StatementFailed, match="readonly"):
            await database.fetch("INSERT INTO notes VALUES ('no')")


async def test_what_nobody_sees_of_a_text_fails_no_statement(address: str, notes: Path) -> None:
    async with open_database(address, notes) as database:
        row = await database.fetch_one("SELECT CAST(:text AS TEXT) AS text", text="Nu\0t")

    assert row is not None
    assert row["text"].replace("\0", "") == "Nut"


# In seconds: what one writer waits, and less than what all of them would one after the other.
PATIENCE_SECONDS, LESS_THAN_ALL = 0.2, 60.0
WRITERS = 600


async def save(database: Database, name: str) -> bool:
    try:
        await Installation(database).save_fact(name, "kept")
    except StatementFailed:
        return False
    return True


async def test_all_who_wait_for_a_locked_file_give_up_together(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kiosk.db"
    async with open_database(url, MIGRATIONS, patience=PATIENCE_SECONDS) as database:
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
            async with open_database(url, MIGRATIONS, patience=PATIENCE_SECONDS):
                pass


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_start_on_a_full_disk_may_be_tried_again(tmp_path: Path, number: int) -> None:
    assert isinstance(unusable(tmp_path, OSError(number, "full")), DatabaseUnavailable)
    assert not isinstance(unusable(tmp_path, OSError(errno.EACCES, "")), DatabaseUnavailable)


def test_a_disk_without_room_for_the_files_beside_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert not isinstance(unusable(tmp_path, error), DatabaseUnavailable)
    full = shutil.disk_usage(tmp_path)._replace(free=4096)

    def usage(_: Path) -> object:
        return full

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert isinstance(unusable(tmp_path, error), DatabaseUnavailable)


async def test_the_file_alone_has_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.db"
    select = "SELECT value FROM facts"
    async with open_database(f"sqlite:///{path}", MIGRATIONS) as database:
        with closing(sqlite3.connect(shutil.copy(path, tmp_path / "new.db"))) as new:
            assert new.execute(select).fetchall() == []
        await database.execute("INSERT INTO facts (name, value) VALUES ('kept', 'yes')")
        await database.truncate_log()
        copied = shutil.copy(path, tmp_path / "copy.db")

    with closing(sqlite3.connect(copied)) as copy:
        assert copy.execute(select).fetchall() == [("yes",)]


async def test_no_member_waits_while_somebody_reads_what_the_log_is_to_lose(tmp_path: Path) -> None:
    """A look through a whole file, or a copy of it, takes minutes."""
    url = f"sqlite:///{tmp_path}/kiosk.db"
    async with open_database(url, MIGRATIONS, patience=LONGEST) as database:
        with closing(sqlite3.connect(tmp_path / "kiosk.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM facts").fetchall()
            assert await save(database, "meanwhile")
            async with asyncio.timeout(LESS_THAN_ALL):
                await database.truncate_log()
        # A writer still waits for others.
        row = await database.change_one("PRAGMA busy_timeout")
        assert row is not None
        assert row["timeout"] == LONGEST * 1000


async def test_the_event_loop_continues_while_many_rows_are_converted() -> None:
    has_continued = threading.Event()
    asyncio.get_running_loop().call_soon(has_continued.set)

    def convert(number: int) -> int:
        assert has_continued.wait(LONGEST), "the event loop is blocked"
        return number

    assert await convert_all(convert, range(1000)) == [*range(1000)]


async def test_a_file_that_is_full_says_so_and_is_used_again_when_it_is_not(tmp_path: Path) -> None:
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


async def test_whoever_reads_on_and_on_ends_when_cancelled(address: str, notes: Path) -> None:
    async with open_database(address, notes) as database:

        async def read_on() -> None:
            while True:
                await database.fetch(SELECT)

        # More than there are connections: some wait for one.
        readers = [asyncio.create_task(read_on()) for _ in range(100)]
        for reader in readers:
            await database.fetch(SELECT)
            reader.cancel()
        await asyncio.wait(readers, timeout=LONGEST)

        assert all(reader.cancelled() for reader in readers)
