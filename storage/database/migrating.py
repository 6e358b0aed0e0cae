"""Bring a database's tables up to date, and refuse what other steps have made of them.

Steps only add, so that a version runs on the tables of later ones. A step that takes away says in
its name from which step on a version does without: `0090_names_after_0084.sql`.
"""

import hashlib
import re
import sqlite3
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import closing
from enum import Enum
from pathlib import Path

from storage.database.interface import Database, Source
from storage.errors import (
    DatabaseDiffers,
    DatabaseForeign,
    DatabaseMissing,
    DatabaseTooNew,
    DatabaseTooOld,
)

_TABLE = """CREATE TABLE IF NOT EXISTS migrations (
    step INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT
)"""
_MARK = "CREATE TABLE IF NOT EXISTS about (kind TEXT PRIMARY KEY)"
_TAKES_AWAY = re.compile(r"_after_(\d{4})$")


class DatabaseKind(Enum):
    """What a database is marked as: its name, its application id in SQLite, its first step."""

    KIOSK = ("kiosk", 0x4B696F73, "0001_links_and_names", "Kiosk")
    GAME = ("game", 0x4B67616D, "0001_game", "the game")

    def __init__(self, mark: str, application_id: int, first_step: str, owner: str) -> None:
        self.mark = mark
        self.application_id = application_id
        self.first_step = first_step
        self.owner = owner

    @classmethod
    def made_by(cls, first_step: str) -> "DatabaseKind | None":
        """Return what a step of this name is the first one of, if it is known."""
        return next((kind for kind in cls if kind.first_step == first_step), None)


class Ground(Source):
    """What steps are run on: one connection, of which nothing lasts before `commit`.

    `0001_x.<dialect>.sql` runs in place of `0001_x.sql`, where the engines differ.
    `where` names the database for an operator.
    """

    dialect: str
    where: str

    @abstractmethod
    async def begin(self) -> None:
        """Begin, once whoever else runs steps has ended."""

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


async def migrate(ground: Ground, folder: Path) -> None:
    """Run the steps of a folder that have not run yet, all of them or none.

    Raises DatabaseForeign, DatabaseTooNew, DatabaseDiffers.
    """
    steps = _steps(folder, ground.dialect)
    await ground.begin()
    await _check_kind(ground, steps)
    kind = _kind(steps)
    await ground.set_application_id(kind.application_id)
    await ground.fetch(_MARK)
    await ground.fetch("INSERT INTO about VALUES (:kind) ON CONFLICT DO NOTHING", kind=kind.mark)
    await ground.fetch(_TABLE)
    if "checksum" not in await ground.columns("migrations"):
        await ground.fetch("ALTER TABLE migrations ADD COLUMN checksum TEXT")
    known = await _check_done(ground, steps)
    for step in steps[len(known) :]:
        for statement in _statements(step):
            await ground.fetch(statement)
    for number, step in enumerate(steps, start=1):
        if known[number - 1 : number] in ([], [None]):
            await ground.fetch(
                "INSERT INTO migrations (step, name, checksum) VALUES (:step, :name, :checksum)"
                " ON CONFLICT (step) DO UPDATE SET checksum = excluded.checksum",
                step=number,
                name=_name(step),
                checksum=_checksums(step)[0],
            )
    await ground.commit()


async def check_kind(ground: Ground, folder: Path) -> bool:
    """Return whether anything is in a database; what is there is what these steps are for.

    Raises DatabaseForeign.
    """
    return await _check_kind(ground, _steps(folder, ground.dialect))


async def _check_kind(ground: Ground, steps: Sequence[Path]) -> bool:
    kind = _kind(steps)
    tables, number = await ground.tables(), await ground.application_id()
    is_ours_or_new = number in (0, kind.application_id)
    if not tables and is_ours_or_new:
        return False
    mark = await _mark(ground, tables, _name(steps[0]))
    if mark == kind.mark and is_ours_or_new:
        return True
    owner = next((each.owner for each in DatabaseKind if each.mark == mark), "another program")
    raise DatabaseForeign(
        f"{ground.where} is the database of {owner}; nothing was changed in it."
        f" {kind.owner[0].upper()}{kind.owner[1:]} needs one of its own"
    )


