"""How long the bot's slowest statements take with a million rows in each table, on SQLite.

The rows are made from the tables' columns, spread over a year and over a hundred thousand members.
Each statement runs three times and is rolled back; the fastest counts.
"""

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import storage
from benchmarks.bot_start import make_tables
from benchmarks.measuring import Finding, Ratio
from storage.database import load_queries
from storage.keeping import KEPT
from storage.kept import query
from storage.purging import AT_ONCE

_ROWS, _FEW_ROWS = 1_000_000, 1_000
# In microseconds.
_YEAR = 365 * 86_400_000_000
_MOST_SECONDS, _TRIES = 0.005, 3
# A row for each process, server that is left, or place that is followed.
_FEW = {"changes", "claims", "emojis", "facts", "identifies", "pauses"} | {
    *("followed_catalogs", "followed_threads", "follows", "gone_servers", "moderation"),
}
# For a member who has all erased, or for an operator: beside what members wait for.
_UNHURRIED = {"figures", "keeping", "leases", "names.some_named", "orders.bring_back"}
_SPREAD = {"guild": 1_000, "member": 100_000, "catalog": 1_000, "thread": 1_000}
_PURGES = ("purge", "forgetting", "outbox.purge", "pauses.purge", "removals.forget_texts")
_TIMES = ("_at", "until", "since")
_SELDOM = {"due_at", "attempted_at", "paused_at", "ended_at", "gone_at", "dismissed_at", "delivery"}
_TEXTS = {"state": "'done'", "claimed_by": "''", "excerpt": "''", "body": "''", "payload": "'{}'"}


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
            yield f"purge of {kept.table}", _whole_batch(query("purge", kept, rows=kept.may_go))
        if kept.server:
            yield f"forgetting a server's {kept.table}", _whole_batch(query("forget_server", kept))


def _whole_batch(sql: str) -> str:
    return sql.replace(":most", str(AT_ONCE))


def _fill(connection: sqlite3.Connection, table: str) -> None:
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    keys = [name for _, name, _, _, _, is_key in columns if is_key]
    names, values = zip(
        *((name, _value(name, kind, [name] == keys)) for _, name, kind, *_ in columns), strict=True
    )
    # Where two rows fall on one key, one of them will do.
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(names)})"
        " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)"
        f" SELECT {', '.join(values)} FROM n",
        {"now": _now(), "rows": _FEW_ROWS if table in _FEW else _ROWS, "year": _YEAR},
    )


def _value(name: str, kind: str, is_key: bool) -> str:
    spread = next((many for start, many in _SPREAD.items() if name.startswith(start)), None)
    value = "i"
    if name in _TEXTS:
        value = _TEXTS[name]
    elif name.endswith(_TIMES):
        value = ":now - i * (:year / :rows)"
    elif kind == "BOOLEAN":
        value = "FALSE"
    elif kind == "BLOB":
        value = "zeroblob(64)"
    elif kind == "TEXT":
        value = f"'{name} ' || i"
    elif spread is not None and not is_key:
        value = f"i % {spread} + 1"
    return f"CASE WHEN i % 1000 = 0 THEN {value} END" if name in _SELDOM else value


def _seconds(connection: sqlite3.Connection, sql: str) -> float:
    parameters = {name: _parameter(name) for name in re.findall(r"(?<!:):([a-z_]\w*)", sql)}
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


def _parameter(name: str) -> int | str:
    if name == "most":
        return 200
    if name == "oldest":
        # All but a batch was thrown out before.
        return _now() - _YEAR + AT_ONCE * _YEAR // _ROWS
    if name.endswith(_TIMES) or name in ("now", "after", "before", "later", "number"):
        return _now()
    return "done" if name == "state" else 4_242


def _now() -> int:
    return time.time_ns() // 1_000
