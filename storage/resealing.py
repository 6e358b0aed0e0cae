"""Seal everything anew with the newest key, and count and remove what no key opens."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from storage.database import Database, Row, Transaction, Value
from storage.keeping import QUERIES, RETENTION, Sealed, TableRetention, query
from storage.messages import LOST_KEY, Messages, MessageState, NewMessage, Priority
from storage.retention import AT_ONCE
from storage.vault import Vault

# That the start of a comment is gone, or what was reported, nobody notices.
_MISSED = {"links", "writes"}
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


async def remove_unreadable(database: Database, vault: Vault, now: Callable[[], datetime]) -> int:
    """Remove what no key opens; return how many values went.

    Each member who misses something is told at their next command.
    """
    of_members: defaultdict[int, list[tuple[TableRetention, Sealed, Row]]] = defaultdict(list)
    for retention, sealed in _SEALED:
        for row in await _sealed_otherwise(database, vault, retention, sealed):
            if not vault.has_key_of(bytes(row[sealed.column])):
                member_id = int(row[retention.member]) if retention.member else 0
                of_members[member_id].append((retention, sealed, row))
    messages = Messages(database, now)
    for member_id, lost in of_members.items():
        async with database.transaction() as transaction:
            removed = {one[0].table for one in lost if await _remove(transaction, *one)}
            if member_id and removed & _MISSED:
                last = await transaction.fetch_one(QUERIES["last_write"], member_id=member_id)
                locale = last["locale"] if last else ""
                told = NewMessage(
                    LOST_KEY,
                    f"{LOST_KEY} {member_id} {now():%Y-%m-%dT%H:%M:%S}",
                    Priority.DIRECT_MESSAGE,
                    member_id=member_id,
                    payload={"lost": sorted(removed & _MISSED), "locale": locale},
                )
                await messages.want(transaction, told)
                await messages.take_back(transaction, told.key, MessageState.REFUSED)
    return sum(map(len, of_members.values()))


async def _sealed_otherwise(
    database: Database, vault: Vault, retention: TableRetention, sealed: Sealed
) -> Sequence[Row]:
    """Return the rows with a value that another key than the newest has sealed."""
    rows = await database.fetch(query("all_sealed", retention, column=sealed.column))
    newest = vault.newest_key
    return [row for row in rows if not row[sealed.column].startswith(newest)]


async def _remove(
    transaction: Transaction, retention: TableRetention, sealed: Sealed, row: Row
) -> bool:
    """Remove a row with a value that nobody can read, or that value; tell whether the row went."""
    remove = query("remove", retention, column=sealed.column, rows=sealed.is_all)
    if await transaction.execute(remove, **_which(retention, sealed, row)):
        return True
    empty = query("reseal", retention, column=sealed.column)
    await transaction.execute(empty, sealed=None, **_which(retention, sealed, row))
    return False


def _which(retention: TableRetention, sealed: Sealed, row: Row) -> dict[str, Value]:
    return {"sealed_before": row[sealed.column], **{key: row[key] for key in retention.key}}
