"""Opening, migrating and sharing a database."""

import asyncio
import hashlib
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.database import check_address, masked, open_database, open_existing_database
from storage.errors import (
    BadDatabaseUrl,
    DatabaseDiffers,
    DatabaseError,
    DatabaseMissing,
    DatabaseTooOld,
    DatabaseUnusable,
    NotUnique,
    StatementFailed,
)

INSERT = "INSERT INTO notes (text) VALUES (:text)"
SELECT = "SELECT text FROM notes"


@pytest.fixture
def address(empty_address: str) -> str:
    return empty_address


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/test.db"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:pass:w/rd@db.example/kiosk", "postgresql://me:•••@db.example/kiosk"),
        ("postgresql://db.example/kiosk?password=x&user=me",
         "postgresql://db.example/kiosk?password=•••&user=me"),
        ("postgresql://db.example/kiosk", "postgresql://db.example/kiosk"),
        ("sqlite:///kiosk.db", "sqlite:///kiosk.db"),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert masked(address) == shown


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    folder = tmp_path / "steps"
    folder.mkdir()
    (folder / "0001_notes.sql").write_text(
        "-- A semicolon; in a comment.\nCREATE TABLE notes (text TEXT UNIQUE);\n"
        "INSERT INTO notes VALUES ('a; b');\n"
    )
    return folder


async def test_opening_twice_runs_each_step_once(address: str, steps: Path) -> None:
    for _ in range(2):
        async with open_database(address, steps) as database:
            assert [row["text"] for row in await database.fetch(SELECT)] == ["a; b"]


async def test_a_later_start_runs_only_what_is_new(address: str, steps: Path) -> None:
    async with open_database(address, steps):
        pass
    (steps / "0002_more.sql").write_text("INSERT INTO notes VALUES ('later');")

    async with open_database(address, steps) as database:
        assert len(await database.fetch(SELECT)) == 2


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


async def test_a_step_that_fails_leaves_nothing_behind(address: str, steps: Path) -> None:
    broken = steps / "0002_broken.sql"
    broken.write_text("INSERT INTO notes VALUES ('half');\nINSERT INTO nowhere VALUES (1);")
    with pytest.raises(DatabaseUnusable, match="nowhere"):
        async with open_database(address, steps):
            pass
    broken.unlink()

    async with open_database(address, steps) as database:
        assert not await database.fetch("SELECT 1 FROM notes WHERE text = 'half'")


@pytest.mark.parametrize(
    "url", ["mysql://me:secret@x/y", "kiosk.db", "sqlite:///", "sqlite:///:memory:"]
)
async def test_other_addresses_are_refused_without_repeating_a_password(
    url: str, steps: Path
) -> None:
    with pytest.raises(BadDatabaseUrl) as refused:
        async with open_database(url, steps):
            pass
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("password", ["to%morrow", "to%00day", "to[day", "12/34", "us@me"])
async def test_a_password_that_is_not_encoded_is_refused_and_not_repeated(
    password: str, steps: Path
) -> None:
    url = f"postgresql://me:{password}@127.0.0.1:9/kiosk"
    with pytest.raises(BadDatabaseUrl, match="% as %25"):
        check_address(url)

    # As a command line gives it, too.
    with pytest.raises(DatabaseError) as refused:
        async with open_existing_database(url.replace(":9", ":port"), steps):
            pass
    assert password not in str(refused.value)


def test_an_address_may_name_several_hosts() -> None:
    check_address("postgresql://me:pass@one:5432,two:5433/kiosk?target_session_attrs=read-write")
    check_address("postgresql://me:pass@[::1]:5432/kiosk")


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path, steps: Path) -> None:
    (tmp_path / "text.db").write_text("This is a letter, not a database. " * 100)

    with pytest.raises(DatabaseUnusable, match="is not a SQLite database"):
        async with open_database(f"sqlite:///{tmp_path}/text.db", steps):
            pass


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path, steps: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="nowhere is not there: make"):
        async with open_database(f"sqlite:///{tmp_path}/nowhere/test.db", steps):
            pass


async def test_a_folder_in_place_of_a_file_is_named_and_left_as_it_is(
    tmp_path: Path, steps: Path
) -> None:
    folder = tmp_path / "kiosk.db"
    folder.mkdir(mode=0o755)

    with pytest.raises(DatabaseUnusable, match=f"{folder} is a folder: name a file in it"):
        async with open_database(f"sqlite:///{folder}", steps):
            pass

    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


