"""Followed catalogs and threads, their subscriptions, and the events owed to them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, json

from storage.database import Database, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.messages import MessageState
from storage.names import ItemRef, PlaceKind, name_key
from storage.rows import moment, read, to_row
from storage.seen import SeenComment, SeenItem

QUERIES = queries_beside(__file__)

# Discord's numbers for a forum channel, where a message is a post with a title, and for an
# announcement channel, whose messages can be published.
FORUM_CHANNEL, NEWS_CHANNEL = 15, 5
# The kind of the entries by which members are told.
WATCH_KIND = "watch"


class News(StrEnum):
    """Kinds of news about an item, in the order in which cards list them."""

    NEW = "new"
    BACK = "back"
    CLEARANCE = "clearance"
    CHEAPER = "cheaper"
    MEMBERS = "members"


class NewEvent(Struct, frozen=True):
    """News about an item; `item` is the item itself as JSON (interface 2.3).

    `page` is the catalog's page it was on, `old_cost` what it has become cheaper than.
    """

    item_id: int
    news: frozenset[News]
    item: str
    page: int = 1
    old_cost: int | None = None


class Event(NewEvent, frozen=True, kw_only=True):
    """An event that is on record; `is_late` when nobody had looked for more than a day before."""

    id: int
    catalog_id: int
    happened_at: datetime
    is_late: bool = False

    @property
    def ref(self) -> ItemRef:
        return ItemRef(self.catalog_id, self.page, self.item_id)


_NO_READER = ("NotLinked", "LinkExpired", "LinkUnreadable")


class NewSubscription(Struct, frozen=True, kw_only=True):
    """A channel's or a member's subscription to a catalog or a thread; None where anything goes.

    Of a thread, all that is written is news. `channel_kind` is Discord's number for the kind of
    channel, `tag_id` what posts there are filed under. A member watches one item, or whatever fits
    a search; `name` is the item's, or the part of names that is looked for, and `named_in` the
    server whose name for the catalog the member knows.
    """

    kind: PlaceKind = PlaceKind.CATALOG
    game_id: int
    news: frozenset[News]
    locale: str
    created_by: int
    guild_id: int | None = None
    channel_id: int | None = None
    channel_kind: int | None = None
    channel_name: str = ""
    role_id: int | None = None
    tag_id: int | None = None
    member_id: int | None = None
    named_in: int | None = None
    item_id: int | None = None
    name: str = ""
    type_id: int | None = None
    type_name: str | None = None
    max_cost: int | None = None
    is_clearance: bool = False

    @property
    def key(self) -> str:
        """The key of a subscription: each is there once."""
        key = f"{self.member_id or self.channel_id} {self.kind} {self.game_id}"
        if self.item_id is not None:
            return f"{key} item {self.item_id}"
        if self.member_id is None and self.kind is PlaceKind.CATALOG:
            # The same catalog may be announced twice in a channel, but not the same news of it.
            wished = (",".join(sorted(self.news)), self.type_id, self.max_cost, self.role_id)
            return f"{key} " + " ".join("-" if part is None else str(part) for part in wished)
        if self.member_id is not None:
            parts = (self.type_id, self.max_cost, int(self.is_clearance), name_key(self.name))
            key += " search " + " ".join("-" if part is None else str(part) for part in parts)
        return key


class Subscription(NewSubscription, frozen=True, kw_only=True):
    """A subscription that is kept.

    While it is paused, `pause_reason` is Discord's code for what was refused, None where a person
    paused it; what happened after `paused_after`, an event's id, was not announced.
    """

    id: int
    created_at: datetime
    paused_at: datetime | None = None
    pause_reason: int | None = None
    paused_after: int | None = None


# An event, and the member's subscription that it is told for.
Notice = tuple[Subscription, Event]


class Followed(Struct, frozen=True):
    """A catalog or a thread that is looked at again and again.

    `version` counts what was written about it, 0 before there is anything to compare with. Comments
    are new that were written after `since`, by the game's clock. `reader_id` is whose token it was
    read with last. `read_at` is its last success; `failure` names the error of the last look where
    that failed at `failed_at`, as `failures` in a row did.
    """

    kind: PlaceKind
    game_id: int
    followed_at: datetime
    version: int = 0
    since: datetime | None = None
    reader_id: int | None = None
    read_at: datetime | None = None
    failing_since: datetime | None = None
    failed_at: datetime | None = None
    failures: int = 0
    failure: str | None = None

    @property
    def is_unread(self) -> bool:
        """True where nobody who set it up has an account linked any more."""
        return self.failure in _NO_READER


class Delivery(Struct, frozen=True):
    """The outcome of an event that was owed to a subscription.

    `reason` is what Discord answered last, and `due_at` the next try, where it is still owed.
    """

    subscription_id: int
    state: MessageState
    settled_at: datetime | None
    reason: str | None
    due_at: datetime | None


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
        self, guild_id: int, text: str, item_id: int | None, most: int
    ) -> Sequence[tuple[int, SeenItem]]:
        """Return items of a server's catalogs, each with its catalog, by name or by number."""
        # What stands for anything there stands for nothing here.
        pattern = "%" + name_key(text).replace("%", "").replace("_", "") + "%"
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
        owe: Owe | None = None,
        is_late: bool = False,
        since: datetime | None = None,
    ) -> bool:
        """Write what a look has found and what is owed for it, all or nothing.

        Returns False, and writes nothing, where another has written since `followed` was read.
        """
        place: dict[str, Value] = {"kind": followed.kind, "game_id": followed.game_id}
        rows = [
            {
                **place,
                "id": each.id,
                "name_key": name_key(each.name) if isinstance(each, SeenItem) else "",
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
        """Note whether it could be read, or the name of the error, and with whose token it was."""
        place = {"kind": followed.kind, "game_id": followed.game_id}
        sql = QUERIES["save_look"]
        await self.database.execute(sql, **place, failure=failure, reader_id=reader_id, now=now)

    async def add(
        self, new: NewSubscription, *, now: datetime, most: int | None = None
    ) -> Subscription | None:
        """Keep a subscription, and follow its place.

        One to a thread goes on where it was paused. None where the channel has one to the catalog,
        and where a member has `most` others.
        """
        async with self.database.transaction() as transaction:
            await transaction.execute(
                QUERIES["follow"], kind=new.kind, game_id=new.game_id, now=now
            )
            row = await transaction.fetch_one(
                QUERIES["add"], **to_row(new), key=new.key, created_at=now
            )
            if row is not None and most is not None:
                theirs = await transaction.fetch(QUERIES["of_member"], member_id=new.member_id)
                if len(theirs) > most:
                    await _remove(transaction, row["id"])
                    return None
        return read(Subscription, row)

    async def find(self, number: int, source: Source | None = None) -> Subscription | None:
        """Return a channel's subscription, unless it is gone."""
        row = await (source or self.database).fetch_one(QUERIES["find"], id=number)
        return None if row is None or row["guild_id"] is None else read(Subscription, row)

    async def of_guild(
        self, guild_id: int | None, kind: PlaceKind = PlaceKind.CATALOG
    ) -> Sequence[Subscription]:
        sql = QUERIES["of_guild"]
        return await self.database.read(Subscription, sql, guild_id=guild_id, kind=kind)

    async def of_place(self, kind: PlaceKind, game_id: int) -> Sequence[Subscription]:
        sql = QUERIES["of_place"]
        return await self.database.read(Subscription, sql, kind=kind, game_id=game_id)

    async def of_member(self, member_id: int) -> Sequence[Subscription]:
        return await self.database.read(Subscription, QUERIES["of_member"], member_id=member_id)

    async def readers(self, kind: PlaceKind, game_id: int, most: int) -> Sequence[int]:
        """Return linked members who subscribed to a place, the last first."""
        sql = QUERIES["readers"]
        rows = await self.database.fetch(sql, kind=kind, game_id=game_id, most=most)
        return [row["created_by"] for row in rows]

    async def read_as(self, member_id: int) -> Sequence[tuple[int, int]]:
        """Return the servers and catalogs whose announcements depend on a member's token."""
        rows = await self.database.fetch(QUERIES["read_as"], member_id=member_id)
        return [(row["guild_id"], row["game_id"]) for row in rows]

    async def change(self, changed: Subscription) -> Subscription | None:
        """Keep where and what a subscription is for from now on; None where it is gone.

        Raises NotUnique where the channel has the same one already.
        """
        sql, row = QUERIES["change"], to_row(changed)
        return read(Subscription, await self.database.change_one(sql, **row, key=changed.key))

    async def pause(
        self,
        number: int,
        *,
        now: datetime,
        reason: int | None = None,
        transaction: Transaction | None = None,
    ) -> bool:
        """Send nothing there from now on; return whether that is new."""
        changed = await (transaction or self.database).execute(
            QUERIES["pause"], id=number, paused_at=now, pause_reason=reason
        )
        return changed > 0

    async def save_missed(self, transaction: Transaction, number: int, event_id: int) -> None:
        """Note that an event from before a pause was not announced, either."""
        await transaction.execute(QUERIES["save_missed"], id=number, event_id=event_id)

    async def resume(self, number: int) -> None:
        await self.database.execute(QUERIES["resume"], id=number)

    async def dismiss(self, number: int) -> None:
        """Offer what was missed until now no more."""
        await self.database.execute(QUERIES["dismiss"], id=number)

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

    async def not_told(self, one: Subscription, after: int) -> Sequence[Event]:
        """Return what happened in a subscription's catalog after an event and was not told there.

        Its filters are for the caller to judge.
        """
        of = {"subscription_id": one.id, "catalog_id": one.game_id}
        return await self.database.read(Event, QUERIES["not_told"], **of, after=after)

    async def last_events(self, one: Subscription, most: int) -> Sequence[Event]:
        """Return what was announced for a subscription last, the newest first."""
        sql = QUERIES["last_events"]
        return await self.database.read(Event, sql, subscription_id=one.id, most=most)

    async def of_item(self, catalog_id: int, item_id: int, most: int) -> Sequence[Event]:
        of = {"catalog_id": catalog_id, "item_id": item_id}
        return await self.database.read(Event, QUERIES["of_item"], **of, most=most)

    async def deliveries(self, event: Event) -> Mapping[int, Delivery]:
        """Return what became of an event, by the ids of subscriptions."""
        found = await self.database.read(Delivery, QUERIES["deliveries"], event_id=event.id)
        return {each.subscription_id: each for each in found}

    async def last_told(self, member_id: int, kind: str) -> datetime | None:
        """Return when a member was sent a message of a kind last."""
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
