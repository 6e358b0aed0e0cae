"""Bring a database's tables to the newest of numbered steps, or refuse those of something else.

A folder has the steps of one kind of database: `0001_1.0.0.sql`, and what each later version
changes. A step is one file for both engines: each has its own words for `{id}` and `{bytes}`, and
what is below `-- only sqlite` or `-- only postgresql` is for one. The first word of the first step
says whose the tables are. A step that was released is never changed again.
"""

import asyncio
import logging
import re
import sqlite3
import typing
from collections import abc
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path

from msgspec import Struct

from storage import storage_errors
from storage.database import interface, processes

log = logging.getLogger(__name__)

T = typing.TypeVar("T")

_ONLY = re.compile(r"^-- only (\w+)\n", re.MULTILINE)
# How long an older version may take to end, such as when Docker stops one and starts another.
_SECONDS_TO_END = 60
_SECONDS_BETWEEN_LOOKS = 1.0
# How much its steps write beside a database, and how much it grows, by its size.
_STEPS_TAKE = 2
_MIB = 1 << 20
# The mark that an older database has its copy: a claim that has expired. If the older version works
# again after a failed upgrade, it deletes such claims, and the next upgrade makes a new copy.
_FIND_COPY = "SELECT 1 FROM claims WHERE name = 'copied for the upgrade'"
_MARK_COPY = (
    "INSERT INTO claims (name, holder, expires_at) VALUES ('copied for the upgrade', '', 0)"
)
_FORGET_COPY = "DELETE FROM claims WHERE name = 'copied for the upgrade'"
_ABOUT = "CREATE TABLE about (kind TEXT PRIMARY KEY, step BIGINT NOT NULL)"
_OWNERS = {"kiosk": "Kiosk", "game": "the game"}
# 1.0.0 left this in a database instead of a number: a hash of the text that made its tables.
_MARKS_OF_THE_FIRST = {
    "kiosk": "d6367aa3468046ccf18adf3711a41d5e9aaef8c16e0910b6aa80f9a7f97535a9",
    "game": "b94fd848d9c95430e0290e98649f3a52a1643ea36efbea3159e5d4b937d3aedb",
}


class TableStep(Struct, frozen=True):
    """One change of the tables. `name` begins with the version that brought it."""

    number: int
    name: str
    sql: str

    @property
    def version(self) -> str:
        return self.name.partition("_")[0]


class Room(Struct, frozen=True):
    """The bytes that an upgrade needs, and those that are free, if known."""

    needed: int
    free: int | None

    @property
    def is_enough(self) -> bool:
        return self.free is None or self.free >= self.needed

    def __str__(self) -> str:
        text = f"The upgrade needs {-(-self.needed // _MIB)} MiB of space"
        return text if self.free is None else f"{text}, and {self.free // _MIB} MiB are free"


def read_steps(folder: Path) -> abc.Sequence[TableStep]:
    steps: list[TableStep] = []
    for path in sorted(folder.glob("*.sql")):
        number, _, name = path.stem.partition("_")
        steps.append(TableStep(int(number), name, path.read_text(encoding="utf-8")))
    return steps


