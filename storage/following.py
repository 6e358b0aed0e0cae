"""Followed catalogs and threads, their subscriptions, and the events owed to them."""

import asyncio
from collections import abc, defaultdict
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from storage import messages, moderation, subscriptions
from storage import rows as storage_rows
from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.names import PlaceKind

QUERIES = queries_beside(__file__)

S = TypeVar("S", subscriptions.SeenItem, subscriptions.SeenComment)

# Writes what is owed for events, in the transaction they are written in.
Owe = abc.Callable[[Transaction, abc.Sequence[subscriptions.Event]], abc.Awaitable[None]]


class Following(msgspec.Struct, frozen=True):
    """Keeps the places that are followed, what was seen there, and who was told of it."""

    database: Database

    async def all(self) -> abc.Sequence[subscriptions.Followed]:
        return await self.database.read(subscriptions.Followed, QUERIES["all"])

    async def place(
        self, kind: PlaceKind, place_id: int, source: Source | None = None
    ) -> subscriptions.Followed | None:
        sql = QUERIES["place"]
        return await (source or self.database).read_one(
            subscriptions.Followed, sql, kind=kind, place_id=place_id
        )

    async def unread(self, guild_id: int) -> abc.Mapping[int, str]:
        """Return the announced catalogs that couldn't be read, and the codes of the errors."""
        rows = await self.database.fetch(QUERIES["unread"], guild_id=guild_id)
        return {row["place_id"]: row["failure"] for row in rows}

    async def gone_of_member(self, member_id: int) -> abc.Set[tuple[str, int]]:
        """Return the places of a member's watches that the game no longer has."""
        rows = await self.database.fetch(QUERIES["gone_of_member"], member_id=member_id)
        return {(row["kind"], row["place_id"]) for row in rows}

    async def items(self, catalog_id: int) -> abc.Mapping[int, subscriptions.SeenItem]:
        """Return the items of a catalog that were ever seen, by their ids."""
        return await self._seen(PlaceKind.CATALOG, catalog_id, subscriptions.SeenItem)

    async def comments(self, thread_id: int) -> abc.Mapping[int, subscriptions.SeenComment]:
        """Return the comments of a thread that were seen since it is followed, by their ids."""
        return await self._seen(PlaceKind.THREAD, thread_id, subscriptions.SeenComment)

    async def _seen(self, kind: PlaceKind, place_id: int, seen: type[S]) -> abc.Mapping[int, S]:
        rows = await self.database.fetch(QUERIES["seen"], kind=kind, place_id=place_id)
        decoder = msgspec.json.Decoder(seen)
        return {row["subject_id"]: decoder.decode(row["state"]) for row in rows}

    async def comment(self, thread_id: int, comment_id: int) -> subscriptions.SeenComment | None:
        of = {"kind": PlaceKind.THREAD, "place_id": thread_id, "subject_id": comment_id}
        row = await self.database.fetch_one(QUERIES["seen_subject"], **of)
        return (
            None
            if row is None
            else msgspec.json.decode(row["state"], type=subscriptions.SeenComment)
        )

    async def comments_after(
        self, thread_id: int, comment_id: int
    ) -> abc.Sequence[subscriptions.SeenComment]:
        of = {"kind": PlaceKind.THREAD, "place_id": thread_id, "subject_id": comment_id}
        rows = await self.database.fetch(QUERIES["seen_after"], **of)
        return [msgspec.json.decode(row["state"], type=subscriptions.SeenComment) for row in rows]

    async def items_where(
        self, guild_id: int, is_meant: abc.Callable[[int, str], bool], most: int
    ) -> abc.Sequence[tuple[int, subscriptions.SeenItem]]:
        """Return items of a server's catalogs, each with its catalog, by number and stored key."""
        kind = PlaceKind.CATALOG
        rows = await self.database.fetch(QUERIES["named"], guild_id=guild_id, kind=kind)

        def meant() -> list[Row]:
            return [row for row in rows if is_meant(row["subject_id"], row["name_key"])][:most]

        found: list[tuple[int, subscriptions.SeenItem]] = []
        for row in await asyncio.to_thread(meant):
            of = {"kind": kind, "place_id": row["place_id"], "subject_id": row["subject_id"]}
            seen = await self.database.fetch_one(QUERIES["seen_subject"], **of)
            if seen is not None:
                item = msgspec.json.decode(seen["state"], type=subscriptions.SeenItem)
                found.append((row["place_id"], item))
        return found

    async def record(
        self,
        followed: subscriptions.Followed,
        changed: abc.Sequence[subscriptions.SeenItem | subscriptions.SeenComment],
        events: abc.Sequence[subscriptions.NewEvent] = (),
        *,
        now: datetime,
        name_keys: abc.Mapping[int, str] = MappingProxyType({}),
        owe: Owe | None = None,
        is_late: bool = False,
        since: datetime | None = None,
    ) -> bool:
        """Write what a look has found and what is owed for it, all or nothing.

        `name_keys` are those of items' names, by the items' ids.
        Returns False, and writes nothing, where another has written since `followed` was read.
        """
        place: dict[str, Value] = {"kind": followed.kind, "place_id": followed.place_id}
        rows = _seen_rows(place, changed, name_keys)
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
            written: list[subscriptions.Event] = []
            for event in events:
                (row,) = await transaction.fetch(
                    QUERIES["add_event"],
                    **storage_rows.to_row(event),
                    **place,
                    happened_at=now,
                    is_late=int(is_late),
                )
                written.append(storage_rows.read(subscriptions.Event, row))
            if owe is not None:
                await owe(transaction, written)
        return True

    async def save_look(
        self,
        followed: subscriptions.Followed,
        failure: str | None,
        now: datetime,
        owe_gone: abc.Callable[[Transaction], abc.Awaitable[None]] | None = None,
    ) -> None:
        """Note whether a place could be read, or the code of the error.

        If the game has lost the place, `owe_gone` tells servers.
        """
        place = {"kind": followed.kind, "place_id": followed.place_id}
        look = {**place, "failure": failure, "is_gone": int(owe_gone is not None), "now": now}
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["save_look"], **look)
            if owe_gone is not None:
                await owe_gone(transaction)

    async def logs_of(
        self, transaction: Transaction, followed: subscriptions.Followed
    ) -> abc.Mapping[int, int]:
        """Return the log channels of the servers that follow a place in a channel."""
        place = {"kind": followed.kind, "place_id": followed.place_id}
        rows = await transaction.fetch(QUERIES["logs_of_place"], **place)
        return {row["guild_id"]: row["log_channel_id"] for row in rows}

    async def add(
        self,
        new: subscriptions.NewSubscription,
        key: str,
        *,
        now: datetime,
        renews: bool = False,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> subscriptions.Subscription | None:
        """Keep a subscription, and follow its place.

        Where it is kept already, `renews` gives it, in the language of now; else that gives None.
        """
        async with self.database.transaction() as transaction:
            is_known = await transaction.fetch_one(QUERIES["known"], key=key)
            added = await self._add(transaction, new, key, now, renews=renews)
            if added is not None and not is_known:
                await moderation.note(transaction, line_of, None, added)
        return added

    async def _add(
        self,
        transaction: Transaction,
        new: subscriptions.NewSubscription,
        key: str,
        now: datetime,
        *,
        renews: bool,
    ) -> subscriptions.Subscription | None:
        place = {"kind": new.kind, "place_id": new.place_id}
        await transaction.execute(QUERIES["follow"], **place, now=now)
        row = {**storage_rows.to_row(new), "key": key, "created_at": now, "renews": int(renews)}
        return storage_rows.read(
            subscriptions.Subscription, await transaction.fetch_one(QUERIES["add"], **row)
        )

    async def watch(
        self,
        parts: abc.Mapping[str, subscriptions.NewSubscription],
        *,
        now: datetime,
        most: int,
        displaces: bool = False,
        branch: abc.Sequence[subscriptions.SeenComment] = (),
    ) -> tuple[subscriptions.Watch, bool] | None:
        """Keep a member's wish in each of its places, by keys; return it, and whether it is new.

        Where the member has `most` others of its sort, the oldest goes if it `displaces` that; else
        this is None. `branch` is where replies are waited for.
        """
        first = next(iter(parts.values()))
        member_id = first.member_id or 0
        kind = first.kind
        async with self.database.transaction() as transaction:
            before = await self.watches_of(member_id, kind, transaction)
            known = {part.id for watch in before for part in watch.parts}
            rows = [
                await self._add(transaction, part, key, now, renews=True)
                for key, part in parts.items()
            ]
            kept = {row.id for row in rows if row is not None}
            watches = await self.watches_of(member_id, kind, transaction)
            watch = next(watch for watch in watches if any(part.id in kept for part in watch.parts))
            new = kept - known
            rivals = [other for other in watches if other.sort == watch.sort]
            if new and len(rivals) > most:
                if not displaces:
                    await _remove(transaction, [*new])
                    return None
                await _remove(transaction, [part.id for part in rivals[0].parts])
            place: dict[str, Value] = {"kind": kind, "place_id": first.place_id}
            await transaction.execute_many(QUERIES["save_place"], _seen_rows(place, branch))
        return watch, bool(new)

    async def find(
        self, number: int, source: Source | None = None
    ) -> subscriptions.Subscription | None:
        """Return a channel's subscription, unless it is gone."""
        return await (source or self.database).read_one(
            subscriptions.Subscription, QUERIES["find"], id=number
        )

    async def of_guild(
        self, guild_id: int | None, kind: PlaceKind | None = None, source: Source | None = None
    ) -> abc.Sequence[subscriptions.Subscription]:
        """Return what a server subscribed to, catalogs first."""
        of = {"guild_id": guild_id, "kind": kind}
        return await (source or self.database).read(
            subscriptions.Subscription, QUERIES["of_guild"], **of
        )

    async def of_place(
        self, kind: PlaceKind, place_id: int
    ) -> abc.Sequence[subscriptions.Subscription]:
        sql = QUERIES["of_place"]
        return await self.database.read(
            subscriptions.Subscription, sql, kind=kind, place_id=place_id
        )

    async def watches_of(
        self, member_id: int, kind: PlaceKind, source: Source | None = None
    ) -> abc.Sequence[subscriptions.Watch]:
        """Return what a member watches in places of a kind, the oldest first."""
        of = {"member_id": member_id, "kind": kind}
        rows = await (source or self.database).fetch(QUERIES["of_member"], **of)
        watches: dict[str, list[subscriptions.Subscription]] = defaultdict(list)
        for row in rows:
            # A key says whose it is, of which kind, in which place, and then what is wished for.
            _, _, _, wish = row["key"].split(" ", 3)
            watches[wish].append(storage_rows.read(subscriptions.Subscription, row))
        return [subscriptions.Watch(tuple(parts)) for parts in watches.values()]

    async def change(
        self,
        number: int,
        key_of: abc.Callable[[subscriptions.Subscription], str],
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
        **fields: Any,
    ) -> subscriptions.Subscription | None:
        """Change fields of a channel's subscription, and nothing else; return None if it is gone.

        `key_of` returns the key of what it becomes. If it moves to another channel, its posts of a
        thread stay where they are. Raises NotUnique if the channel has the same one already.
        """
        async with self.database.transaction() as transaction:
            row = await transaction.fetch_one(QUERIES["lock"], id=number)
            if row is None:
                return None
            before = storage_rows.read(subscriptions.Subscription, row)
            changed = msgspec.structs.replace(before, **fields)
            if before.channel_id != changed.channel_id:
                await messages.leave_posts(transaction, number)
            row = storage_rows.to_row(changed)
            await transaction.execute(QUERIES["change"], **row, key=key_of(changed))
            await moderation.note(transaction, line_of, before, changed)
        return changed

    async def note_gone_roles(
        self, told: abc.Iterable[subscriptions.Subscription], gone: abc.Collection[int]
    ) -> None:
        """Stop pinging roles that were deleted."""
        for subscription in told:
            found = subscription.pinged.intersection(gone)
            if not found <= subscription.gone_role_ids:
                gone_ids = "\n".join(map(str, sorted(found)))
                await self.database.execute(
                    QUERIES["note_gone_roles"], id=subscription.id, gone_role_ids=gone_ids
                )

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
        self, transaction: Transaction, kind: PlaceKind, place_id: int
    ) -> abc.Collection[int]:
        """Return the ids of what has stopped of a place by now."""
        rows = await transaction.fetch(QUERIES["stopped"], kind=kind, place_id=place_id)
        return {row["id"] for row in rows}

    async def go_on(self, transaction: Transaction, number: int) -> bool:
        """Let one be active; return whether it wasn't."""
        return await transaction.execute(QUERIES["go_on"], id=number) > 0

    async def remove(
        self,
        *ended: subscriptions.Subscription,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> bool:
        """Forget some, and with a place's last one all seen there; return if any was there."""
        numbers = [subscription.id for subscription in ended]
        async with self.database.transaction() as transaction:
            await messages.leave_posts(transaction, *numbers)
            is_new = await _remove(transaction, numbers)
            if is_new:
                for subscription in ended:
                    await moderation.note(transaction, line_of, subscription, None)
        return is_new

    async def tell(
        self,
        transaction: Transaction,
        told: abc.Iterable[tuple[int, abc.Sequence[subscriptions.Event], str]],
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

    async def count_only(self, key: str, *, before: datetime) -> None:
        """Let a message not tell, but count, what happened before a moment."""
        await self.database.execute(QUERIES["count_only"], message_key=key, before=before)

    async def move(self, transaction: Transaction, key: str, into: str, kind: PlaceKind) -> None:
        """Let another message tell what one tells of places of a kind."""
        await transaction.execute(QUERIES["move"], message_key=key, into=into, kind=kind)

    async def note_looks(self, key: str, left_out: abc.Iterable[subscriptions.Notice]) -> None:
        """Note that all items of a message were looked at, and let it not tell these."""
        rows = [
            {"message_key": key, "subscription_id": part.id, "event_id": event.id}
            for watch, event in left_out
            for part in watch.parts
        ]
        async with self.database.transaction() as transaction:
            await transaction.execute_many(QUERIES["leave_out"], rows)
            await transaction.execute(QUERIES["note_looks"], message_key=key)

    async def telling(
        self, transaction: Transaction, kind: PlaceKind, place_id: int, subject_id: int
    ) -> abc.Sequence[str]:
        """Return the keys of the messages that tell of an item or a comment."""
        of = {"kind": kind, "place_id": place_id, "subject_id": subject_id}
        return [row["message_key"] for row in await transaction.fetch(QUERIES["telling"], **of)]

    async def events_of(
        self, key: str, source: Source | None = None
    ) -> abc.Sequence[subscriptions.Event]:
        return await (source or self.database).read(
            subscriptions.Event, QUERIES["events_of"], message_key=key
        )

    async def notices_of(
        self, key: str, member_id: int
    ) -> tuple[abc.Sequence[subscriptions.Notice], abc.Sequence[subscriptions.Notice]]:
        """Return what a message tells a member, in order, and what it only counts.

        What is watched no more is in neither.
        """
        rows = await self.database.fetch(QUERIES["events_of"], message_key=key)
        notices: dict[bool, list[subscriptions.Notice]] = {False: [], True: []}
        for row, notice in zip(rows, await self._notices(rows, member_id), strict=True):
            notices[bool(row["is_counted"])].append(notice)
        return notices[False], notices[True]

    async def unlooked(self, key: str, member_id: int) -> abc.Sequence[subscriptions.Notice]:
        """Return what a message tells of items that weren't looked at for it yet."""
        rows = await self.database.fetch(QUERIES["unlooked"], message_key=key)
        return await self._notices(rows, member_id)

    async def _notices(
        self, rows: abc.Sequence[Row], member_id: int
    ) -> abc.Sequence[subscriptions.Notice]:
        watches = {
            (kind, part.id): watch
            for kind in {row["kind"] for row in rows}
            for watch in await self.watches_of(member_id, kind)
            for part in watch.parts
        }
        return [
            (
                watches[row["kind"], row["subscription_id"]],
                storage_rows.read(subscriptions.Event, row),
            )
            for row in rows
        ]

    async def missed_events(
        self, subscription: subscriptions.Subscription, source: Source | None = None
    ) -> abc.Sequence[subscriptions.Event]:
        """Return what it was not told since it has stopped; it may filter some of that."""
        return await (source or self.database).read(
            subscriptions.Event,
            QUERIES["missed_events"],
            **_of(subscription),
            after=subscription.missed_after,
        )

    async def missed_comments(
        self, subscription: subscriptions.Subscription, source: Source | None = None
    ) -> abc.Sequence[subscriptions.SeenComment]:
        """Return the comments it was not shown since it has stopped, and those that are gone."""
        rows = await (source or self.database).fetch(
            QUERIES["missed_comments"], **_of(subscription), after=subscription.missed_after
        )
        return [msgspec.json.decode(row["state"], type=subscriptions.SeenComment) for row in rows]

    async def history(
        self,
        guild_id: int,
        kind: PlaceKind,
        most: int,
        *,
        number: int | None = None,
        subject_id: int | None = None,
    ) -> abc.Sequence[subscriptions.Event]:
        """Return the last events in what a server announces, or one of its subscriptions does."""
        of = {"guild_id": guild_id, "kind": kind, "subscription_id": number}
        return await self.database.read(
            subscriptions.Event, QUERIES["history"], **of, subject_id=subject_id, most=most
        )

    async def count_new(self, guild_id: int, since: datetime) -> abc.Mapping[int, int]:
        """Return how many items are new since then in each catalog that a server announces."""
        of = {"guild_id": guild_id, "pattern": f"%{subscriptions.News.NEW}%", "since": since}
        rows = await self.database.fetch(QUERIES["count_news"], **of)
        return {row["place_id"]: row["count"] for row in rows}

    async def last_comments(
        self, subscription: subscriptions.Subscription, most: int
    ) -> abc.Sequence[tuple[subscriptions.SeenComment, subscriptions.Delivery | None]]:
        """Return the newest comments of a thread, and what became of each in its channel."""
        rows = await self.database.fetch(QUERIES["last_comments"], **_of(subscription), most=most)
        return [
            (
                msgspec.json.decode(row["seen"], type=subscriptions.SeenComment),
                storage_rows.read(subscriptions.Delivery, row, subscription_id=subscription.id)
                if row["state"]
                else None,
            )
            for row in rows
        ]

    async def message_of(self, subscription_id: int, event_id: int) -> messages.Message | None:
        """Return the message by which a subscription told of an event."""
        of = {"subscription_id": subscription_id, "event_id": event_id}
        return messages.read_message(await self.database.fetch_one(QUERIES["message_of"], **of))

    async def taken(
        self, guild_id: int, comment_id: int
    ) -> abc.Sequence[subscriptions.Subscription]:
        """Return the active subscriptions whose posts of a comment a removal took."""
        of = {"guild_id": guild_id, "comment_id": comment_id}
        return await self.database.read(subscriptions.Subscription, QUERIES["taken"], **of)

    async def told_in(
        self, message_id: int, kind: PlaceKind, place_id: int, subject_id: int
    ) -> subscriptions.Event | None:
        of = {"kind": kind, "place_id": place_id, "subject_id": subject_id}
        return await self.database.read_one(
            subscriptions.Event, QUERIES["told_in"], message_id=message_id, **of
        )

    async def deliveries(
        self, event: subscriptions.Event
    ) -> abc.Mapping[int, subscriptions.Delivery]:
        """Return what became of an event, by the ids of subscriptions."""
        deliveries = await self.database.read(
            subscriptions.Delivery, QUERIES["deliveries"], event_id=event.id
        )
        return {delivery.subscription_id: delivery for delivery in deliveries}

    async def has_announced(self, subscription_id: int, newest_key: str) -> bool:
        row = await self.database.fetch_one(
            QUERIES["find_announced"], subscription_id=subscription_id, newest_key=newest_key
        )
        return row is not None

    async def last_told(self, member_id: int, kind: str) -> datetime | None:
        row = await self.database.fetch_one(QUERIES["last_told"], member_id=member_id, kind=kind)
        return None if row is None else storage_rows.moment(row["told_at"])

    async def showing(
        self, thread_id: int, comment_id: int, source: Source | None = None
    ) -> abc.Sequence[int]:
        """Return the subscriptions in whose channels a comment is posted, or about to be."""
        of = {"thread_id": thread_id, "comment_id": comment_id}
        rows = await (source or self.database).fetch(QUERIES["showing"], **of)
        return [row["subscription_id"] for row in rows]


def _seen_rows(
    place: abc.Mapping[str, Value],
    seen: abc.Iterable[subscriptions.SeenItem | subscriptions.SeenComment],
    name_keys: abc.Mapping[int, str] = MappingProxyType({}),
) -> list[dict[str, Value]]:
    return [
        {
            **place,
            "subject_id": subject.id,
            "name_key": name_keys.get(subject.id, ""),
            "state": msgspec.json.encode(subject).decode(),
        }
        for subject in seen
    ]


async def _remove(transaction: Transaction, numbers: abc.Sequence[int]) -> bool:
    removed = [await transaction.execute(QUERIES["remove"], id=number) for number in numbers]
    await transaction.execute(QUERIES["unfollow_unwished"])
    return any(removed)


def _of(subscription: subscriptions.Subscription) -> dict[str, Value]:
    return {
        "subscription_id": subscription.id,
        "kind": subscription.kind,
        "place_id": subscription.place_id,
    }
