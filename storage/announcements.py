"""Which event was owed to which subscription, and what became of it: the ledger behind `why`."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.domain.announcing import Announcement, Event, SeenItem, Subscription
from bot.domain.names import name_key
from bot.domain.outbox import EntryState
from storage.database import Database, Transaction, queries_beside
from storage.rows import read

QUERIES = queries_beside(__file__)


class Announcements:
    """The ledger of all servers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, transaction: Transaction, owed: Iterable[tuple[int, Sequence[Event], str]]
    ) -> None:
        """Note what is owed: to a subscription, by its id, these events, under a delivery's key."""
        rows = [
            {"subscription_id": subscription_id, "event_id": event.id, "delivery": delivery}
            for subscription_id, events, delivery in owed
            for event in events
        ]
        await transaction.execute_many(QUERIES["add"], rows)

    async def settle(
        self,
        transaction: Transaction,
        delivery: str,
        state: EntryState,
        *,
        now: datetime,
        message_id: int | None = None,
    ) -> None:
        """Note what became of a delivery."""
        await transaction.execute(
            QUERIES["settle"],
            delivery=delivery,
            state=state,
            settled_at=now,
            message_id=message_id,
        )

    async def gather(self, subscription_id: int, delivery: str) -> None:
        """Let one delivery tell all that waits for a subscription and was not tried yet."""
        await self._database.execute(
            QUERIES["gather"], subscription_id=subscription_id, delivery=delivery
        )

    async def events_of(
        self, delivery: str, transaction: Transaction | None = None
    ) -> Sequence[Event]:
        """Return what a delivery tells, in order."""
        return await (transaction or self._database).read(
            Event, QUERIES["events_of"], delivery=delivery
        )

    async def not_told(self, subscription: Subscription, after: int) -> Sequence[Event]:
        """Return what happened in a subscription's catalog after an event and was not told there.

        Its filters are for the caller to judge.
        """
        return await self._database.read(
            Event,
            QUERIES["not_told"],
            subscription_id=subscription.id,
            catalog_id=subscription.catalog_id,
            after=after,
        )

    async def of_item(self, guild_id: int, item_id: int, most: int) -> Sequence[Event]:
        """Return the last events of an item in the catalogs of a server, the newest first."""
        return await self._database.read(
            Event, QUERIES["of_item"], guild_id=guild_id, item_id=item_id, most=most
        )

    async def of_events(self, guild_id: int, events: Sequence[Event]) -> Sequence[Announcement]:
        """Return what became of these events in a server."""
        if not events:
            return []
        ids = {event.id for event in events}
        rows = await self._database.fetch(
            QUERIES["of_events"], guild_id=guild_id, first=min(ids), last=max(ids)
        )
        return [
            read(Announcement, row, waits_for=row["reason"])
            for row in rows
            if row["event_id"] in ids
        ]

    async def find_seen(
        self, guild_id: int, text: str, item_id: int | None, most: int
    ) -> Sequence[tuple[int, SeenItem]]:
        """Return items by a part of a name or by number, each with its catalog's id."""
        # What stands for anything there stands for nothing here.
        pattern = "%" + name_key(text).replace("%", "").replace("_", "") + "%"
        rows = await self._database.fetch(
            QUERIES["seen_named"],
            guild_id=guild_id,
            pattern=pattern,
            item_id=item_id,
            most=most,
        )
        return [(row["catalog_id"], read(SeenItem, row)) for row in rows]
