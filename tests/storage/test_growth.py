"""No statement reads a whole table while members wait, but where that is named here."""

import re
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

import storage
from storage.database import load_queries
from storage.keeping import RETENTION
from tests.support.databases import address_at

QUERIES = Path(storage.__file__).parent / "sql"
# Tables whose rows are few, however many members there are.
FEW = {"claims", "identifies", "emojis"}
# Statements that may read all of something, and why.
ALL = {
    **dict.fromkeys(
        (
            *("following.all", "following.unfollow_unwished", "vetting.due"),
            *("installation.orders", "installation.waiting", "removals.forget_texts"),
        ),
        "a worker looks around, and nobody waits",
    ),
    "links.keys": "a bot starts",
    "names.some_named": "an operator checks the settings",
}
# Filled in for each table.
TEMPLATES = {"claims", "keeping"}


# How each engine is asked for its plan of a statement, without values.
Explain = Callable[[str], Iterator[str]]


@pytest.fixture
def scanned_by(
    request: pytest.FixtureRequest, on_both_engines: None, tmp_path: Path
) -> Generator[Explain]:
    """Tell of which tables an engine would read every row for a statement."""
    address = address_at(tmp_path / "kiosk.db")
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as file:
            yield partial(_scanned_by_sqlite, file)
    else:
        with psycopg.connect(address, autocommit=True) as server:
            # However few rows there are, it is to look for them as among many.
            server.execute("SET enable_seqscan = off")
            server.execute("SET enable_hashjoin = off")
            yield partial(_scanned_by_postgres, server)


def _scanned_by_sqlite(file: sqlite3.Connection, sql: str) -> Iterator[str]:
    plan = file.execute(f"EXPLAIN QUERY PLAN {sql}", dict.fromkeys(_names(sql))).fetchall()
    return (row[3].split()[1] for row in plan if row[3].startswith("SCAN "))


def _scanned_by_postgres(server: psycopg.Connection, sql: str) -> Iterator[str]:
    for number, name in enumerate(_names(sql), start=1):
        sql = re.sub(rf"(?<!:):{name}\b", f"${number}", sql)
    ((plan,),) = server.execute(f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}".encode()).fetchall()
    return _without_condition(plan[0]["Plan"])


def _without_condition(plan: dict[str, Any], above: str = "") -> Iterator[str]:
    kind = plan["Node Type"]
    # Of an index that is read in order, a limit takes the first ones.
    are_first = above == "Limit" and "Filter" not in plan
    if kind == "Seq Scan" or (
        kind.startswith("Index") and "Index Cond" not in plan and not are_first
    ):
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from _without_condition(part, kind)


def _names(sql: str) -> list[str]:
    return sorted(set(re.findall(r"(?<!:):([a-z_]\w*)", sql)))


def statements() -> Iterator[tuple[str, str]]:
    for file in QUERIES.glob("*.sql"):
        for name, sql in load_queries(file).items():
            if file.stem not in TEMPLATES:
                yield f"{file.stem}.{name}", sql


def growing(tables: Iterable[str]) -> set[str]:
    return (set(tables) & {kept.table for kept in RETENTION}) - FEW


def test_no_statement_reads_a_whole_table(scanned_by: Explain) -> None:
    found = {name for name, sql in statements() if growing(scanned_by(sql))}
    assert found - ALL.keys() == set()


def test_a_statement_that_reads_a_whole_table_is_seen(scanned_by: Explain) -> None:
    sql = "SELECT item FROM writes WHERE created_at > :least"
    assert growing(scanned_by(sql)) == {"writes"}
