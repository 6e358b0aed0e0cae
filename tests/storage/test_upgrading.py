"""An older database is upgraded once no one uses it, and by one of the processes that start."""

import asyncio
import logging
import resource
import shutil
import socket
import sqlite3
import sys
from collections.abc import Generator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import open_database, processes
from storage.database import steps as database_steps
from storage.database.sqlite import database_path
from storage.rows import to_micros
from storage.storage_errors import DatabaseUnavailable, DatabaseUnusable
from tests.storage.steps import kiosk_with, steps_in
from tests.support.clock import utc_now
from tests.support.databases import address_at, everything_in, run_beside
from tests.support.full_disk import disk_with
from tests.support.gates import PATIENCE_SECONDS, Happenings
from tests.support.one_zero import database_of_one_zero

LAST = len(list(MIGRATIONS.iterdir()))
# An hour from now, as claims have it.
HOUR = to_micros(utc_now() + timedelta(hours=1))
# In bytes, of a disk for the file.
LESS_THAN_IT_TAKES = 100_000
# In seconds, for a test that waits for it.
SHORT = 0.05
# The same if a server has to answer by it at once.
ENOUGH = 1.0


@pytest.fixture
def old(on_both_engines: None, tmp_path: Path) -> str:
    """The address of a database that 1.0.0 has left, on one engine and then on the other."""
    return database_of_one_zero(tmp_path / "kiosk.db")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a database that 1.0.0 has left."""
    monkeypatch.setenv("DATABASE", "sqlite")
    return database_path(database_of_one_zero(tmp_path / "kiosk.db"))


def address_of(file: Path) -> str:
    return f"sqlite:///{file}"


async def start(address: str, patience: float = PATIENCE_SECONDS, steps: Path = MIGRATIONS) -> None:
    async with (
        open_database(address, steps, patience=patience) as database,
        Claims(database) as claims,
    ):
        await claims.renew()


def step_of(address: str) -> int:
    ((step,),) = run_beside(address, "SELECT step FROM about")
    return step


def use(address: str, *holders: str) -> None:
    """Let these use a database for an hour, unless they end."""
    for holder in holders:
        run_beside(
            address,
            "INSERT INTO claims (name, holder, expires_at) VALUES (:name, :holder, :until)",
            name=f"process:{holder}",
            holder=holder,
            until=HOUR,
        )


class Lines(logging.Handler):
    """What is logged, to be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.said = Happenings[str]()

    def emit(self, record: logging.LogRecord) -> None:
        self.said.add(record.getMessage())

    async def say(self, text: str) -> None:
        await self.said.first(lambda line: text in line)


@pytest.fixture
def lines() -> Generator[Lines]:
    handler = Lines()
    logging.getLogger("storage").addHandler(handler)
    yield handler
    logging.getLogger("storage").removeHandler(handler)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_what_an_older_version_uses_is_refused_and_left_alone(
    old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_steps, "_SECONDS_TO_END", 0)
    use(old, "kiosk-2:7:elsewhere-1", "kiosk-1:7:elsewhere-2", "kiosk-1:7:elsewhere-3")
    before = everything_in(old), names_in(tmp_path)

    with pytest.raises(DatabaseUnavailable) as refused:
        await start(old)

    in_use = "Kiosk 1.0.0 on kiosk-1, kiosk-2 uses the database. Stop it first"
    assert str(refused.value) == in_use
    assert (everything_in(old), names_in(tmp_path)) == before


