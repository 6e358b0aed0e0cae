"""Fill every table of the bot's with 100,000 rows, on either engine.

They are made from the tables' columns, spread over a year and over ten thousand members.
"""

import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.game_data import filling
from storage.retention import RETENTION

ROWS = 100_000
# Topics are named by the program. Claims are as many as processes hold. Servers that are gone are
# forgotten after a month.
_FEWER = {"changes": 20, "claims": 100, "gone_servers": 1_000}
# In microseconds.
YEAR = 365 * 86_400_000_000
# How many rows in a row are of one server, place or wish. Members come again and again instead.
_TOGETHER = {
    **dict.fromkeys(("guild_id", "game_id", "catalog_id", "subscription_id"), 100),
    **dict.fromkeys(("case_id", "shown_id"), 10),
}
_MEMBERS = 10_000
TIMES = ("_at", "until", "since")
# Columns that are set in every second row: half waits, half is done.
_HALF = {"due_at", "attempted_at", "stopped_at", "ended_at", "gone_at", "dismissed_at"}
_NEVER_EMPTY = {"writes.due_at", "followed.due_at"}
TEXTS = {
    "claimed_by": "''",
    "holder": "''",
    "state": "CASE WHEN i % 2 = 0 THEN 'owed' ELSE 'done' END",
    "payload": "'{}'",
}
# Few servers take a permission away without naming another channel.
_RARE = {"log_is_closed": "i % 100 = 0"}
_SQLITE_INDEXES = """
SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'
"""
_POSTGRES_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
 WHERE schemaname = current_schema() AND indexdef LIKE 'CREATE INDEX%'
"""
BYTES = "0" * 64
BINARY = ("BLOB", "BYTEA")

Columns = Mapping[str, Mapping[str, str]]
_Run = Callable[[str], Iterable[tuple[Any, ...]]]


def fill(url: str, columns: Columns) -> None:
    """Fill the tables of an empty database, whose columns these are, by their types."""
    with _filling(url) as run:
        for kept in RETENTION:
            values = {
                name: _value(name, kind, kept.table, is_key=name == kept.key[-1])
                for name, kind in columns[kept.table].items()
            }
            rows = _FEWER.get(kept.table, ROWS)
            # If two rows have the same key, one of them will do.
            run(
                f"INSERT INTO {kept.table} ({', '.join(values)})"
                " WITH RECURSIVE n (i) AS"
                f" (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {rows})"
                f" SELECT {', '.join(values.values())} FROM n WHERE TRUE ON CONFLICT DO NOTHING"
            )


def _value(name: str, kind: str, table: str, *, is_key: bool) -> str:
    value = _full_value(name, kind, table, is_key=is_key)
    if name in _HALF and not is_key and f"{table}.{name}" not in _NEVER_EMPTY:
        return f"CASE WHEN i % 2 = 0 THEN {value} END"
    return value


def _full_value(name: str, kind: str, table: str, *, is_key: bool) -> str:
    if name in TEXTS or name in _RARE:
        return TEXTS.get(name) or _RARE[name]
    if name.endswith(TIMES) and kind.upper() != "BOOLEAN":
        # Half of what holds for a while holds still, whether or not it was ended before.
        distance = "CASE WHEN i % 4 < 2 THEN i ELSE -i END" if name.endswith("until") else "-i"
        return f"{now()} + ({distance}) * {YEAR // _FEWER.get(table, ROWS)}"
    match kind.upper():
        case "BOOLEAN":
            return "i % 2 = 1"
        case "TEXT":
            return f"'{name} ' || i"
        case known if known in BINARY:
            return f"CAST('{BYTES}' AS {kind})"
        case _ if is_key or name not in {*_TOGETHER, "member_id"}:
            return "i"
        case _:
            return f"i % {_MEMBERS}" if name == "member_id" else f"i / {_TOGETHER[name]}"


@contextmanager
def _filling(url: str) -> Generator[_Run]:
    """Lend a function that runs statements, ignoring foreign keys and not waiting for the disk.

    Indexes are made once the rows are there, which is faster. What is unique stays so.
    """
    if url.startswith("sqlite"):
        with (
            filling(Path(url.removeprefix("sqlite:///"))) as file,
            _without_indexes(file.execute, _SQLITE_INDEXES),
        ):
            yield file.execute
        return
    with psycopg.connect(url, autocommit=True) as connection:

        def run(sql: str) -> Iterable[tuple[Any, ...]]:
            return connection.execute(sql.encode())

        run("ALTER SYSTEM SET max_wal_size = '16GB'")
        run("ALTER SYSTEM SET full_page_writes = off")
        # Once, at the end, instead of after each table.
        run("ALTER SYSTEM SET autovacuum = off")
        run("SELECT pg_reload_conf()")
        run("SET maintenance_work_mem = '256MB'")
        run("SET session_replication_role = replica")
        with _without_indexes(run, _POSTGRES_INDEXES):
            yield run
        run("VACUUM ANALYZE")


@contextmanager
def _without_indexes(run: _Run, find: str) -> Generator[None]:
    indexes = list(run(find))
    for name, _ in indexes:
        run(f"DROP INDEX {name}")
    yield
    for _, sql in indexes:
        run(sql)


def now() -> int:
    """Return the time as columns hold it."""
    return time.time_ns() // 1_000
