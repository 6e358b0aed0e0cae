"""Records of the installation itself: facts, and what is under way."""

import datetime as dt
from collections.abc import Mapping

from msgspec import Struct

from storage.database import Database, queries_beside
from storage.rows import read

QUERIES = queries_beside(__file__)
_DAY = dt.timedelta(days=1)


class Backlog(Struct, frozen=True):
    """How many wait, and since when the oldest waits."""

    count: int
    oldest: dt.datetime | None


class PendingCounts(Struct, frozen=True):
    """Counts of what is under way. `orders` are open or of the last day, by state."""

    orders: Mapping[str, int]
    open_orders: Backlog
    texts: Backlog
    outbox: Backlog


class Installation(Struct, frozen=True):
    database: Database

    async def find_fact(self, name: str) -> str | None:
        row = await self.database.fetch_one(QUERIES["find_fact"], name=name)
        return None if row is None else str(row["value"])

    async def save_fact(self, name: str, value: str) -> None:
        await self.database.execute(QUERIES["save_fact"], name=name, value=value)

    async def count(self, now: dt.datetime) -> PendingCounts:
        orders = await self.database.fetch(QUERIES["orders"], since=now - _DAY)
        waiting = await self.database.fetch(QUERIES["waiting"])
        return PendingCounts(
            orders={row["state"]: row["count"] for row in orders},
            **{row["name"]: read(Backlog, row) for row in waiting},
        )
