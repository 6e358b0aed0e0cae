"""A version on a database that a later one has used, and what later ones may do to it."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from storage import MIGRATIONS
from storage.copying import back_up
from storage.database import has_later_steps, open_database, open_existing_database
from storage.errors import DatabaseTooNew
from storage.links import Links
from tests.storage.backing_up import unseen
from tests.storage.conftest import BACKED_UP, MEMBER

# Before there was a version that anybody ran.
BEFORE_THE_FIRST = {"0004_leases.sql"}
# Without an index, an earlier version is slower, and no more than that.
TAKES_AWAY = re.compile(
    r"\b(?:DROP(?! INDEX)|RENAME|(?:SET|ADD COLUMN \w+ \w+) NOT NULL(?! DEFAULT))\b"
)
ADDS = """
ALTER TABLE links ADD COLUMN nickname TEXT;
ALTER TABLE orders ADD COLUMN gift BOOLEAN NOT NULL DEFAULT FALSE;
CREATE TABLE gifts (id BIGINT PRIMARY KEY);
"""

TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
NEEDED = 'SELECT name FROM pragma_table_info(?) WHERE ("notnull" AND dflt_value IS NULL) OR pk'


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The steps of the version after this one."""
    folder = tmp_path / "later"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "9990_gifts.sql").write_text(ADDS)
    return folder


def add_a_row(file: sqlite3.Connection, table: str) -> None:
    """Put a row into a table that has none: what may be empty is, and the rest is 1."""
    (count,) = file.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    if not count:
        needed = file.execute(NEEDED, (table,)).fetchall()
        columns = ", ".join(name for (name,) in needed)
        file.execute(f"INSERT INTO {table} ({columns}) VALUES ({', '.join('1' * len(needed))})")


async def use(address: str, steps: Path) -> None:
    async with open_database(address, steps):
        pass


async def test_a_version_runs_on_the_tables_of_a_later_one_and_that_one_goes_on(
    address: str, later: Path
) -> None:
    await use(address, later)

    async with open_database(address, MIGRATIONS) as database:
        await Links(database, BACKED_UP).save(MEMBER, SecretStr("a token"))
    async with open_existing_database(address, MIGRATIONS) as database:
        assert await has_later_steps(database, MIGRATIONS)
    async with open_database(address, later) as database:
        assert not await has_later_steps(database, later)
        link = await Links(database, BACKED_UP).find(MEMBER)

    assert link is not None


async def test_what_is_to_be_whole_is_left_to_the_later_version(
    address: str, later: Path, tmp_path: Path
) -> None:
    await use(address, later)

    with pytest.raises(DatabaseTooNew, match="do this with that version"):
        await back_up(address, tmp_path / "backup.db", unseen)

    assert not (tmp_path / "backup.db").exists()


async def test_what_is_taken_away_stops_those_alone_that_need_it(address: str, later: Path) -> None:
    after_next = later.with_name("after_next")
    shutil.copytree(later, after_next)
    (after_next / "9991_no_gifts_after_9990.sql").write_text("DROP TABLE gifts;")
    await use(address, after_next)

    await use(address, later)
    with pytest.raises(DatabaseTooNew, match="taken away what this one needs"):
        await use(address, MIGRATIONS)


def test_a_step_that_takes_something_away_says_who_does_without() -> None:
    silent = {
        step.name
        for step in MIGRATIONS.glob("*.sql")
        if TAKES_AWAY.search(step.read_text().upper())
        and not re.search(r"_after_\d{4}\.", step.name)
    }

    assert silent == BEFORE_THE_FIRST


def test_each_step_runs_where_all_tables_have_rows() -> None:
    with closing(sqlite3.connect(":memory:")) as file:
        for step in sorted(path for path in MIGRATIONS.glob("*.sql") if "." not in path.stem):
            file.executescript(step.read_text())
            for (table,) in file.execute(TABLES).fetchall():
                add_a_row(file, table)

        rows = [
            file.execute(f"SELECT COUNT(*) FROM {name}").fetchone()
            for (name,) in file.execute(TABLES)
        ]
    assert min(rows)[0] == 1
