"""Delete what is kept for too long, and export or erase what is kept about one member."""

import asyncio
import datetime as dt
from collections import abc
from typing import Any

from msgspec import Struct

from storage import retention, subscriptions
from storage.cases import Cases
from storage.database import Database, Value
from storage.member_reports import find_reported
from storage.messages import Messages
from storage.roles import take_lost
from storage.rows import from_micros
from storage.storage_errors import DatabaseError, StatementFailed
from storage.vault import Vault

# JSON's readers may round what is larger.
_MAX_EXACT = 2**53 - 1


class Purge(Struct, frozen=True):
    database: Database

    async def purge(self, now: dt.datetime) -> int:
        """Delete rows that are too old. A table that fails doesn't hold up the others.

        Returns how many rows were deleted. Raises DatabaseError, which names the tables that
        failed.
        """
        removed = 0
        failed: dict[str, DatabaseError] = {}
        for kept in retention.RETENTION:
            if kept.days is not None:
                oldest = now - dt.timedelta(days=kept.days)
                rows = f"{kept.age} < :oldest AND ({kept.may_go})"
                try:
                    removed += await self._delete_batch(kept, rows, oldest=oldest)
                except DatabaseError as error:
                    failed[kept.table] = error
        if removed:
            removed += await subscriptions.unfollow_unwished(self.database)
        if failed:
            tables = ", ".join(f"{table} ({error})" for table, error in failed.items())
            raise StatementFailed(f"can't delete old rows of {tables}")
        return removed

    async def save_servers(self, present: abc.Set[int], now: dt.datetime) -> None:
        """Mark servers that aren't `present` as gone, and delete the marks of those that are back.

        A mark keeps its first time. It is deleted, too, if nothing is kept of its server any more.
        """
        known: set[int] = set()
        for kept in retention.RETENTION:
            if kept.server and kept.table != "gone_servers":
                sql = retention.query("servers", kept, column=kept.server)
                known.update(row["guild_id"] for row in await self.database.fetch(sql))
        gone = known - present
        new = [{"guild_id": guild_id, "gone_since": now} for guild_id in gone]
        old = [{"guild_id": guild_id} for guild_id in (await self.gone_servers()).keys() - gone]
        async with self.database.transaction() as transaction:
            await transaction.execute_many(retention.QUERIES["mark_gone"], new)
            await transaction.execute_many(retention.QUERIES["unmark"], old)

    async def gone_servers(self) -> abc.Mapping[int, dt.datetime]:
        """Return the servers that Kiosk is no longer in, and since when, as far as was seen."""
        rows = await self.database.fetch(retention.QUERIES["gone_servers"])
        return {row["guild_id"]: from_micros(row["gone_since"]) for row in rows}

    async def forget_servers(self, now: dt.datetime) -> int:
        """Delete servers that are gone for too long. Return how many rows were deleted."""
        removed = 0
        for guild_id, since in (await self.gone_servers()).items():
            if now - since >= dt.timedelta(days=retention.SERVER_DAYS):
                # Marks are deleted last, so that a crash leaves no server without its mark.
                for kept in retention.RETENTION:
                    if kept.server:
                        rows = f"{kept.server} = :guild_id"
                        removed += await self._delete_batch(kept, rows, guild_id=guild_id)
        if removed:
            removed += await subscriptions.unfollow_unwished(self.database)
        return removed

    async def _delete_batch(
        self, kept: retention.TableRetention, rows: str, **parameters: Value
    ) -> int:
        sql = retention.query("throw_out", kept, rows=rows)
        removed = 0
        while True:
            async with self.database.transaction() as transaction:
                batch = await transaction.execute(sql, most=retention.AT_ONCE, **parameters)
            removed += batch
            if batch < retention.AT_ONCE:
                return removed
            # Those who wait for the database come first.
            await asyncio.sleep(0)


class MemberData:
    def __init__(
        self, database: Database, vault: Vault, now: abc.Callable[[], dt.datetime]
    ) -> None:
        self._database = database
        self._vault = vault
        self._outbox = Messages(database, now)
        self._cases = Cases(database, vault, self._outbox, now)

    async def export(self, member_id: int) -> dict[str, Any]:
        """Return every row about a member by its table, ready for JSON.

        Texts are opened. A text that can't be opened is None. Times are in ISO 8601. Ids, and other
        numbers as large, are texts. No secrets are included.
        """
        found: dict[str, Any] = {}
        for kept in retention.RETENTION:
            columns = [column for column in (kept.member, *kept.acting) if column]
            if not columns:
                continue
            theirs = " OR ".join(f"{column} = :member_id" for column in columns)
            sql = retention.query("of_member", kept, rows=theirs)
            if rows := await self._database.fetch(sql, member_id=member_id):
                found[kept.table] = [
                    {
                        name.removeprefix("sealed_"): kept.sealed.open(self._vault, row)
                        if kept.sealed and name == kept.sealed.column
                        else _shown(name, value)
                        for name, value in dict(row).items()
                        if name not in (*kept.secret, "sealed_for")
                    }
                    for row in rows
                ]
        return found

    async def erase(self, member_id: int) -> tuple[abc.Mapping[str, int], abc.Mapping[str, int]]:
        """Remove every row about a member, and their name from rows about others.

        Rows that are under way stay: without them, a purchase could be made twice. Cards that show
        the member's reports are queued again. Returns how many rows of each table were removed,
        with the column if they only lost the name, and how many stay.
        """
        removed: dict[str, int] = {}
        left: dict[str, int] = {}
        async with self._database.transaction() as transaction:
            await take_lost(transaction, self._outbox, member_id)
            reported = await find_reported(transaction, member_id)
            for kept in retention.RETENTION:
                if kept.member:
                    erase = retention.query("erase", kept, column=kept.member, rows=kept.under_way)
                    removed[kept.table] = await transaction.execute(erase, member_id=member_id)
                    theirs = retention.query("of_member", kept, rows=f"{kept.member} = :member_id")
                    left[kept.table] = len(await transaction.fetch(theirs, member_id=member_id))
                for column in kept.acting:
                    forget = retention.query("forget_name", kept, column=column)
                    name = f"{kept.table}.{column}"
                    removed[name] = await transaction.execute(forget, member_id=member_id)
            for case_id in reported:
                await self._cases.owe(transaction, case_id)
        return (
            {table: count for table, count in removed.items() if count},
            {table: count for table, count in left.items() if count},
        )


def _shown(name: str, value: object) -> object:
    if value is None:
        return None
    if name.startswith("is_"):
        return bool(value)
    if name.endswith(("_at", "until")) and isinstance(value, int):
        return from_micros(value).isoformat()
    is_large = isinstance(value, int) and value > _MAX_EXACT
    return str(value) if is_large or name == "id" or name.endswith("_id") else value
