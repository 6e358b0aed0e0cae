"""However many rows there are, no statement reads a whole table while members wait."""

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
from storage.keeping import KEPT
from storage.kept import query
from tests.support.databases import address_at

QUERIES = Path(storage.__file__).parent / "sql"
# Tables whose rows are few, however many members there are.
FEW = {"changes", "claims"}
# Statements that may read all of something, and why.
ALL = {
    "keeping.all_links": "an operator changes keys",
    "figures.texts": "the first ones in an index",
    "figures.open_orders": "the first ones in an index",
    "figures.orders": "the first ones in an index",
    "emojis.made": "the first ones in an index",
    "emojis.forget_all": "another bot takes the database over",
    "outbox.waiting": "the first ones in an index",
    "links.keys": "the first one in an index",
    "a member's heard": "the rows of a day, when a member has all erased",
    "names.used_by": "PostgreSQL has not counted yet how few they are",
}
# Filled in for each table.
TEMPLATES = {"claims", "keeping", "leases"}


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
    for kept in KEPT:
        if kept.days is not None:
            yield f"purge of {kept.table}", query("purge", kept, rows=kept.may_go)
        if kept.server:
            yield f"forgetting a server's {kept.table}", query("forget_server", kept)
        for column in filter(None, (kept.member, *kept.acting)):
            yield f"a member's {kept.table}", query("count_of_member", kept, column=column)


def growing(tables: Iterable[str]) -> set[str]:
    return (set(tables) & {kept.table for kept in KEPT}) - FEW


def test_no_statement_reads_a_whole_table(scanned_by: Explain) -> None:
    found = {name for name, sql in statements() if growing(scanned_by(sql))}
    assert found - ALL.keys() == set()


def test_a_statement_that_reads_a_whole_table_is_seen(scanned_by: Explain) -> None:
    sql = "SELECT item_name FROM orders WHERE cost > :least"
    assert growing(scanned_by(sql)) == {"orders"}
