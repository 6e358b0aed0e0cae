"""Followed catalogs and threads, their subscriptions, and the events owed to them."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct, json

from storage.database import Database, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.names import PlaceKind
from storage.rows import moment, read, to_row
from storage.subscriptions import (
    Delivery,
    Event,
    Followed,
    NewEvent,
    NewSubscription,
    Notice,
    SeenComment,
    SeenItem,
    Subscription,
)

QUERIES = queries_beside(__file__)

# Writes what is owed for events, in the transaction they are written in.
Owe = Callable[[Transaction, Sequence[Event]], Awaitable[None]]


class Following(Struct, frozen=True):
    """All that is followed, what was seen there, who subscribed to it, and what they were told."""

    database: Database

    async def all(self) -> Sequence[Followed]:
        return await self.database.read(Followed, QUERIES["all"])

    async def place(self, kind: PlaceKind, game_id: int) -> Followed | None:
        sql = QUERIES["place"]
        return await self.database.read_one(Followed, sql, kind=kind, game_id=game_id)

    async def items(self, catalog_id: int) -> Mapping[int, SeenItem]:
        """Return the items of a catalog that were ever seen, by their ids."""
        sql = QUERIES["seen"]
        rows = await self.database.fetch(sql, kind=PlaceKind.CATALOG, game_id=catalog_id)
        return {row["id"]: json.decode(row["state"], type=SeenItem) for row in rows}

    async def comments(self, thread_id: int) -> Mapping[int, SeenComment]:
        """Return the comments of a thread that were seen since it is followed, by their ids."""
        rows = await self.database.fetch(QUERIES["seen"], kind=PlaceKind.THREAD, game_id=thread_id)
        return {row["id"]: json.decode(row["state"], type=SeenComment) for row in rows}

    async def comment(self, thread_id: int, comment_id: int) -> SeenComment | None:
        sql = QUERIES["seen_comment"]
        row = await self.database.fetch_one(sql, thread_id=thread_id, id=comment_id)
        return None if row is None else json.decode(row["state"], type=SeenComment)

    async def items_named(
        self, guild_id: int, name_key: str, item_id: int | None, most: int
    ) -> Sequence[tuple[int, SeenItem]]:
        """Return items of a server's catalogs, each with its catalog, by name or by number."""
        # What stands for anything there stands for nothing here.
        pattern = "%" + name_key.replace("%", "").replace("_", "") + "%"
        rows = await self.database.fetch(
            QUERIES["items_named"], guild_id=guild_id, pattern=pattern, item_id=item_id, most=most
        )
        return [(row["game_id"], json.decode(row["state"], type=SeenItem)) for row in rows]

    async def record(
        self,
        followed: Followed,
        changed: Sequence[SeenItem | SeenComment],
        events: Sequence[NewEvent] = (),
        *,
        now: datetime,
        name_keys: Mapping[int, str] = MappingProxyType({}),
        owe: Owe | None = None,
        is_late: bool = False,
        since: datetime | None = None,
    ) -> bool:
        """Write what a look has found and what is owed for it, all or nothing.

        `name_keys` are those of items' names, by the items' ids.
        Returns False, and writes nothing, where another has written since `followed` was read.
        """
        place: dict[str, Value] = {"kind": followed.kind, "game_id": followed.game_id}
        rows = [
            {
                **place,
                "id": each.id,
                "name_key": name_keys.get(each.id, ""),
                "state": json.encode(each).decode(),
            }
            for each in changed
        ]
        async with self.database.transaction() as transaction:
            begun = await transaction.execute(
                QUERIES["begin"],
                **place,
                followed_at=followed.followed_at,
                version=followed.version,
                since=since,
                now=now,
            )
            if not begun:
                return False
            await transaction.execute_many(QUERIES["save_seen"], rows)
            written: list[Event] = []
            for event in events:
                (row,) = await transaction.fetch(
                    QUERIES["add_event"],
                    **to_row(event),
                    catalog_id=followed.game_id,
                    happened_at=now,
                    is_late=int(is_late),
                )
                written.append(read(Event, row))
            if owe is not None:
                await owe(transaction, written)
        return True

    async def save_look(
        self, followed: Followed, failure: str | None, reader_id: int | None, now: datetime
    ) -> None:
        """Note whether it could be read, or the code of the error, and with whose token it was."""
        place = {"kind": followed.kind, "game_id": followed.game_id}
        sql = QUERIES["save_look"]
        await self.database.execute(sql, **place, failure=failure, reader_id=reader_id, now=now)

    async def add(
        self, new: NewSubscription, key: str, *, now: datetime, most: int | None = None
    ) -> Subscription | None:
        """Keep a subscription, and follow its place.

        None where the channel has one to the catalog, and where a member has `most` others.
        """
        async with self.database.transaction() as transaction:
            await transaction.execute(
                QUERIES["follow"], kind=new.kind, game_id=new.game_id, now=now
            )
            row = await transaction.fetch_one(
                QUERIES["add"], **to_row(new), key=key, created_at=now
            )
            if row is not None and most is not None:
                theirs = await transaction.fetch(QUERIES["of_member"], member_id=new.member_id)
                if len(theirs) > most:
                    await _remove(transaction, row["id"])
                    return None
        return read(Subscription, row)

    async def find(self, number: int, source: Source | None = None) -> Subscription | None:
        """Return a channel's subscription, unless it is gone."""
        return await (source or self.database).read_one(Subscription, QUERIES["find"], id=number)

    async def of_guild(
        self, guild_id: int | None, kind: PlaceKind | None = None, source: Source | None = None
    ) -> Sequence[Subscription]:
        """Return what a server subscribed to, catalogs first."""
        sql, of = QUERIES["of_guild"], {"guild_id": guild_id, "kind": kind}
        return await (source or self.database).read(Subscription, sql, **of)

    async def of_place(self, kind: PlaceKind, game_id: int) -> Sequence[Subscription]:
        sql = QUERIES["of_place"]
        return await self.database.read(Subscription, sql, kind=kind, game_id=game_id)

    async def of_member(self, member_id: int) -> Sequence[Subscription]:
        return await self.database.read(Subscription, QUERIES["of_member"], member_id=member_id)

    async def readers(self, catalog_id: int, most: int) -> Sequence[int]:
        """Return linked members who subscribed to a catalog, the last reader first."""
        rows = await self.database.fetch(QUERIES["readers"], catalog_id=catalog_id, most=most)
        return [row["created_by"] for row in rows]

    async def read_as(self, member_id: int, *, by_operator: bool) -> Sequence[tuple[int, int]]:
        """Return the servers and catalogs whose announcements depend on a member's link alone."""
        of = {"member_id": member_id, "by_operator": int(by_operator)}
        rows = await self.database.fetch(QUERIES["read_as"], **of)
        return [(row["guild_id"], row["game_id"]) for row in rows]

    async def stop_unread(self, transaction: Transaction, now: datetime) -> Sequence[Subscription]:
        """Stop the announcements whose creators have no valid link any more, and return them."""
        rows = await transaction.fetch(QUERIES["stop_unread"], stopped_at=now)
        return sorted((read(Subscription, row) for row in rows), key=lambda one: one.id)

    async def read_again(self, catalog_id: int, *, by_operator: bool) -> Sequence[Subscription]:
        """Return what has lost its reader, where that is linked again or not needed."""
        of = {"catalog_id": catalog_id, "by_operator": int(by_operator)}
        return await self.database.read(Subscription, QUERIES["read_again"], **of)

    async def change(self, changed: Subscription, key: str) -> Subscription | None:
        """Keep where and what a subscription is for from now on; None where it is gone.

        What a channel was shown of a thread stays there, if that moves. Raises NotUnique where the
        channel has the same one already.
        """
        async with self.database.transaction() as transaction:
            before = await self.find(changed.id, transaction)
            if before is not None and before.channel_id != changed.channel_id:
                await transaction.execute(QUERIES["leave_posts"], id=changed.id)
            row = await transaction.fetch_one(QUERIES["change"], **to_row(changed), key=key)
        return read(Subscription, row)

    async def stop(
        self, number: int, why: str, *, now: datetime, transaction: Transaction | None = None
    ) -> bool:
        """Send nothing there from now on; return whether that is new."""
        stopped = {"stopped_at": now, "stopped_for": why}
        source = transaction or self.database
        return await source.execute(QUERIES["stop"], id=number, **stopped) > 0

    async def save_missed(self, transaction: Transaction, number: int, first_id: int) -> None:
        """Note that an event or a comment from before a stop was not told, either."""
        await transaction.execute(QUERIES["save_missed"], id=number, first_id=first_id)

    async def stopped(
        self, transaction: Transaction, kind: PlaceKind, game_id: int
    ) -> Collection[int]:
        """Return the ids of what has stopped of a place by now."""
        rows = await transaction.fetch(QUERIES["stopped"], kind=kind, game_id=game_id)
        return {row["id"] for row in rows}

    async def go_on(
        self, transaction: Transaction, number: int, reader_id: int | None = None
    ) -> bool:
        """Let one be active, from now on read as `reader_id` if given; return whether it wasn't."""
        sql = QUERIES["go_on"]
        return await transaction.execute(sql, id=number, created_by=reader_id) > 0

    async def remove(self, one: Subscription) -> bool:
        """Forget one, and with a place's last one all seen there; return whether it was there."""
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["leave_posts"], id=one.id)
            return await _remove(transaction, one.id)

    async def tell(
        self, transaction: Transaction, told: Iterable[tuple[int, Sequence[Event], str]]
    ) -> None:
        """Note for a subscription's id which events a message tells, which is wanted already."""
        rows = [
            {"subscription_id": number, "event_id": event.id, "message_key": key}
            for number, events, key in told
            for event in events
        ]
        await transaction.execute_many(QUERIES["tell"], rows)

    async def gather(
        self, key: str, *, subscription_id: int | None = None, member_id: int | None = None
    ) -> None:
        """Let one message tell all that waits for the same and was not tried yet."""
        whose = {"subscription_id": subscription_id, "member_id": member_id}
        await self.database.execute(QUERIES["gather"], message_key=key, **whose)

    async def events_of(self, key: str, source: Source | None = None) -> Sequence[Event]:
        return await (source or self.database).read(Event, QUERIES["events_of"], message_key=key)

    async def notices_of(self, key: str, member_id: int) -> Sequence[Notice]:
        """Return what a message tells a member, in order; what is watched no more is not in it."""
        watches = {each.id: each for each in await self.of_member(member_id)}
        rows = await self.database.fetch(QUERIES["events_of"], message_key=key)
        return [(watches[row["subscription_id"]], read(Event, row)) for row in rows]

    async def missed_events(
        self, one: Subscription, source: Source | None = None
    ) -> Sequence[Event]:
        """Return what it was not told since it has stopped; it may filter some of that."""
        of = {"subscription_id": one.id, "catalog_id": one.game_id, "after": one.missed_after}
        return await (source or self.database).read(Event, QUERIES["missed_events"], **of)

    async def missed_comments(
        self, one: Subscription, source: Source | None = None
    ) -> Sequence[SeenComment]:
        """Return the comments it was not shown since it has stopped, and those that are gone."""
        of = {"subscription_id": one.id, "thread_id": one.game_id, "after": one.missed_after}
        rows = await (source or self.database).fetch(QUERIES["missed_comments"], **of)
        return [json.decode(row["state"], type=SeenComment) for row in rows]

    async def history(
        self, guild_id: int, most: int, *, number: int | None = None, item_id: int | None = None
    ) -> Sequence[Event]:
        """Return the last events in what a server announces, or one of its subscriptions does."""
        of = {"guild_id": guild_id, "subscription_id": number, "item_id": item_id}
        return await self.database.read(Event, QUERIES["history"], **of, most=most)

    async def last_comments(
        self, one: Subscription, most: int
    ) -> Sequence[tuple[SeenComment, Delivery | None]]:
        """Return the newest comments of a thread, and what became of each in its channel."""
        of = {"subscription_id": one.id, "thread_id": one.game_id}
        rows = await self.database.fetch(QUERIES["last_comments"], **of, most=most)
        return [
            (
                json.decode(row["seen"], type=SeenComment),
                read(Delivery, row, subscription_id=one.id) if row["state"] else None,
            )
            for row in rows
        ]

    async def told_in(self, message_id: int, catalog_id: int, item_id: int) -> Event | None:
        whose = {"message_id": message_id, "catalog_id": catalog_id, "item_id": item_id}
        return await self.database.read_one(Event, QUERIES["told_in"], **whose)

    async def deliveries(self, event: Event) -> Mapping[int, Delivery]:
        """Return what became of an event, by the ids of subscriptions."""
        found = await self.database.read(Delivery, QUERIES["deliveries"], event_id=event.id)
        return {each.subscription_id: each for each in found}

    async def last_told(self, member_id: int, kind: str) -> datetime | None:
        row = await self.database.fetch_one(QUERIES["last_told"], member_id=member_id, kind=kind)
        return None if row is None else moment(row["told_at"])

    async def showing(self, thread_id: int, comment_id: int) -> Sequence[int]:
        """Return the subscriptions in whose channels a comment is posted, or about to be."""
        sql = QUERIES["showing"]
        rows = await self.database.fetch(sql, thread_id=thread_id, comment_id=comment_id)
        return [row["subscription_id"] for row in rows]


async def _remove(transaction: Transaction, number: int) -> bool:
    removed = await transaction.execute(QUERIES["remove"], id=number)
    await transaction.execute(QUERIES["unfollow_unwished"])
    return removed > 0
