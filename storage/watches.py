"""What members watch, and what of it is still to be told."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.domain.announcing import Event, NewWatch, Notice, Watch
from bot.domain.names import name_key
from bot.domain.outbox import Owed, Priority
from storage.database import Database, Transaction, Value, queries_beside
from storage.outbox import Outbox
from storage.rows import read, read_all, to_row
from storage.subscriptions import QUERIES as SUBSCRIPTIONS
from storage.times import moment

QUERIES = queries_beside(__file__)
# The kind of the entries by which members are told.
WATCH_KIND = "watch"


class Watches:
    """The watches of all members."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def add(self, new: NewWatch, *, now: datetime, most: int) -> Watch | None:
        """Keep a watch, and follow its catalog; None where the member has `most` others.

        What is watched already stays one watch.
        """
        values = {**to_row(new), "key": _key(new), "created_at": now}
        async with self._database.transaction() as transaction:
            await transaction.execute(
                SUBSCRIPTIONS["follow"], catalog_id=new.catalog_id, followed_at=now
            )
            row = await transaction.fetch_one(QUERIES["add"], **values)
            count = await transaction.fetch_one(QUERIES["count"], member_id=new.member_id)
            if row is None or count is None or count["count"] <= most:
                return read(Watch, row)
            await self._remove(transaction, row["id"], new.member_id)
        return None

    async def of_member(self, member_id: int) -> Sequence[Watch]:
        """Return a member's watches, the oldest first."""
        return await self._database.read(Watch, QUERIES["of_member"], member_id=member_id)

    async def of_catalog(self, transaction: Transaction, catalog_id: int) -> Sequence[Watch]:
        """Return who watches what in a catalog."""
        rows = await transaction.fetch(QUERIES["of_catalog"], catalog_id=catalog_id)
        # Nobody's answer waits while thousands are read.
        return await asyncio.to_thread(read_all, Watch, rows)

    async def watchers(self, catalog_id: int, most: int) -> Sequence[int]:
        """Return the members who began last to watch something in a catalog."""
        rows = await self._database.fetch(QUERIES["watchers"], catalog_id=catalog_id, most=most)
        return [row["member_id"] for row in rows]

    async def remove(self, watch_id: int, member_id: int) -> Watch | None:
        """End a member's watch and return it, None where there is none."""
        async with self._database.transaction() as transaction:
            return await self._remove(transaction, watch_id, member_id)

    async def owe(self, transaction: Transaction, notices: Iterable[Notice], now: datetime) -> None:
        """Owe each member one message for all that is new to them."""
        first: dict[int, int] = {}
        rows: list[dict[str, Value]] = []
        for watch, event in notices:
            first.setdefault(watch.member_id, event.id)
            rows.append(
                {
                    "watch_id": watch.id,
                    "event_id": event.id,
                    "member_id": watch.member_id,
                    "created_at": now,
                }
            )
        if not rows:
            return
        await transaction.execute_many(QUERIES["note"], rows)
        owed = [
            Owed(WATCH_KIND, f"watch:{member}:{event}", Priority.WATCH, member_id=member)
            for member, event in first.items()
        ]
        await self._outbox.owe(transaction, *owed)

    async def gather(self, delivery: str, member_id: int, last: datetime) -> datetime | None:
        """Put all that a member is to be told into one message, unless one went after `last`.

        Returns when that one went. What is in the message already stays as it is.
        """
        async with self._database.transaction() as transaction:
            place = {"member_id": member_id, "delivery": delivery}
            if await transaction.fetch_one(QUERIES["to_assign"], **place) is None:
                return None
            row = await transaction.fetch_one(
                QUERIES["last_told"], member_id=member_id, kind=WATCH_KIND
            )
            told_at = None if row is None else moment(row["told_at"])
            if told_at is not None and told_at > last:
                return told_at
            await transaction.execute(QUERIES["assign"], **place)
        return None

    async def told_in(
        self, delivery: str, transaction: Transaction | None = None
    ) -> Sequence[Notice]:
        """Return what a message tells, in order; what is watched no more is not in it."""
        source = transaction or self._database
        watched = await source.read(Watch, QUERIES["watches_in"], delivery=delivery)
        watches = {each.id: each for each in watched}
        rows = await source.fetch(QUERIES["told_in"], delivery=delivery)
        return [
            (watches[row["watch_id"]], read(Event, row))
            for row in rows
            if row["watch_id"] in watches
        ]

    async def _remove(
        self, transaction: Transaction, watch_id: int, member_id: int
    ) -> Watch | None:
        query, ids = QUERIES["remove"], {"watch_id": watch_id, "member_id": member_id}
        watch = await transaction.read_one(Watch, query, **ids)
        if watch is not None:
            await transaction.execute(SUBSCRIPTIONS["unfollow"], catalog_id=watch.catalog_id)
        return watch


def _key(new: NewWatch) -> str:
    if new.item_id is not None:
        return f"item {new.item_id}"
    parts = (new.type_id, new.max_cost, int(new.is_clearance), name_key(new.name))
    return "search " + " ".join("-" if part is None else str(part) for part in parts)