async def run_missing_steps(
    database: interface.Database,
    where: str,
    *,
    steps: abc.Sequence[TableStep],
    keeps_old: bool,
    at_older: interface.AtOlder | None,
) -> None:
    """Run the steps that a database lacks: in a new one all or none, otherwise one by one.

    An older one is shown to `at_older`, which may raise. It is changed once no process uses it. If
    it `keeps_old` and its engine can, a copy is kept beside it first. Of several starts at once,
    one runs a step and the others wait. Raises DatabaseUnusable, DatabaseUnavailable. The step that
    failed has changed nothing.
    """
    last = steps[-1]
    ask = partial(_show_if_older, database, where, steps, at_older)
    done = await _look_patiently(database, where, ask)
    if 0 < done < last.number:
        log.warning(
            "%s is from version %s. Upgrading its tables from step %s to step %s (%s). After that,"
            " no older version can open them",
            *(where, steps[done - 1].version, done, last.number, last.name),
        )
    while done < last.number:
        await _wait_until_unused(database, where, steps)
        async with database.changing_tables() as transaction:
            # Another process may have run some since.
            done = await find_step(database, transaction, where, steps)
            if await processes.find_hosts(database, transaction):
                continue
            name = f"{steps[done - 1].version}-step-{done}"
            if keeps_old and 0 < done < last.number:
                keeps_old = False
                if await _copy_first(database, transaction, where, name):
                    continue
            await database.name_copy(name)
            done = await _run_next(database, transaction, steps, done)
    database.last_step = last.number
    # Nothing changes, but a read-only server refuses it, and so does a full disk.
    await database.execute("UPDATE about SET kind = kind")


async def _show_if_older(
    database: interface.Database,
    where: str,
    steps: abc.Sequence[TableStep],
    at_older: interface.AtOlder | None,
) -> int:
    """Return what `find_step` does, after showing a checked older database to `at_older`."""
    done = await find_step(database, database, where, steps)
    if 0 < done < steps[-1].number:
        await database.check_references()
        if at_older is not None:
            await at_older(database)
    return done


async def _look_patiently(
    database: interface.Database, where: str, ask: abc.Callable[[], abc.Awaitable[T]]
) -> T:
    """Return what `ask` finds, however long another start has the tables to itself."""
    has_waited = False
    while True:
        try:
            return await ask()
        except storage_errors.StatementFailed:
            if not await database.are_tables_changing():
                raise
        if not has_waited:
            log.warning("Another process is changing the tables of %s. Waiting", where)
        has_waited = True
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


async def try_to_make_tables(database: interface.Database, _where: str) -> None:
    """Make a table and drop it in one transaction. Raises StatementFailed."""
    async with database.transaction() as transaction:
        await transaction.execute("CREATE TABLE kiosk_trial (id BIGINT)")
        await transaction.execute("DROP TABLE kiosk_trial")


async def _copy_first(
    database: interface.Database, transaction: interface.Transaction, where: str, name: str
) -> bool:
    """Copy an older database, unless it has its copy. Return whether to commit that.

    The copy gets its name once its mark lasts: however often a start is cut off, there is one copy.
    """
    if await _has_copy(database, transaction):
        return False
    room = await find_room(database, transaction)
    if not room.is_enough:
        raise storage_errors.DatabaseUnavailable(f"{where}: {room}. Free some space there")
    if not await database.copy_old(name) or not await processes.have_claims(database, transaction):
        return False
    await transaction.execute(_MARK_COPY)
    return True


async def _has_copy(database: interface.Database, source: interface.Source) -> bool:
    return await processes.have_claims(database, source) and bool(await source.fetch(_FIND_COPY))


async def _run_next(
    database: interface.Database,
    transaction: interface.Transaction,
    steps: abc.Sequence[TableStep],
    done: int,
) -> int:
    """Run the next step or, in a new database, all. Return the number of the last one."""
    # A new one has nothing to lose, and no one finds it half made.
    for step in steps[done : done + 1] if done else steps:
        await database.lock_tables(transaction)
        for statement in _statements(database, step):
            await transaction.execute(statement)
        # 1.0.0 made another table of this name.
        await transaction.execute("DROP TABLE IF EXISTS about")
        await transaction.execute(_ABOUT)
        about = {"kind": _kind_of(steps), "step": step.number}
        await transaction.execute("INSERT INTO about VALUES (:kind, :step)", **about)
        done = step.number
    if done == steps[-1].number and await processes.have_claims(database, transaction):
        await transaction.execute(_FORGET_COPY)
    return done


