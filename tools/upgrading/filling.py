"""Databases that 1.0.0 and 2.0.0 have left, with as many rows as a large bot has.

Their rows are those of `tests/support/one_zero`, in every table and of every kind, copied with
other ids until the tables are full.
"""

from collections import abc
from math import ceil
from pathlib import Path

from pydantic import SecretStr

from storage.database import Database, Transaction, open_database
from storage.database.steps import tables_of
from storage.links import PURPOSE
from storage.vault import Vault
from tests.support.databases import run_beside
from tests.support.world import KEY

# Tables that have few rows, or rows of the process alone.
_NOT_COPIED = {"claims", "codes", "facts", "followed", "identifies"}
# All places stay the same few ones: a catalog, or a thread, has many rows.
_PLACES = {"catalog_id", "game_id", "place_id", "reader_id", "thread_id"}
_IDS = {"id", "created_by", "lane"}
_KEYS = {"key", "message_key"}
# The distance of an id from that of its copy: ids that belong together are closer.
_APART = 10**10
# A number for each copy that is to be made.
_NUMBERS = (
    "WITH RECURSIVE copies (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copies WHERE k < :last)"
)
_SEAL = "UPDATE links SET sealed_token = :sealed WHERE member_id = :member_id"
# For each table, its rows, and a sum that any change of a row changes.
Counts = dict[str, tuple[int, int]]


async def fill(address: str, rows: int, steps: Path) -> None:
    """Fill each table up to `rows` rows, in a database that has these steps."""
    async with open_database(address, steps, patience=600.0, keeps_old=False) as database:
        parents: dict[str, set[str]] = {}
        for row in await database.fetch(database.references):
            parents.setdefault(row["name"], set()).add(row["refers_to"])
        copies: dict[str, int] = {}
        for table in await tables_of(database):
            if table in _NOT_COPIED:
                continue
            (counted,) = await database.fetch(f"SELECT COUNT(*) AS rows FROM {table}")
            wanted = ceil(rows / counted["rows"]) - 1 if counted["rows"] else 0
            # What a copy refers to has been copied as often.
            most = [copies[parent] for parent in parents.get(table, ()) if parent in copies]
            copies[table] = min([wanted, *most])
            if copies[table] > 0:
                columns = list(await database.columns(table))
                async with database.transaction() as transaction:
                    await _copy(transaction, table, columns, copies[table])
        await _seal(database)
        if database.engine == "postgresql":
            await database.execute("ANALYZE")


async def _copy(
    transaction: Transaction, table: str, columns: abc.Sequence[str], last: int
) -> None:
    copied = [_of_copy(column) for column in columns]
    if table == "seen":
        # What is stored of an item or a comment begins with its id.
        subject_id = "subject_id" if "subject_id" in columns else "id"
        begins = "'{\"id\":' || %s || ','"
        moved = begins % _moved(subject_id)
        copied[columns.index("state")] = f"replace(state, {begins % subject_id}, {moved})"
    await transaction.execute(
        f"{_NUMBERS} INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {', '.join(copied)} FROM {table}, copies",
        last=last,
    )


def _of_copy(column: str) -> str:
    if column in _KEYS:
        return f"'copy ' || k || ' ' || {column}"
    if column in _IDS or (column.endswith("_id") and column not in _PLACES):
        return _moved(column)
    return column


def _moved(column: str) -> str:
    return f"({column} + k * {_APART})"


async def _seal(database: Database) -> None:
    """Seal a token for each member: a copy of another's couldn't be opened."""
    vault = Vault([SecretStr(KEY)])
    members = [row["member_id"] for row in await database.fetch("SELECT member_id FROM links")]
    sealed = [
        {
            "member_id": member,
            "sealed": vault.seal(f"token-{member}", owner=member, purpose=PURPOSE),
        }
        for member in members
    ]
    async with database.transaction() as transaction:
        await transaction.execute_many(_SEAL, sealed)


def count_rows(address: str) -> Counts:
    """Count and sum all rows, except what a process writes while it only runs."""
    names = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    if address.startswith("postgresql"):
        names = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    found: Counts = {}
    for (table,) in run_beside(address, names):
        if table not in ("claims", "facts"):
            rows = run_beside(address, f"SELECT * FROM {table}")
            found[table] = (len(rows), sum(map(hash, rows)))
    return found
