"""Throw out what is older than it is kept for, and what is of servers that are left."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from storage.changes import note_change
from storage.database import Database, Value
from storage.keeping import KEPT, SERVER_DAYS
from storage.kept import Kept
from storage.kept_queries import query
from storage.servers import GoneServers
from storage.subscriptions import QUERIES as SUBSCRIPTIONS

# Rows that one transaction removes, so that nobody waits long for it.
AT_ONCE = 500
# Of a server's: with some of them go many more.
SERVER_ROWS_AT_ONCE = 50


class Purge:
    """Throws out by the table in storage/keeping.py."""

    def __init__(self, database: Database, kept: Sequence[Kept] = KEPT) -> None:
        self._database = database
        self._kept = kept

    async def purge(self, now: datetime) -> int:
        """Throw out all that is too old by now; return how many rows that were."""
        removed = 0
        for kept in self._kept:
            if kept.days is not None:
                oldest = now - timedelta(days=kept.days)
                sql = query("purge", kept, rows=kept.may_go)
                removed += await self._in_batches(kept, sql, AT_ONCE, oldest=oldest)
        return removed

    async def forget_servers(self, now: datetime) -> int:
        """Forget the servers that are gone for too long by now; return how many rows that were."""
        removed = 0
        async for guild_id, since in GoneServers(self._database).marks():
            if now - since >= timedelta(days=SERVER_DAYS):
                # Their marks come last, so that a crash leaves none without its mark.
                for kept in self._kept:
                    if kept.server:
                        sql = query("forget_server", kept)
                        removed += await self._in_batches(
                            kept, sql, SERVER_ROWS_AT_ONCE, guild_id=guild_id
                        )
        if removed:
            removed += await self._unfollow()
        return removed

    async def _unfollow(self) -> int:
        """Forget the catalogs that nobody wishes to hear of any more."""
        removed = 0
        async for row in self._database.walk(SUBSCRIPTIONS["catalogs"], by="catalog_id"):
            if not row["is_wished"]:
                catalog_id = row["catalog_id"]
                removed += await self._database.execute(
                    SUBSCRIPTIONS["unfollow"], catalog_id=catalog_id
                )
        return removed

    async def _in_batches(self, kept: Kept, sql: str, most: int, **parameters: Value) -> int:
        removed = 0
        while True:
            async with self._database.transaction() as transaction:
                batch = await transaction.execute(sql, most=most, **parameters)
                if batch and kept.topic:
                    await note_change(transaction, kept.topic)
            removed += batch
            if batch < most:
                return removed
            # Those who wait for the database come first.
            await asyncio.sleep(0)
