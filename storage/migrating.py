"""Bring a database's tables up to date, and refuse what other steps have made of them."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import aiosqlite

from storage.errors import DatabaseDiffers, DatabaseTooNew, DatabaseTooOld

_TABLE = """CREATE TABLE IF NOT EXISTS migrations (
    step INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT
)"""


async def migrate(connection: aiosqlite.Connection, folder: Path) -> None:
    """Run the steps of a folder that have not run yet, all of them or none.

    Raises DatabaseTooNew, DatabaseDiffers.
    """
    steps = _steps(folder)
    await connection.execute(_TABLE)
    await connection.execute("BEGIN IMMEDIATE")
    if "checksum" not in await _columns(connection, "migrations"):
        await connection.execute("ALTER TABLE migrations ADD COLUMN checksum TEXT")
    done = await _check_done(connection, steps)
    for number, step in enumerate(steps[done:], start=done + 1):
        for statement in _statements(step):
            await connection.execute(statement)
        await connection.execute("INSERT INTO migrations VALUES (?, ?, NULL)", (number, step.stem))
    for number, step in enumerate(steps, start=1):
        await connection.execute(
            "UPDATE migrations SET checksum = ? WHERE step = ? AND checksum IS NULL",
            (_checksum(step), number),
        )
    await connection.commit()


async def check_migrated(connection: aiosqlite.Connection, folder: Path) -> None:
    """Raise DatabaseTooOld, DatabaseTooNew or DatabaseDiffers unless all steps have run."""
    steps = _steps(folder)
    missing = len(steps) - await _check_done(connection, steps)
    if missing:
        raise DatabaseTooOld(f"the database lacks {missing} steps")


async def _check_done(connection: aiosqlite.Connection, steps: Sequence[Path]) -> int:
    """Return how many steps have run; they must be the ones of this version."""
    ran = list(await connection.execute_fetchall("SELECT * FROM migrations ORDER BY step"))
    if len(ran) > len(steps):
        newer = len(ran) - len(steps)
        raise DatabaseTooNew(f"a version {newer} steps newer has used it: use that or a later one")
    known = [dict(row).get("checksum") for row in ran]
    for step, checksum in zip(steps, known, strict=False):
        if checksum not in (None, _checksum(step)):
            raise DatabaseDiffers(
                f"a step that the database ran, {step.stem}, is not the one of this version"
            )
    if None in known:
        await _check_tables(connection, steps[: len(ran)])
    return len(ran)


async def _check_tables(connection: aiosqlite.Connection, steps: Sequence[Path]) -> None:
    """Compare with what the steps make of an empty database: none kept a checksum before."""
    with closing(sqlite3.connect(":memory:")) as replay:
        for step in steps:
            for statement in _statements(step):
                replay.execute(statement)
        tables = replay.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            made = replay.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
            if {name for (name,) in made} != await _columns(connection, table):
                raise DatabaseDiffers(
                    f"the database's table {table} is not as the steps of this version make it"
                )


async def _columns(connection: aiosqlite.Connection, table: str) -> set[str]:
    sql = "SELECT name FROM pragma_table_info(?)"
    return {row[0] for row in await connection.execute_fetchall(sql, (table,))}


def _checksum(step: Path) -> str:
    return hashlib.sha256(step.read_bytes()).hexdigest()


def _steps(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sql"))


def _statements(step: Path) -> Iterator[str]:
    # sqlite3's own executescript() would commit first, and so leave half a step behind.
    statement = ""
    for line in step.read_text(encoding="utf-8").splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
