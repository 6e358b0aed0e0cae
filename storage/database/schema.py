"""Make the tables of a new database, and refuse a database that something else has made.

A schema is one file of SQL for both engines. `{id}` and `{bytes}` stand for what they call
differently, and what stands below `-- only sqlite` or `-- only postgresql` is for one of them. The
first word of its first line says whose database it makes.
"""

import hashlib
import re
import sqlite3
from abc import abstractmethod
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import ClassVar

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


class Ground(Source):
    """What tables are made on: one connection, of which nothing lasts before `commit`.

    `where` names the database for an operator; `words` is what this engine calls what a schema
    writes in braces.
    """

    dialect: str
    where: str
    words: ClassVar[dict[str, str]]

    @abstractmethod
    async def begin(self) -> None:
        """Begin, once whoever else makes tables has ended."""

    @abstractmethod
    async def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns, none where it is not there."""

    @abstractmethod
    async def tables(self) -> set[str]:
        """Return the names of all tables, but for those of the engine and its extensions."""

    @abstractmethod
    async def application_id(self) -> int:
        """Return the number that says which program's a file is, 0 where none does."""

    @abstractmethod
    async def set_application_id(self, number: int) -> None:
        """Say which program's a file is."""

    @abstractmethod
    async def commit(self) -> None:
        """Let everything last."""


async def make_tables(ground: Ground, schema: Path) -> None:
    """Make all tables of a schema in an empty database, or none.

    Raises DatabaseForeign, DatabaseOutdated.
    """
    await ground.begin()
    if await check_kind(ground, schema):
        await _check_digest(ground, schema)
        # Nothing changes, but whoever holds the database to copy it is waited for.
        await ground.fetch("DELETE FROM about WHERE kind = ''")
    else:
        kind = _kind(schema)
        await ground.set_application_id(kind.application_id)
        for statement in _statements(ground, schema):
            await ground.fetch(statement)
        await ground.fetch(_ABOUT)
        await ground.fetch(
            "INSERT INTO about VALUES (:kind, :digest)", kind=kind.mark, digest=_digest(schema)
        )
    await ground.commit()


async def check_kind(ground: Ground, schema: Path) -> bool:
    """Return whether anything is in a database, which a schema of this kind has made.

    Raises DatabaseForeign.
    """
    kind = _kind(schema)
    tables, number = await ground.tables(), await ground.application_id()
    is_ours_or_new = number in (0, kind.application_id)
    if not tables and is_ours_or_new:
        return False
    mark = ""
    if "kind" in await ground.columns("about"):
        mark = "".join([row["kind"] for row in await ground.fetch("SELECT kind FROM about")])
    if mark == kind.mark and is_ours_or_new:
        return True
    owner = next((each.owner for each in DatabaseKind if each.mark == mark), "another program")
    raise DatabaseForeign(
        f"{ground.where} is the database of {owner}; nothing was changed in it."
        f" {kind.owner[0].upper()}{kind.owner[1:]} needs one of its own"
    )


async def check_tables(ground: Ground, schema: Path) -> None:
    """Raise a DatabaseError unless this schema has made the tables of a database."""
    if not await check_kind(ground, schema):
        raise DatabaseMissing(f"{ground.where} has no tables yet: the first start makes them")
    await _check_digest(ground, schema)


async def _check_digest(ground: Ground, schema: Path) -> None:
    rows = await ground.fetch("SELECT * FROM about")
    if [dict(row).get("digest") for row in rows] != [_digest(schema)]:
        raise DatabaseOutdated(
            f"{ground.where}: This database is from before Kiosk 1.0. Start with a new one."
        )


def _kind(schema: Path) -> DatabaseKind:
    mark = re.match(r"-- (\w+)", _text(schema))
    return next(kind for kind in DatabaseKind if mark and kind.mark == mark[1])


def _digest(schema: Path) -> str:
    return hashlib.sha256(_text(schema).encode()).hexdigest()


def _text(schema: Path) -> str:
    # A checkout on Windows may end its lines otherwise: here, they all end alike.
    return schema.read_text(encoding="utf-8")


def _statements(ground: Ground, schema: Path) -> Iterator[str]:
    common, *only = _ONLY.split(_text(schema))
    sql = common + dict(zip(only[::2], only[1::2], strict=True)).get(ground.dialect, "")
    for name, word in ground.words.items():
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
