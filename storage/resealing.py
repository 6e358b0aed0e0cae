"""Seal everything anew with the newest key, and count what each key has sealed."""

from collections import defaultdict
from collections.abc import Mapping

from storage.database import Database, Value
from storage.keeping import RETENTION, query
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
        every = await database.fetch(query("all_sealed", retention, column=sealed.column))
        rows = [row for row in every if not row[sealed.column].startswith(vault.newest_key)]
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            changes: list[dict[str, Value]] = [
                {
                    "sealed": sealed.seal(vault, row, secret),
                    "sealed_before": row[sealed.column],
                    **{key: row[key] for key in retention.key},
                }
                for row in some
                if (secret := sealed.open(vault, row)) is not None
            ]
            async with database.transaction() as transaction:
                await transaction.execute_many(reseal, changes)
            done += len(changes)
            unreadable += len(some) - len(changes)
    return done, unreadable