async def test_where_there_is_too_little_room_nothing_begins(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = address_of(file)
    before = everything_in(old), names_in(tmp_path)

    monkeypatch.setattr(shutil, "disk_usage", disk_with(1 << 20))
    with pytest.raises(
        DatabaseUnavailable, match=r"upgrade needs 2 MiB of space, and 1 MiB are fre"
    ):
        await start(old)
    assert (everything_in(old), names_in(tmp_path)) == before
    monkeypatch.setattr(shutil, "disk_usage", disk_with(2 << 20))
    await start(old)

    assert step_of(old) == LAST


async def test_an_older_version_is_given_a_minute_to_end(
    file: Path, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    old = address_of(file)
    monkeypatch.setattr(database_steps, "_SECONDS_BETWEEN_LOOKS", 0)
    use(old, "kiosk-1:7:elsewhere-1")

    starting = asyncio.create_task(start(old))
    await lines.say("Kiosk 1.0.0 on kiosk-1 uses the database. Waiting up to 60 s for it to stop")
    assert not starting.done()
    run_beside(old, "DELETE FROM claims WHERE name <> 'worker'")
    await starting

    assert sum("Waiting up to" in line for line in lines.said.past) == 1
    assert step_of(old) == LAST


async def test_nobody_waits_for_a_process_of_this_place_that_was_killed(
    file: Path, lines: Lines
) -> None:
    old = address_of(file)
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    use(old, f"{socket.gethostname()}:{ended.pid}:{processes.find_place()}-1")

    await start(old)

    assert not any("waiting" in line for line in lines.said.past)


async def test_one_of_two_starts_brings_it_up_to_date_and_neither_ends(
    old: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_steps, "_SECONDS_BETWEEN_LOOKS", 0)

    await asyncio.gather(start(old), start(old))

    assert step_of(old) == LAST
    files = ["kiosk-1.0.0-step-1.db", "kiosk.db"] if old.startswith("sqlite") else []
    assert names_in(tmp_path) == files


async def test_a_start_waits_while_another_has_the_tables_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    """A step may take minutes; SQLite's readers see the tables as they were before it."""
    monkeypatch.setenv("DATABASE", "postgresql")
    monkeypatch.setattr(database_steps, "_SECONDS_BETWEEN_LOOKS", 0)
    address = address_at(tmp_path / "kiosk.db")
    async with open_database(address, MIGRATIONS) as other:
        async with other.changing_tables() as transaction:
            await other.lock_tables(transaction)
            starting = asyncio.create_task(start(address, patience=ENOUGH))
            await lines.say(
                "Another process is changing the tables of the PostgreSQL database. Waiting"
            )
        await starting


async def test_nobody_waits_for_the_process_that_has_brought_it_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    monkeypatch.setattr(database_steps, "_SECONDS_BETWEEN_LOOKS", 0)
    use(address, "kiosk-1:7:elsewhere-1")
    run_beside(address, "UPDATE about SET step = step - 1")

    starting = asyncio.create_task(start(address))
    await lines.say("Kiosk 2.0.0 on kiosk-1 uses the database. Waiting")
    run_beside(address, "UPDATE about SET step = step + 1")
    await starting


async def test_whoever_has_the_file_locked_is_waited_for_and_whoever_came_meanwhile(
    file: Path, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    monkeypatch.setattr(database_steps, "_SECONDS_BETWEEN_LOOKS", 0)
    old = address_of(file)

    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        starting = asyncio.create_task(start(old, SHORT))
        await lines.say(f"{file} is locked by another program. Waiting")
        other.execute("INSERT INTO claims VALUES ('process:1', 'kiosk-1:7:there', :until)", [HOUR])
        other.execute("COMMIT")
    await lines.say("Kiosk 1.0.0 on kiosk-1 uses the database")
    run_beside(old, "DELETE FROM claims WHERE name = 'process:1'")
    await starting

    assert step_of(old) == LAST


# The copy of what was there


async def test_an_upgrade_that_fails_again_and_again_has_one_copy_of_what_was_there(
    file: Path, tmp_path: Path
) -> None:
    old, copy = address_of(file), tmp_path / "kiosk-1.0.0-step-1.db"
    before = everything_in(old)
    bad = kiosk_with(tmp_path / "steps" / "bad", "INSERT INTO nowhere VALUES (1);")

    for _ in range(3):
        with pytest.raises(DatabaseUnusable, match="nowhere"):
            await start(old, steps=bad)
    await start(
        old, steps=kiosk_with(tmp_path / "steps" / "good", "CREATE TABLE badges (id BIGINT);")
    )

    assert names_in(tmp_path) == [copy.name, file.name, "steps"]
    assert everything_in(address_of(copy)) == before
    # The next upgrade makes another copy.
    assert not run_beside(old, "SELECT * FROM claims WHERE expires_at = 0")


async def test_starts_that_are_cut_off_while_they_copy_leave_one_copy(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for left in (".kiosk-1.0.0.db.part", ".kiosk-1.0.0-step-1.db.part-journal"):
        (tmp_path / left).write_bytes(b"half of it")

    def stop(_part: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopping:
        stopping.setattr(Path, "rename", stop)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                await start(address_of(file))
    assert ".kiosk-1.0.0-step-1.db.part" in names_in(tmp_path)
    await start(address_of(file))

    assert names_in(tmp_path) == ["kiosk-1.0.0-step-1.db", file.name]


async def test_a_copy_that_the_disk_has_no_room_for_is_removed(file: Path, tmp_path: Path) -> None:
    before = everything_in(address_of(file))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LESS_THAN_IT_TAKES, limits[1]))
    try:
        with pytest.raises(DatabaseUnusable, match=r"kiosk-1.0.0-step-1.db"):
            await start(address_of(file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert names_in(tmp_path) == [file.name]
    assert everything_in(address_of(file)) == before


async def test_what_the_older_version_did_after_a_failed_upgrade_is_in_another_copy(
    file: Path, tmp_path: Path
) -> None:
    old = address_of(file)
    bad = steps_in(tmp_path / "steps")
    first, second = sorted(MIGRATIONS.iterdir())[:2]
    shutil.copy(first, bad)
    (bad / second.name).write_text("INSERT INTO nowhere VALUES (1);")
    with pytest.raises(DatabaseUnusable, match="nowhere"):
        await start(old, steps=bad)

    # As 1.0.0 and 2.0.0 do first of all.
    run_beside(old, "DELETE FROM claims WHERE expires_at <= 1")
    run_beside(old, "INSERT INTO facts VALUES ('since', 'then')")
    await start(old)

    copies = ["kiosk-1.0.0-step-1-2.db", "kiosk-1.0.0-step-1.db"]
    assert names_in(tmp_path) == [*copies, file.name, "steps"]
    since = "SELECT value FROM facts WHERE name = 'since'"
    assert [run_beside(address_of(tmp_path / copy), since) for copy in copies] == [[("then",)], []]
