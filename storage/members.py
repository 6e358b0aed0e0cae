"""All that is kept about one member: give it out, or remove it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from storage.changes import note_change
from storage.database import Database, Row
from storage.keeping import KEPT
from storage.kept import Kept
from storage.kept_queries import query
from storage.times import from_micros
from storage.vault import Vault

_MOMENTS = ("_at", "_until")


@dataclass(frozen=True)
class Erased:
    """How many rows of each table were removed, and how many stay because they are under way."""

    removed: Mapping[str, int]
    left: Mapping[str, int]


class MemberData:
    """What the tables hold about members, as storage/keeping.py says."""

    def __init__(self, database: Database, vault: Vault, kept: Sequence[Kept] = KEPT) -> None:
        self._database = database
        self._vault = vault
        self._kept = kept

    async def export(self, member_id: int) -> dict[str, Any]:
        """Return every row about a member by its table, ready for JSON.

        Texts are opened; what one can't be is None. Times are in ISO 8601, ids are texts, since
        JSON's readers may round them. No secret is among it.
        """
        found: dict[str, Any] = {}
        for kept in self._kept:
            rows: list[Row] = []
            for column in filter(None, (kept.member, *kept.acting)):
                owner = kept.sealed[0].owner if kept.sealed else "NULL"
                sql = query("of_member", kept, column=column, owner=owner)
                rows += await self._database.fetch(sql, member_id=member_id)
            if rows:
                found[kept.table] = [self._readable(kept, row) for row in rows]
        return found

    async def erase(self, member_id: int) -> Erased:
        """Remove every row about a member, and their name from rows about others.

        What is under way stays: without it, a purchase could be made twice.
        """
        removed: dict[str, int] = {}
        left: dict[str, int] = {}
        async with self._database.transaction() as transaction:
            for kept in self._kept:
                changed = 0
                if kept.member:
                    erase = query("erase", kept, column=kept.member, rows=kept.under_way)
                    changed = await transaction.execute(erase, member_id=member_id)
                    count = query("count_of_member", kept, column=kept.member)
                    (row,) = await transaction.fetch(count, member_id=member_id)
                    left[kept.table] = int(row["rows"])
                for column in kept.acting:
                    forget = query("forget_name", kept, column=column)
                    changed += await transaction.execute(forget, member_id=member_id)
                if changed and kept.topic:
                    await note_change(transaction, kept.topic)
                removed[kept.table] = changed
        return Erased(_more_than_none(removed), _more_than_none(left))

    def _readable(self, kept: Kept, row: Row) -> dict[str, Any]:
        sealed = {one.column: one for one in kept.sealed}
        # Where a value is sealed, its column of old is empty; and the other way round.
        pairs = {one.column for one in kept.sealed} | {one.plain for one in kept.sealed}
        return {
            name.removeprefix("sealed_"): sealed[name].open(self._vault, row)
            if name in sealed
            else _shown(name, value)
            for name, value in dict(row).items()
            if name not in (*kept.secret, "sealed_for") and (value or name not in pairs)
        }


def _more_than_none(counts: Mapping[str, int]) -> Mapping[str, int]:
    return {table: count for table, count in counts.items() if count}


def _shown(name: str, value: object) -> object:
    if value is None:
        return None
    if name.startswith("is_"):
        return bool(value)
    if name.endswith(_MOMENTS) and isinstance(value, int):
        return from_micros(value).isoformat()
    return str(value) if name == "id" or name.endswith("_id") else value
