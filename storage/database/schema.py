"""Make the tables of a new database, and refuse a database that something else has made.

A schema is one file of SQL for both engines. `{id}` and `{bytes}` stand for what they call
differently, and what stands below `-- only sqlite` or `-- only postgresql` is for one of them. The
first word of its first line says whose database it makes.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct

from storage.database.interface import Source
from storage.errors import DatabaseForeign, DatabaseMissing, DatabaseOutdated

_ONLY = re.compile(r"^-- only (\w+)\n", re.MULTILINE)
_ABOUT = "CREATE TABLE about (kind TEXT PRIMARY KEY, digest TEXT NOT NULL)"


class DatabaseKind(Enum):
    """What a database is marked as: its name, its application id in SQLite, its owner."""

    KIOSK = ("kiosk", 0x4B696F73, "Kiosk")
    GAME = ("game", 0x4B67616D, "the game")

    def __init__(self, mark: str, application_id: int, owner: str) -> None:
        self.mark = mark
        self.application_id = application_id
        self.owner = owner


class Dialect(Struct, frozen=True):
    """What an engine spells in its own way.

    `words` is what it calls what a schema writes in braces. `begin` begins a transaction once
    whoever else makes tables has ended; `tables` gives the names of all tables, but for those of
    the engine and its extensions; `mark` says in the file itself whose it is, '' where none can.
    """

    name: str
    words: Mapping[str, str]
    begin: str
    tables: str
    mark: str = ""


async def make_tables(source: Source, dialect: Dialect, where: str, schema: Path) -> None:
    """Make all tables of a schema in an empty database, or none; `where` names the database.

    Raises DatabaseForeign, DatabaseOutdated.
    """
    await source.fetch(dialect.begin)
    if await has_tables(source, dialect, where, schema):
        # Nothing changes, but whoever holds the database to copy it is waited for.
        await source.fetch("DELETE FROM about WHERE kind = ''")
    else:
        kind = _kind(schema)
        if dialect.mark:
            await source.fetch(dialect.mark.format(kind.application_id))
        for statement in _statements(dialect, schema):
            await source.fetch(statement)
        await source.fetch(_ABOUT)
        await source.fetch(
            "INSERT INTO about VALUES (:kind, :digest)", kind=kind.mark, digest=_digest(schema)
        )
    await source.fetch("COMMIT")


async def check_tables(source: Source, dialect: Dialect, where: str, schema: Path) -> None:
    """Raise a DatabaseError unless this schema has made the tables of a database."""
    if not await has_tables(source, dialect, where, schema):
        raise DatabaseMissing(f"{where} has no tables yet: the first start makes them")


async def has_tables(source: Source, dialect: Dialect, where: str, schema: Path) -> bool:
    """Return whether anything is in a database, which this schema has made.

    Raises DatabaseForeign, DatabaseOutdated.
    """
    tables = {row["name"] for row in await source.fetch(dialect.tables)}
    if not tables:
        return False
    about: list[dict[str, Any]] = []
    if "about" in tables:
        about = [dict(row) for row in await source.fetch("SELECT * FROM about LIMIT 2")]
    marks, kind = [row.get("kind") for row in about], _kind(schema)
    if marks != [kind.mark]:
        owner = next((each.owner for each in DatabaseKind if [each.mark] == marks), None)
        raise DatabaseForeign(
            f"{where} is the database of {owner or 'another program'}; nothing was changed in it."
            f" {kind.owner[0].upper()}{kind.owner[1:]} needs one of its own"
        )
    if about[0].get("digest") != _digest(schema):
        raise DatabaseOutdated(
            f"{where}: This database is from before Kiosk 1.0. Start with a new one."
        )
    return True


def _kind(schema: Path) -> DatabaseKind:
    mark = re.match(r"-- (\w+)", _text(schema))
    return next(kind for kind in DatabaseKind if mark and kind.mark == mark[1])


def _digest(schema: Path) -> str:
    return hashlib.sha256(_text(schema).encode()).hexdigest()


def _text(schema: Path) -> str:
    # A checkout on Windows may end its lines otherwise: here, they all end alike.
    return schema.read_text(encoding="utf-8")


def _statements(dialect: Dialect, schema: Path) -> Iterator[str]:
    common, *only = _ONLY.split(_text(schema))
    sql = common + dict(zip(only[::2], only[1::2], strict=True)).get(dialect.name, "")
    for name, word in dialect.words.items():
        sql = sql.replace(f"{{{name}}}", word)
    # The drivers' own scripts would commit first, and so leave half a schema behind.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    # Not left out: the engine says what is wrong with it.
    if statement.strip():
        yield statement