async def _mark(ground: Ground, tables: set[str], first_step: str) -> str:
    """Return the mark of a database; one from before there were marks is known by its steps."""
    if "about" in tables and await ground.columns("about") == {"kind"}:
        return "".join([row["kind"] for row in await ground.fetch("SELECT kind FROM about")])
    if "migrations" not in tables or not {"step", "name"} <= await ground.columns("migrations"):
        return ""
    rows = await ground.fetch("SELECT name FROM migrations WHERE step = 1")
    ran = rows[0]["name"] if rows else first_step
    kind = DatabaseKind.made_by(ran) or (DatabaseKind.KIOSK if ran == first_step else None)
    return kind.mark if kind else ""


def _kind(steps: Sequence[Path]) -> DatabaseKind:
    return DatabaseKind.made_by(_name(steps[0])) or DatabaseKind.KIOSK


def _name(step: Path) -> str:
    return step.name.partition(".")[0]


async def check_migrated(ground: Ground, folder: Path) -> None:
    """Raise a DatabaseError unless all these steps have run, and none that takes them away."""
    steps = _steps(folder, ground.dialect)
    if not await _check_kind(ground, steps):
        raise DatabaseMissing(f"{ground.where} has no tables yet: the first start makes them")
    missing = len(steps) - len(await _check_done(ground, steps))
    if missing > 0:
        raise DatabaseTooOld(
            f"{ground.where} lacks {missing} steps: the next start runs them; until then, the"
            " version before can do this"
        )


async def _check_done(ground: Ground, steps: Sequence[Path]) -> Sequence[str | None]:
    """Return the checksums of the steps that have run, None where none was kept.

    This version's come first, and later ones may follow.
    """
    ran = await ground.fetch("SELECT * FROM migrations ORDER BY step")
    for row in ran[len(steps) :]:
        needed = _TAKES_AWAY.search(row["name"])
        if needed and _name(steps[-1])[:4] < needed[1]:
            raise DatabaseTooNew(
                f"a newer version has taken away what this one needs in {ground.where}: run that or"
                " a later one, or restore a backup from before it into an empty database"
            )
    known: list[str | None] = [dict(row).get("checksum") for row in ran]
    for step, checksum in zip(steps, known, strict=False):
        if checksum not in (None, *_checksums(step)):
            raise DatabaseDiffers(
                f"{ground.where} was made by another version than any that was released: its step"
                f" {step.stem} is not this version's; run that version, or restore a backup"
            )
    if None in known:
        await _check_tables(ground, steps[: len(ran)])
    return known


async def has_later_steps(database: Database, folder: Path) -> bool:
    """Return whether a later version has run steps of its own in a database that is open."""
    known = set(map(_name, _steps(folder, "")))
    ran = await database.fetch("SELECT name FROM migrations")
    return not known >= {row["name"] for row in ran}


async def refuse_later_steps(database: Database, folder: Path) -> None:
    """Raise DatabaseTooNew where a later version may keep more than this one knows of."""
    if await has_later_steps(database, folder):
        raise DatabaseTooNew(
            "a newer version has used the database, and may keep what this one doesn't know: do"
            " this with that version"
        )


async def _check_tables(ground: Ground, steps: Sequence[Path]) -> None:
    """Compare with what the steps make of an empty database: none kept a checksum before.

    Only SQLite has such databases.
    """
    with closing(sqlite3.connect(":memory:")) as replay:
        for step in steps:
            for statement in _statements(step):
                replay.execute(statement)
        tables = replay.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            made = replay.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
            if {name for (name,) in made} != await ground.columns(table):
                raise DatabaseDiffers(
                    f"the table {table} of {ground.where} is not as any version makes it: restore a"
                    " backup"
                )


def _checksums(step: Path) -> list[str]:
    """Return what a step may be known by: a checkout on Windows may end its lines otherwise."""
    text = step.read_bytes().replace(b"\r\n", b"\n")
    forms = (text, text.replace(b"\n", b"\r\n"))
    return [hashlib.sha256(form).hexdigest() for form in forms]


def _steps(folder: Path, dialect: str) -> list[Path]:
    """Return the steps in order, each in the form for this engine."""
    chosen: dict[str, Path] = {}
    for path in folder.glob("*.sql"):
        name, _, special = path.stem.partition(".")
        if special in ("", dialect):
            chosen[name] = path if special else chosen.get(name, path)
    return [chosen[name] for name in sorted(chosen)]


def _statements(step: Path) -> Iterator[str]:
    # The drivers' own scripts would commit first, and so leave half a step behind.
    statement = ""
    for line in step.read_text(encoding="utf-8").splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    # Not left out: the engine says what is wrong with it.
    if statement.strip():
        yield statement
