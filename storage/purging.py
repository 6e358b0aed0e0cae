"""Throw out what is kept for too long, and give out or remove what is kept of one member."""

import asyncio
import datetime as dt
from collections import abc
from typing import Any

from msgspec import Struct

from storage import keeping
from storage.database import Database, Value
from storage.following import QUERIES as FOLLOWING
from storage.messages import Messages
from storage.moderation import Moderation
from storage.removals import QUERIES as REMOVALS
from storage.roles import take_lost
from storage.rows import from_micros
from storage.storage_errors import DatabaseError, StatementFailed
from storage.vault import Vault

# JSON's readers may round what is larger.
_LARGEST_EXACT = 2**53 - 1


class Purge(Struct, frozen=True):
    database: Database

    async def purge(self, now: dt.datetime) -> int:
        """Delete what is too old; a table that fails doesn't hold up the others.

        Returns how many rows that were. Raises DatabaseError, which names the tables that failed.
        """
        removed = 0
        failed: dict[str, DatabaseError] = {}
        for retention in keeping.RETENTION:
            if retention.days is not None:
                oldest = now - dt.timedelta(days=retention.days)
                rows = f"{retention.age} < :oldest AND ({retention.may_go})"
                try:
                    removed += await self._throw_out(retention, rows, oldest=oldest)
                except DatabaseError as error:
                    failed[retention.table] = error
        if removed:
            removed += await self.database.execute(FOLLOWING["unfollow_unwished"])
        if failed:
            tables = ", ".join(f"{table} ({error})" for table, error in failed.items())
            raise StatementFailed(f"what is too old stays in {tables}")
        return removed

    async def save_servers(self, present: abc.Set[int], now: dt.datetime) -> None:
        """Mark the servers that are not among these as gone, and forget the marks of those back.

        A mark keeps its first moment. It is forgotten, too, where nothing is kept any more.
        """
        known: set[int] = set()
        for retention in keeping.RETENTION:
            if retention.server and retention.table != "gone_servers":
                sql = keeping.query("servers", retention, column=retention.server)
                known.update(row["guild_id"] for row in await self.database.fetch(sql))
        gone = known - present
        new = [{"guild_id": guild_id, "gone_since": now} for guild_id in gone]
        old = [{"guild_id": guild_id} for guild_id in (await self.gone_servers()).keys() - gone]
        async with self.database.transaction() as transaction:
            await transaction.execute_many(keeping.QUERIES["mark_gone"], new)
            await transaction.execute_many(keeping.QUERIES["unmark"], old)

    async def gone_servers(self) -> abc.Mapping[int, dt.datetime]:
        """Return the servers that Kiosk is in no more, and since when, as far as was seen."""
        rows = await self.database.fetch(keeping.QUERIES["gone_servers"])
        return {row["guild_id"]: from_micros(row["gone_since"]) for row in rows}

    async def forget_servers(self, now: dt.datetime) -> int:
        """Forget the servers that are gone for too long by now; return how many rows that were."""
        removed = 0
        for guild_id, since in (await self.gone_servers()).items():
            if now - since >= dt.timedelta(days=keeping.SERVER_DAYS):
                # Their marks come last, so that a crash leaves none without its mark.
                for retention in keeping.RETENTION:
                    if retention.server:
                        rows = f"{retention.server} = :guild_id"
                        removed += await self._throw_out(retention, rows, guild_id=guild_id)
        if removed:
            removed += await self.database.execute(FOLLOWING["unfollow_unwished"])
        return removed

    async def _throw_out(
        self, retention: keeping.TableRetention, rows: str, **parameters: Value
    ) -> int:
        sql = keeping.query("throw_out", retention, rows=rows)
        removed = 0
        while True:
            async with self.database.transaction() as transaction:
                batch = await transaction.execute(sql, most=keeping.AT_ONCE, **parameters)
            removed += batch
            if batch < keeping.AT_ONCE:
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
        self._cards = Moderation(database, self._outbox, now)

    async def export(self, member_id: int) -> dict[str, Any]:
        """Return every row about a member by its table, ready for JSON.

        Texts are opened; what one can't be is None. Times are in ISO 8601, ids and what else is as
        large are texts. No secret is among it.
        """
        found: dict[str, Any] = {}
        for retention in keeping.RETENTION:
            columns = [column for column in (retention.member, *retention.acting) if column]
            if not columns:
                continue
            theirs = " OR ".join(f"{column} = :member_id" for column in columns)
            sql = keeping.query("of_member", retention, rows=theirs)
            if rows := await self._database.fetch(sql, member_id=member_id):
                found[retention.table] = [
                    {
                        name.removeprefix("sealed_"): retention.sealed.open(self._vault, row)
                        if retention.sealed and name == retention.sealed.column
                        else _shown(name, value)
                        for name, value in dict(row).items()
                        if name not in (*retention.secret, "sealed_for")
                    }
                    for row in rows
                ]
        return found

    async def erase(self, member_id: int) -> tuple[abc.Mapping[str, int], abc.Mapping[str, int]]:
        """Remove every row about a member, and their name from rows about others.

        What is under way stays: without it, a purchase could be made twice. Cards that tell what
        they reported are owed anew. Returns how many rows of each table were removed, with the
        column where they only lost the name, and how many stay.
        """
        removed: dict[str, int] = {}
        left: dict[str, int] = {}
        async with self._database.transaction() as transaction:
            await take_lost(transaction, self._outbox, member_id)
            reported = await transaction.fetch(REMOVALS["reports_of_member"], member_id=member_id)
            for retention in keeping.RETENTION:
                if retention.member:
                    erase = keeping.query(
                        "erase", retention, column=retention.member, rows=retention.under_way
                    )
                    removed[retention.table] = await transaction.execute(erase, member_id=member_id)
                    theirs = keeping.query(
                        "of_member", retention, rows=f"{retention.member} = :member_id"
                    )
                    left[retention.table] = len(
                        await transaction.fetch(theirs, member_id=member_id)
                    )
                for column in retention.acting:
                    forget = keeping.query("forget_name", retention, column=column)
                    name = f"{retention.table}.{column}"
                    removed[name] = await transaction.execute(forget, member_id=member_id)
            for row in reported:
                await self._cards.owe(transaction, row["case_id"])
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
    is_large = isinstance(value, int) and value > _LARGEST_EXACT
    return str(value) if is_large or name == "id" or name.endswith("_id") else value
