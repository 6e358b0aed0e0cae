"""Queries for any table, written once: storage/keeping.py says what differs between tables."""

from collections.abc import Sequence
from pathlib import Path

from storage.database import Row, Value, load_queries
from storage.kept import Kept

QUERIES = load_queries(Path(__file__).parent / "sql" / "keeping.sql")


def query(
    name: str,
    kept: Kept,
    *,
    column: str = "",
    plain: str = "",
    owner: str = "",
    rows: str = "TRUE",
    is_first: bool = True,
) -> str:
    """Return a query of storage/sql/keeping.sql for a table.

    `rows` is which of its rows are meant; unless it `is_first`, a batch begins after `key_values`.
    """
    keys = ", ".join(kept.key)
    after = f"({keys}) > ({', '.join(f':{each}' for each in _names(kept))})"
    words = {
        "kept_table": kept.table,
        "kept_key": keys,
        "kept_server": kept.server or "",
        "kept_age": kept.age,
        "kept_column": column,
        "kept_plain": plain,
        "kept_owner": owner,
        "kept_rows": rows,
        "kept_after": "TRUE" if is_first else after,
        "kept_row": " AND ".join(
            f"{key} = :{name}" for key, name in zip(kept.key, _names(kept), strict=True)
        ),
    }
    sql = QUERIES[name]
    # The longest first: one is the beginning of another.
    for word in sorted(words, key=len, reverse=True):
        sql = sql.replace(word, words[word])
    return sql


def key_values(kept: Kept, row: Row) -> dict[str, Value]:
    """Return the parameters that name a row in these queries."""
    return {name: row[key] for key, name in zip(kept.key, _names(kept), strict=True)}


def _names(kept: Kept) -> Sequence[str]:
    return [f"key_{number}" for number, _ in enumerate(kept.key)]
