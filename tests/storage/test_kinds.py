"""A database says whose it is, and no one else's is changed at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from game_service.admin import MIGRATIONS as GAME_MIGRATIONS
from storage import MIGRATIONS
from storage.copying import move_database
from storage.database import open_database, open_existing_database
from storage.storage_errors import DatabaseUnusable


@pytest.fixture
def address(empty_address: str) -> str:
    return empty_address


async def make(address: str, steps: Path) -> None:
    async with open_database(address, steps):
        pass


def run(address: str, *statements: str) -> None:
    """Run statements as another program would."""
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as file, file:
            for sql in statements:
                file.execute(sql)
    else:
        with psycopg.connect(address, autocommit=True) as server:
            for sql in statements:
                server.execute(sql.encode())


@pytest.mark.parametrize(
    ("made", "opened", "sentence"),
    [
        (
            GAME_MIGRATIONS,
            MIGRATIONS,
            "is the database of the game. .* Kiosk needs its own database",
        ),
        (
            MIGRATIONS,
            GAME_MIGRATIONS,
            "is the database of Kiosk. .* The game needs its own database",
        ),
    ],
)
async def test_neither_the_bot_nor_the_game_opens_the_others_database(
    address: str, made: Path, opened: Path, sentence: str
) -> None:
    await make(address, made)

    with pytest.raises(DatabaseUnusable, match=sentence):
        await make(address, opened)
    with pytest.raises(DatabaseUnusable, match=sentence):
        async with open_existing_database(address, opened):
            pass

    await make(address, made)


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE recipes (name TEXT)",),
        # As a web framework keeps its own.
        ("CREATE TABLE migrations (id INTEGER, migration TEXT, batch INTEGER)",),
        ("CREATE TABLE about (kind TEXT)", "INSERT INTO about VALUES ('cookbook')"),
    ],
)
async def test_another_programs_file_is_refused(address: str, statements: tuple[str, ...]) -> None:
    run(address, *statements)

    with pytest.raises(DatabaseUnusable, match="is the database of another program"):
        await make(address, MIGRATIONS)
    with pytest.raises(DatabaseUnusable):
        async with open_existing_database(address, MIGRATIONS):
            pass


async def test_not_a_byte_of_another_programs_file_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "album.db"
    run(f"sqlite:///{path}", "PRAGMA application_id = 4711", "CREATE TABLE pictures (name TEXT)")
    path.chmod(0o644)
    before = path.read_bytes()

    with pytest.raises(DatabaseUnusable, match=str(path)):
        await make(f"sqlite:///{path}", MIGRATIONS)
    with pytest.raises(DatabaseUnusable):
        await move_database(f"sqlite:///{path}", f"sqlite:///{tmp_path}/new.db")

    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o644


async def test_a_text_file_is_refused_by_name_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Kiosk, this is no database. " * 50)
    path.chmod(0o644)

    with pytest.raises(DatabaseUnusable, match=r"letter\.txt isn't a SQLite database"):
        await make(f"sqlite:///{path}", MIGRATIONS)

    assert path.stat().st_mode & 0o777 == 0o644
