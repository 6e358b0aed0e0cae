"""What was new in followed catalogs, and what became of it: the ledger behind `why`."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from bot.domain.announcing import (
    Announcement,
    Event,
    FollowedCatalog,
    NewEvent,
    SeenItem,
    Subscription,
)
from storage.database import Database, Row, Transaction, queries_beside
from storage.messages import MessageState
from storage.names import name_key
from storage.rows import read, read_all, to_row

_SNAPSHOTS = queries_beside(__file__, "catalog_snapshots")
_LEDGER = queries_beside(__file__, "announcements")

# Writes what is owed for events, in the transaction they are written in.
Owe = Callable[[Transaction, Sequence[Event]], Awaitable[None]]


class CatalogSnapshots(Struct, frozen=True):
    """All followed catalogs."""

    database: Database

    async def followed(self) -> Sequence[FollowedCatalog]:
        """Return every catalog that is polled."""
        return await self.database.read(FollowedCatalog, _SNAPSHOTS["followed"])

    async def find(self, catalog_id: int) -> FollowedCatalog | None:
        """Return a catalog, None where nobody follows it any more."""
        return await self.database.read_one(
            FollowedCatalog, _SNAPSHOTS["find"], catalog_id=catalog_id
        )

    async def seen(self, catalog_id: int) -> Mapping[int, SeenItem]:
        """Return the items that were ever seen, by their ids."""
        rows = await self.database.fetch(_SNAPSHOTS["seen"], catalog_id=catalog_id)
        return {item.item_id: item for item in read_all(SeenItem, rows)}

    async def record(
        self,
        catalog: FollowedCatalog,
        changed: Sequence[SeenItem],
        events: Sequence[NewEvent],
        *,
        now: datetime,
        is_late: bool,
        owe: Owe,
    ) -> bool:
        """Write what a poll has found and what is owed for it, all or nothing.

        Returns False, and writes nothing, where another has written since `catalog` was read.
        """
        rows = [
            {**to_row(item), "catalog_id": catalog.catalog_id, "name_key": name_key(item.name)}
            for item in changed
        ]
        async with self.database.transaction() as transaction:
            begun = await transaction.execute(
                _SNAPSHOTS["begin"],
                catalog_id=catalog.catalog_id,
                followed_at=catalog.followed_at,
                version=catalog.version,
                read_at=now,
            )
            if not begun:
                return False
            await transaction.execute_many(_SNAPSHOTS["keep_item"], rows)
            written: list[Event] = []
            for event in events:
                (row,) = await transaction.fetch(
                    _SNAPSHOTS["add_event"],
                    catalog_id=catalog.catalog_id,
                    **to_row(event),
                    happened_at=now,
                    is_late=int(is_late),
                )
                written.append(read(Event, row))
            await owe(transaction, written)
        return True

    async def note_read(self, catalog_id: int, now: datetime) -> None:
        """Note that a catalog could be read."""
        await self.database.execute(_SNAPSHOTS["note_read"], catalog_id=catalog_id, read_at=now)

    async def note_failure(self, catalog_id: int, failure: str, now: datetime) -> None:
        """Note that a catalog could not be read, and the name of the error."""
        await self.database.execute(
            _SNAPSHOTS["note_failure"], catalog_id=catalog_id, failure=failure, failed_at=now
        )


class Announcements(Struct, frozen=True):
    """The ledger of all servers."""

    database: Database

    async def add(
        self, transaction: Transaction, owed: Iterable[tuple[int, Sequence[Event], str]]
    ) -> None:
        """Note what is owed: to a subscription, by its id, these events, under a delivery's key."""
        rows = [
            {"subscription_id": subscription_id, "event_id": event.id, "delivery": delivery}
            for subscription_id, events, delivery in owed
            for event in events
        ]
        await transaction.execute_many(_LEDGER["add"], rows)

    async def settle(
        self, transaction: Transaction, delivery: str, state: MessageState, *, now: datetime
    ) -> None:
        """Note what became of a delivery."""
        await transaction.execute(_LEDGER["settle"], delivery=delivery, state=state, settled_at=now)

    async def gather(self, subscription_id: int, delivery: str) -> None:
        """Let one delivery tell all that waits for a subscription and was not tried yet."""
        await self.database.execute(
            _LEDGER["gather"], subscription_id=subscription_id, delivery=delivery
        )

    async def events_of(
        self, delivery: str, transaction: Transaction | None = None
    ) -> Sequence[Event]:
        """Return what a delivery tells, in order."""
        return await (transaction or self.database).read(
            Event, _LEDGER["events_of"], delivery=delivery
        )

    async def not_told(self, subscription: Subscription, after: int) -> Sequence[Event]:
        """Return what happened in a subscription's catalog after an event and was not told there.

        Its filters are for the caller to judge.
        """
        return await self.database.read(
            Event,
            _LEDGER["not_told"],
            subscription_id=subscription.id,
            catalog_id=subscription.catalog_id,
            after=after,
        )

    async def of_item(self, guild_id: int, item_id: int, most: int) -> Sequence[Event]:
        """Return the last events of an item in the catalogs of a server, the newest first."""
        return await self.database.read(
            Event, _LEDGER["of_item"], guild_id=guild_id, item_id=item_id, most=most
        )

    async def of_events(self, guild_id: int, events: Sequence[Event]) -> Sequence[Announcement]:
        """Return what became of these events in a server."""
        if not events:
            return []
        ids = {event.id for event in events}
        rows = await self.database.fetch(
            _LEDGER["of_events"], guild_id=guild_id, first=min(ids), last=max(ids)
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
        found: list[Row] = []
        # Asked for those of all at once, PostgreSQL reads the items of every catalog there is.
        for row in await self.database.fetch(_LEDGER["catalogs"], guild_id=guild_id):
            found += await self.database.fetch(
                _LEDGER["seen_named"],
                catalog_id=row["catalog_id"],
                pattern=pattern,
                item_id=item_id,
                most=most,
            )
        found.sort(key=lambda row: (row["name"], row["catalog_id"]))
        return [(row["catalog_id"], read(SeenItem, row)) for row in found[:most]]