async def _wait_until_unused(
    database: interface.Database, where: str, steps: abc.Sequence[TableStep]
) -> None:
    """Wait for processes of an older version to end. Raises DatabaseUnavailable if they don't."""
    waited = 0

    async def ask() -> tuple[int, str]:
        done = await find_step(database, database, where, steps)
        return done, await processes.find_hosts(database, database)

    while True:
        done, hosts = await _look_patiently(database, where, ask)
        # Those of a database that is up to date may be of this version, which needs no waiting.
        if not hosts or done == steps[-1].number:
            return
        in_use = f"Kiosk {steps[done - 1].version} on {hosts} uses the database"
        if waited == _SECONDS_TO_END:
            raise storage_errors.DatabaseUnavailable(f"{in_use}. Stop it first")
        if not waited:
            log.warning("%s. Waiting up to %s s for it to stop", in_use, _SECONDS_TO_END)
        waited += 1
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


async def find_step(
    database: interface.Database,
    source: interface.Source,
    where: str,
    steps: abc.Sequence[TableStep],
) -> int:
    """Return the number of the last step that was run, 0 for an empty database.

    Raises DatabaseUnusable if something else, or a later version, has made the tables.
    """
    names = {row["name"] for row in await source.fetch(database.tables)}
    if not names:
        return 0
    kind = _kind_of(steps)
    found = await source.fetch_one("SELECT * FROM about") if "about" in names else None
    about = dict(found or {})
    owner = _OWNERS[kind]
    made_by = _OWNERS.get(about.get("kind", ""), "another program")
    if made_by != owner:
        raise storage_errors.DatabaseUnusable(
            f"{where} is the database of {made_by}. Nothing was changed in it."
            f" {owner[0].upper()}{owner[1:]} needs its own database"
        )
    number = about.get("step")
    if number is None and about.get("digest") == _MARKS_OF_THE_FIRST[kind]:
        number = 1
    if number is None or number > steps[-1].number:
        raise storage_errors.DatabaseUnusable(
            f"{where}: another version of Kiosk made its tables. Start that version, or restore a"
            " backup that this version made"
        )
    return number


async def find_room(database: interface.Database, source: interface.Source) -> Room:
    """Return the room that an upgrade needs, with that for the copy until there is one."""
    (row,) = await source.fetch(database.size)
    times = _STEPS_TAKE if await _has_copy(database, source) else _STEPS_TAKE + 1
    return Room(row["bytes"] * times, database.free_room())


async def check_steps(
    database: interface.Database,
    where: str,
    *,
    steps: abc.Sequence[TableStep],
    at_older: interface.AtOlder | None,
) -> None:
    """Raise DatabaseMissing, DatabaseOlder or DatabaseUnusable unless all steps have been run."""
    done = await _show_if_older(database, where, steps, at_older)
    if not done:
        raise storage_errors.DatabaseMissing(
            f"{where} has no tables yet. The first start creates them"
        )
    if done < steps[-1].number:
        raise storage_errors.DatabaseOlder(
            f"{where} is from version {steps[done - 1].version}. The next start upgrades its"
            f" tables from step {done} to step {steps[-1].number}"
        )


async def tables_of(database: interface.Database) -> abc.Sequence[str]:
    """Return all tables in an order in which none refers to a later one."""
    order = TopologicalSorter[str]()
    for row in sorted(await database.fetch(database.tables), key=lambda row: row["name"]):
        order.add(row["name"])
    for row in await database.fetch(database.references):
        order.add(row["name"], row["refers_to"])
    return [name for name in order.static_order() if name != "about"]


def _kind_of(steps: abc.Sequence[TableStep]) -> str:
    return steps[0].sql.removeprefix("-- ").partition(":")[0]


def _statements(database: interface.Database, step: TableStep) -> abc.Iterator[str]:
    common, *only = _ONLY.split(step.sql)
    sql = common + dict(zip(only[::2], only[1::2], strict=True)).get(database.engine, "")
    for name, word in database.words.items():
        sql = sql.replace(f"{{{name}}}", word)
    # The drivers' own scripts would commit first, and so leave half a step behind.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
