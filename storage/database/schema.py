"""Make the tables of a new database, and refuse a database that something else has made.

A schema is one file for both engines: `{id}` and `{bytes}` stand for what they call differently,
what is below `-- only sqlite` or `-- only postgresql` is for one. Its first word says whose it is.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from storage.database.interface import Database, Source
from storage.errors import DatabaseMissing, DatabaseUnusable

_ONLY = re.compile(r"^-- only (\w+)\n", re.MULTILINE)
_ABOUT = "CREATE TABLE about (kind TEXT PRIMARY KEY, digest TEXT NOT NULL)"
_OWNERS = {"kiosk": "Kiosk", "game": "the game"}


async def make_tables(database: Database, where: str, schema: Path) -> None:
    """Make all tables of a schema in an empty database, or none. Raises DatabaseUnusable."""
    async with database.transaction() as transaction:
        await transaction.fetch(database.lock)
        if await _has_tables(transaction, database.tables, where, schema):
            # Nothing changes, but a server that may only be read refuses it.
            await transaction.execute("DELETE FROM about WHERE kind = ''")
            return
        for statement in _statements(database, schema):
            await transaction.execute(statement)
        await transaction.execute(_ABOUT)
        await transaction.execute("INSERT INTO about VALUES (:kind, :digest)", **_about(schema))


async def check_tables(database: Database, where: str, schema: Path) -> None:
    """Raise DatabaseMissing or DatabaseUnusable unless this schema has made the tables."""
    if not await _has_tables(database, database.tables, where, schema):
        raise DatabaseMissing(f"{where} has no tables yet: the first start makes them")


async def _has_tables(source: Source, tables: str, where: str, schema: Path) -> bool:
    names = {row["name"] for row in await source.fetch(tables)}
    if not names:
        return False
    ours, found = _about(schema), None
    if "about" in names:
        found = await source.fetch_one("SELECT * FROM about")
    about = dict(found or {})
    owner = _OWNERS[ours["kind"]]
    made_by = _OWNERS.get(about.get("kind", ""), "another program")
    if made_by != owner:
        raise DatabaseUnusable(
            f"{where} is the database of {made_by}; nothing was changed in it."
            f" {owner[0].upper()}{owner[1:]} needs one of its own"
        )
    if about != ours:
        raise DatabaseUnusable(
            f"{where}: another version of Kiosk made its tables. Start that one, or restore a"
            " backup that this one made"
        )
    return True


def _about(schema: Path) -> dict[str, str]:
    """Return the row that a database keeps of the schema that has made it."""
    text = schema.read_text(encoding="utf-8")
    kind = text.removeprefix("-- ").partition(":")[0]
    return {"kind": kind, "digest": hashlib.sha256(text.encode()).hexdigest()}


def _statements(database: Database, schema: Path) -> Iterator[str]:
    common, *only = _ONLY.split(schema.read_text(encoding="utf-8"))
    sql = common + dict(zip(only[::2], only[1::2], strict=True)).get(database.engine, "")
    for name, word in database.words.items():
        sql = sql.replace(f"{{{name}}}", word)
    # The drivers' own scripts would commit first, and so leave half a schema behind.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
