"""Seal everything anew with the newest key, and count what each key has sealed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from storage.database import Database, Row, Value
from storage.keeping import RETENTION, Sealed, TableRetention, query
from storage.retention import AT_ONCE
from storage.vault import Vault

_SEALED = [(retention, retention.sealed) for retention in RETENTION if retention.sealed]


async def count_sealed(database: Database) -> Mapping[bytes, Mapping[str, int]]:
    """Return how many values each key has sealed, by its id and then by table and column."""
    counts: defaultdict[bytes, dict[str, int]] = defaultdict(dict)
    for retention, sealed in _SEALED:
        sql = query("count_by_key", retention, column=sealed.column)
        for row in await database.fetch(sql):
            counts[bytes(row["key_id"])][f"{retention.table}.{sealed.column}"] = row["rows"]
    return counts


async def seal_anew(database: Database, vault: Vault) -> tuple[int, int]:
    """Seal with the newest key what another one has sealed.

    It may be interrupted and begun again, while others read and write. Returns how many values
    were sealed anew, and how many can't be opened.
    """
    done = unreadable = 0
    for retention, sealed in _SEALED:
        reseal = query("reseal", retention, column=sealed.column)
        rows = await _sealed_otherwise(database, vault, retention, sealed)
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            changes: list[dict[str, Value]] = [
                {"sealed": sealed.seal(vault, row, secret), **_which(retention, sealed, row)}
                for row in some
                if (secret := sealed.open(vault, row)) is not None
            ]
            async with database.transaction() as transaction:
                await transaction.execute_many(reseal, changes)
            done += len(changes)
            unreadable += len(some) - len(changes)
    return done, unreadable


async def _sealed_otherwise(
    database: Database, vault: Vault, retention: TableRetention, sealed: Sealed
) -> Sequence[Row]:
    """Return the rows with a value that another key than the newest has sealed."""
    rows = await database.fetch(query("all_sealed", retention, column=sealed.column))
    newest = vault.newest_key
    return [row for row in rows if not row[sealed.column].startswith(newest)]


def _which(retention: TableRetention, sealed: Sealed, row: Row) -> dict[str, Value]:
    return {"sealed_before": row[sealed.column], **{key: row[key] for key in retention.key}}
