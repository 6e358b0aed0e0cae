"""However many rows there are, no statement reads a whole table while members wait."""

import re
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import storage
from storage.database import load_queries
from storage.keeping import KEPT
from storage.kept import query
from tests.support.databases import address_at

QUERIES = Path(storage.__file__).parent / "sql"
# Tables whose rows are few, however many members there are.
FEW = {"changes", "claims", "emojis", "facts", "followed_catalogs", "followed_threads"} | {
    # A row for each server, or for each channel that follows something.
    *("follows", "gone_servers", "moderation"),
}
# Statements that may read all of something, and why.
ALL = {
    "keeping.all_links": "an operator changes keys",
    "figures.texts": "one number out of an index, of a day's texts",
    "figures.open_orders": "an index of the open ones alone",
    "links.keys": "the first one in an index",
    "vetting.due": "the first ones in an index",
    "a member's heard": "the rows of a day, when a member has all erased",
    "names.some_named": "an operator checks the settings",
    "pauses.since": "what is older than a day is thrown out",
}
# Filled in for each table.
TEMPLATES = {"keeping", "leases"}


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[sqlite3.Connection]:
    monkeypatch.setenv("DATABASE", "sqlite")
    address = address_at(tmp_path / "kiosk.db")
    with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection:
        yield connection


def scans(tables: sqlite3.Connection, sql: str) -> set[str]:
    """Return the tables of which a statement would read every row."""
    nothing = dict.fromkeys(re.findall(r"(?<!:):([a-z_]\w*)", sql))
    plan = tables.execute(f"EXPLAIN QUERY PLAN {sql}", nothing).fetchall()
    scanned = {row[3].split()[1] for row in plan if row[3].startswith("SCAN ")}
    return (scanned & {kept.table for kept in KEPT}) - FEW


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


def test_no_statement_reads_a_whole_table(tables: sqlite3.Connection) -> None:
    found = {name: scanned for name, sql in statements() if (scanned := scans(tables, sql))}
    assert found.keys() - ALL.keys() == set()


def test_a_statement_that_reads_a_whole_table_is_seen(tables: sqlite3.Connection) -> None:
    assert scans(tables, "SELECT item_name FROM orders WHERE cost > :least") == {"orders"}