async def test_the_files_are_the_owners_alone_even_where_they_were_everybodys(
    url: str, tmp_path: Path, steps: Path
) -> None:
    files = [tmp_path / name for name in ("test.db", "test.db-wal", "test.db-shm")]
    async with open_database(url, steps):
        # Another process has it open, so that none of the files is taken away.
        for file in files:
            file.chmod(0o644)

        async with open_database(url, steps):
            assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 3


async def test_a_step_that_has_run_and_was_edited_since_is_refused(
    address: str, steps: Path
) -> None:
    async with open_database(address, steps):
        pass
    with (steps / "0001_notes.sql").open("a") as step:
        step.write("INSERT INTO notes VALUES ('edited');")

    with pytest.raises(DatabaseDiffers, match="0001_notes"):
        async with open_database(address, steps):
            pass


async def test_a_checkout_on_windows_has_the_same_steps(address: str, steps: Path) -> None:
    step = steps / "0001_notes.sql"
    unix = step.read_bytes()
    windows = unix.replace(b"\n", b"\r\n")
    for form in (windows, unix):
        step.write_bytes(form)
        async with open_database(address, steps) as database:
            assert await database.fetch(SELECT)
            # As a version has written it that took each form for another step.
            await database.execute(
                "UPDATE migrations SET checksum = :checksum",
                checksum=hashlib.sha256(windows).hexdigest(),
            )


@pytest.mark.parametrize("column", ["text", "words"])
async def test_a_database_from_before_checksums_must_have_the_tables_of_its_steps(
    url: str, tmp_path: Path, steps: Path, column: str
) -> None:
    with sqlite3.connect(tmp_path / "test.db") as old:
        old.execute("CREATE TABLE migrations (step INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        old.execute("INSERT INTO migrations VALUES (1, '0001_notes')")
        old.execute(f"CREATE TABLE notes ({column} TEXT)")
    old.close()

    if column == "text":
        async with open_database(url, steps) as database:
            rows = await database.fetch("SELECT checksum FROM migrations")
        assert [len(row["checksum"]) for row in rows] == [64]
    else:
        with pytest.raises(DatabaseDiffers, match="notes"):
            async with open_database(url, steps):
                pass


async def test_what_raises_inside_a_transaction_undoes_it(address: str, steps: Path) -> None:
    async with open_database(address, steps) as database:

        async def write_twice() -> None:
            async with database.transaction() as transaction:
                await transaction.execute(INSERT, text="new")
                await transaction.execute(INSERT, text="new")

        with pytest.raises(NotUnique):
            await write_twice()

        assert len(await database.fetch(SELECT)) == 1
        await database.execute(INSERT, text="after")


async def test_a_cancelled_transaction_is_undone_and_the_next_one_works(
    address: str, steps: Path
) -> None:
    async with open_database(address, steps) as database:
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


async def test_readers_see_only_what_is_committed(address: str, steps: Path) -> None:
    async with open_database(address, steps) as database, database.transaction() as transaction:
        await transaction.execute(INSERT, text="not yet")

        assert len(await database.fetch(SELECT)) == 1
        assert len(await transaction.fetch(SELECT)) == 2


async def test_a_reading_connection_can_not_write(url: str, steps: Path) -> None:
    async with open_database(url, steps) as database:
        with pytest.raises(StatementFailed, match="readonly"):
            await database.fetch("INSERT INTO notes VALUES ('no')")


async def test_looking_at_a_database_creates_nothing(url: str, tmp_path: Path, steps: Path) -> None:
    with pytest.raises(DatabaseMissing):
        async with open_existing_database(url, steps):
            pass

    assert not (tmp_path / "test.db").exists()


async def test_looking_at_a_database_migrates_nothing(address: str, steps: Path) -> None:
    async with open_database(address, steps):
        pass
    (steps / "0002_more.sql").write_text("INSERT INTO notes VALUES ('later');")

    with pytest.raises(DatabaseTooOld, match="1 step"):
        async with open_existing_database(address, steps):
            pass


async def test_a_statement_that_fails_is_named_so_on_either_engine(
    address: str, steps: Path
) -> None:
    async with open_database(address, steps) as database:
        with pytest.raises(StatementFailed):
            await database.fetch("SELECT * FROM nowhere")
        with pytest.raises(StatementFailed):
            await database.execute("DELETE FROM nowhere")


async def test_what_nobody_sees_of_a_text_fails_no_statement(address: str, steps: Path) -> None:
    async with open_database(address, steps) as database:
        row = await database.fetch_one("SELECT CAST(:text AS TEXT) AS text", text="Nu\0t")

    assert row is not None
    assert row["text"].replace("\0", "") == "Nut"
