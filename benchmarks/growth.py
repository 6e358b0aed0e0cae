"""How long the bot's slowest statements take with 100,000 rows in each table, on both engines.

Each statement runs three times, as the bot runs it, and is rolled back. The fastest counts. A task
that wants to run each millisecond measures how long that blocks the event loop.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import storage
from benchmarks.growing import BINARY, BYTES, ROWS, TEXTS, TIMES, YEAR, Columns, fill, now
from benchmarks.measuring import Finding, Ratio, watching_loop
from storage import MIGRATIONS, member_reports
from storage.database import Database, Value, load_queries, open_database
from storage.retention import AT_ONCE, RETENTION, query
from storage.storage_errors import NotUnique
from tests.support.postgres import run_postgres

_MAX_SECONDS = 0.005
_MAX_SECONDS_STOPPED = 0.02
_TRIES = 3
# For an operator who changes keys, or a member who has all erased: beside what members wait for.
# And what forgets catalogs with all that was seen there takes as long as there is to forget.
_UNHURRIED = {
    # Tests alone ask the first, and a backup that is restored the second.
    "messages.outside_states",
    "messages.doubt_all",
    "retention",
    "subscriptions.unfollow_unwished",
}
# What a worker does when no one waits, and what a start or an operator asks for once.
_BACKGROUND = (
    *(
        "purge",
        "forgetting",
        "cases.forget_texts",
        "cases.forget_held_texts",
        "removals.expired",
        "following.last_reads",
        "following.bring_forward",
    ),
    *("installation.orders", "installation.waiting"),
    *("names.first_named", "panels.stale", "cases.refused"),
    *("links.end_unused", "roles.due_members", "roles.refused"),
)
# Parameters that have other names than columns.
_FLAGS = ("is_", "asked_here", "needs_", "lets_", "frees_", "not_")
_OTHER_TEXTS = {
    "aside",
    "held_back",
    "newest_key",
    "pattern",
    "state_and_reason",
    "text_key",
    "word",
}
# How many rows to ask for, if a statement takes a maximum.
_MOST = 100
# The value of a parameter of no special kind: one of each is looked for.
_ONE = 42


@dataclass(frozen=True)
class _Taken:
    """How long a statement took, and how long it blocked the loop, in seconds."""

    seconds: float
    stop: float


def compare(folder: Path) -> Iterator[Finding]:
    """Fill every table of both engines at the same time, then run every statement on each."""
    with run_postgres(folder / "grown") as server:
        urls = {"SQLite": f"sqlite:///{folder / 'grown.db'}", "PostgreSQL": server}
        filled = asyncio.run(_fill_all(urls.values()))
        for (engine, url), columns in zip(urls.items(), filled, strict=True):
            yield from _findings(engine, asyncio.run(_run_all(url, columns)))


def _findings(engine: str, taken: Mapping[str, list[_Taken]]) -> Iterator[Finding]:
    background = {name: tries for name, tries in taken.items() if name.startswith(_BACKGROUND)}
    others = {name: tries for name, tries in taken.items() if name not in background}
    rows = "with 100,000 rows in each table"
    for what, some, at_most in (
        (f"slowest statement {rows}", others, 1),
        # A writer waits for one of these at most.
        (f"slowest one in the background {rows}", background, None),
    ):
        times = {name: [run.seconds for run in tries] for name, tries in some.items()}
        yield _slowest(f"{engine}: the {what}", times, _MAX_SECONDS, at_most)
    stops = {name: [run.stop for run in tries] for name, tries in taken.items()}
    yield _slowest(f"{engine}: the longest stop of the loop {rows}", stops, _MAX_SECONDS_STOPPED, 1)


def _slowest(
    what: str, tries: Mapping[str, list[float]], goal: float, at_most: float | None
) -> Finding:
    slowest = max(tries, key=lambda name: min(tries[name]))
    fastest = min(tries[slowest])
    spread = (max(tries[slowest]) - min(tries[slowest])) / 2
    ratio = Ratio(fastest / goal, spread / goal)
    return Finding(f"{what}, `{slowest}`", f"{goal * 1000:g} ms", ratio, at_most=at_most)


async def _fill_all(urls: Iterable[str]) -> Sequence[Columns]:
    return await asyncio.gather(*map(_fill, urls))


async def _fill(url: str) -> Columns:
    async with open_database(url, MIGRATIONS) as database:
        columns = {kept.table: await database.columns(kept.table) for kept in RETENTION}
    await asyncio.to_thread(fill, url, columns)
    return columns


async def _run_all(url: str, columns: Columns) -> Mapping[str, list[_Taken]]:
    async with open_database(url, MIGRATIONS, patience=60) as database:
        return {
            name: [await _take(database, sql, _parameters(sql, columns)) for _ in range(_TRIES)]
            for name, sql in database.spelled(dict(_statements())).items()
        }


def _statements() -> Iterator[tuple[str, str]]:
    for file in (Path(storage.__file__).parent / "sql").glob("*.sql"):
        for name, sql in load_queries(file).items():
            if not {file.stem, f"{file.stem}.{name}"} & _UNHURRIED:
                # As the store puts the queries of others in their places.
                yield f"{file.stem}.{name}", member_reports.among_reports(sql)
    for kept in RETENTION:
        if kept.days is not None:
            sql = query("throw_out", kept, rows=f"{kept.age} < :oldest AND ({kept.may_go})")
            yield f"purge of {kept.table}", sql.replace(":most", str(AT_ONCE))
        if kept.server:
            sql = query("throw_out", kept, rows=f"{kept.server} = :guild_id")
            yield f"forgetting a server's {kept.table}", sql.replace(":most", str(AT_ONCE))


async def _take(database: Database, sql: str, parameters: Mapping[str, Value]) -> _Taken:
    seconds = 0.0
    async with watching_loop() as stops:
        # What a made-up value is refused for was looked up before.
        with suppress(_RolledBack, NotUnique):
            async with database.transaction() as transaction:
                begun = time.perf_counter()
                try:
                    await transaction.fetch(sql, **parameters)
                finally:
                    seconds = time.perf_counter() - begun
                raise _RolledBack
    return _Taken(seconds, max(stops))


class _RolledBack(Exception):
    """Rolls the transaction back."""


def _parameters(sql: str, columns: Columns) -> Mapping[str, Value]:
    kinds = {column: kind for table in columns.values() for column, kind in table.items()}
    return {
        name: _MOST if name == "most" else _parameter(name, kinds.get(name, ""))
        for name in re.findall(r"(?<!:):([a-z_]\w*)", sql)
    }


def _parameter(name: str, kind: str) -> Value:
    if name == "oldest":
        # All but a batch was thrown out before.
        return now() - YEAR + AT_ONCE * YEAR // ROWS
    if name in TEXTS:
        return "done"
    if name.endswith(TIMES) or name in ("now", "before", "later", "latest"):
        return now()
    if kind.upper() == "BOOLEAN" or name.startswith(_FLAGS):
        return True
    if kind.upper() in BINARY or name.startswith("sealed") or name == "key_id":
        return BYTES.encode()
    if kind.upper() == "TEXT" or name in _OTHER_TEXTS:
        return f"{name} {_ONE}"
    return _ONE
