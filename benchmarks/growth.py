"""How long the bot's slowest statements take with a million rows in each table, on SQLite.

The rows are made from the tables' columns, spread over a year and over a hundred thousand members.
Each statement runs three times and is rolled back; the fastest counts.
"""

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from operator import itemgetter
from pathlib import Path

import storage
from benchmarks.bot_start import make_tables
from benchmarks.measuring import Finding, Ratio
from storage.database import load_queries
from storage.keeping import KEPT
from storage.kept import query
from storage.retention import AT_ONCE, SERVER_ROWS_AT_ONCE

_ROWS = 1_000_000
# Topics are named by the program; claims are as many as processes hold.
_FEWER = {"changes": 20, "claims": 10_000}
# In microseconds.
_YEAR = 365 * 86_400_000_000
_MOST_SECONDS, _TRIES = 0.005, 3
# For an operator who changes keys, or a member who has all erased: beside what members wait for.
_UNHURRIED = {"keeping", "leases"}
# How many rows in a row are of one server, place or wish; members come again and again instead.
_TOGETHER = {
    **dict.fromkeys(("guild_id", "catalog_id", "thread_id", "subscription_id", "follow_id"), 1_000),
    **dict.fromkeys(("case_id", "shown_id"), 10),
}
_MEMBERS = 100_000
_PURGES = ("purge", "forgetting", "outbox.purge", "pauses.purge", "removals.forget_texts")
_TIMES = ("_at", "until", "since")
# Of every second row: as much waits as is done.
_HALF = {"due_at", "attempted_at", "paused_at", "ended_at", "gone_at", "dismissed_at", "delivery"}
_STATE = "CASE WHEN i % 2 = 0 THEN 'owed' ELSE 'done' END"
_OF_KIND = {"BOOLEAN": "i % 2", "BLOB": "zeroblob(64)", "TEXT": "'{name} ' || i"}
_TEXTS = {"state": _STATE, "claimed_by": "''", "excerpt": "''", "body": "''", "payload": "'{}'"}
_TEXT_COLUMNS = """
SELECT DISTINCT field.name
  FROM sqlite_schema AS kept JOIN pragma_table_info(kept.name) AS field
 WHERE kept.type = 'table' AND field.type = 'TEXT'
"""
# One of each is looked for: what a statement is given where it names no moment.
_ONE = 42


def compare(folder: Path) -> Iterator[Finding]:
    """Fill every table, then run every statement."""
    path = folder / "grown.db"
    make_tables(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for kept in KEPT:
            _fill(connection, kept.table)
        connection.execute("PRAGMA foreign_keys = ON")
        seconds = {name: _seconds(connection, sql) for name, sql in _statements()}
    purges = {name: took for name, took in seconds.items() if name.startswith(_PURGES)}
    for what, some, at_most in (
        (
            "slowest statement",
            {name: took for name, took in seconds.items() if name not in purges},
            1,
        ),
        # In the background; whoever writes waits for one at most.
        (f"slowest purge of {AT_ONCE} rows", purges, None),
    ):
        slowest = max(some, key=lambda name: some[name])
        yield Finding(
            f"the {what} with a million rows in each table, `{slowest}`",
            "5 ms",
            Ratio(some[slowest] / _MOST_SECONDS),
            at_most=at_most,
        )


def _statements() -> Iterator[tuple[str, str]]:
    for file in (Path(storage.__file__).parent / "sql").glob("*.sql"):
        for name, sql in load_queries(file).items():
            if not {file.stem, f"{file.stem}.{name}"} & _UNHURRIED:
                yield f"{file.stem}.{name}", sql
    for kept in KEPT:
        if kept.days is not None:
            sql = query("purge", kept, rows=kept.may_go)
            yield f"purge of {kept.table}", sql.replace(":most", str(AT_ONCE))
        if kept.server:
            sql = query("forget_server", kept)
            yield (
                f"forgetting a server's {kept.table}",
                sql.replace(":most", str(SERVER_ROWS_AT_ONCE)),
            )


def _fill(connection: sqlite3.Connection, table: str) -> None:
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    last_key = max(columns, key=itemgetter(5))[1]
    values = {name: _value(name, kind, name == last_key) for _, name, kind, *_ in columns}
    for _, name, _, is_needed, *_ in columns:
        if name in _HALF and not is_needed:
            values[name] = f"CASE WHEN i % 2 = 0 THEN {values[name]} END"
    # Where two rows fall on one key, one of them will do.
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(values)})"
        " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)"
        f" SELECT {', '.join(values.values())} FROM n",
        {"now": _now(), "rows": _FEWER.get(table, _ROWS), "year": _YEAR},
    )


def _value(name: str, kind: str, is_key: bool) -> str:
    if name in _TEXTS:
        return _TEXTS[name]
    if name.endswith(_TIMES):
        return ":now - i * (:year / :rows)"
    if kind in _OF_KIND:
        return _OF_KIND[kind].format(name=name)
    if is_key:
        return "i"
    if name in _TOGETHER:
        return f"i / {_TOGETHER[name]}"
    return f"i % {_MEMBERS}" if name == "member_id" else "i"


def _seconds(connection: sqlite3.Connection, sql: str) -> float:
    texts = {row[0] for row in connection.execute(_TEXT_COLUMNS)}
    parameters = {name: _parameter(name, texts) for name in re.findall(r"(?<!:):([a-z_]\w*)", sql)}
    took: list[float] = []
    for _ in range(_TRIES):
        connection.execute("BEGIN IMMEDIATE")
        begun = time.perf_counter()
        # What a made-up value is refused for was looked up before.
        with suppress(sqlite3.IntegrityError):
            connection.execute(sql, parameters).fetchall()
        took.append(time.perf_counter() - begun)
        connection.execute("ROLLBACK")
    return min(took)


def _parameter(name: str, texts: set[str]) -> int | str:
    if name == "most":
        return 100
    if name == "oldest":
        # All but a batch was thrown out before.
        return _now() - _YEAR + AT_ONCE * _YEAR // _ROWS
    if name in _TEXTS:
        return "done"
    if name in texts:
        return f"{name} {_ONE}"
    if name.endswith(_TIMES) or name in ("now", "before", "later", "latest"):
        return _now()
    return _ONE


def _now() -> int:
    return time.time_ns() // 1_000
