"""How long the bot's slowest statement takes with a million rows in each table, on SQLite.

The rows are made from the tables' own columns: a thousand servers and a hundred thousand members,
whose rows are spread over a year. Each statement is run with values that find some, three times,
and rolled back; the fastest counts.
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
from storage.kept_queries import query
from storage.purging import AT_ONCE

_ROWS = 1_000_000
_MOST_SECONDS = 0.005
_TRIES = 3
_YEAR = 365 * 86_400_000_000
# What an operator's commands go through whole, and what is made for a member who wants all of it.
_RARE = {"keeping", "figures", "leases"}
# Of how many different values a column has, where it is not unique, by how its name begins.
_SPREAD = {"guild": 1000, "member": 100_000, "catalog": 1000, "thread": 1000, "account": _ROWS}
# Columns whose rows are mostly settled, told or taken.
_SELDOM = {"due_at", "attempted_at", "held_until", "outcome", "delivery", "hit_word", "sealed_text"}


def compare(folder: Path) -> Iterator[Finding]:
    """Fill every table, then run every statement."""
    path = folder / "grown.db"
    make_tables(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for kept in KEPT:
            _fill(connection, kept.table)
        connection.execute("ANALYZE")
        took = {name: _time(connection, sql) for name, sql in statements()}
    slowest = max(took, key=lambda name: took[name])
    yield Finding(
        f"the slowest statement with a million rows in each table: {slowest}",
        "5 ms",
        Ratio(took[slowest] / _MOST_SECONDS),
        at_most=1,
    )
