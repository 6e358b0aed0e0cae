"""Which messages contain which news, and how each delivery ended."""

from collections import abc
from datetime import datetime

import msgspec

from storage import messages, subscriptions
from storage.database import Database, Transaction, Value, queries_beside
from storage.database.interface import Source
from storage.following import SeenComment
from storage.names import PlaceKind
from storage.rows import read

QUERIES = queries_beside(__file__)


class Delivery(msgspec.Struct, frozen=True):
    """The outcome of an event for a subscription.

    `reason` is Discord's last answer, and `due_at` the next try, if one is pending. The message has
    the `key` and, in Discord, the `message_id`, unless it is no longer wanted. If it `is_removed`,
    a moderator's removal took it. `removed_by` is None once the moderator's data was erased.
    """

    subscription_id: int
    state: messages.MessageState
    settled_at: datetime | None
    reason: str | None
    due_at: datetime | None
    key: str = ""
    message_id: int | None = None
    is_wanted: bool = True
    is_removed: bool = False
    removed_by: int | None = None


class Deliveries(msgspec.Struct, frozen=True):
    """Records which messages tell which subscriptions about which events."""

    database: Database

    async def tell(
        self,
        transaction: Transaction,
        told: abc.Iterable[tuple[int, abc.Sequence[subscriptions.Event], str]],
    ) -> None:
        """Note which events a message, which is wanted already, tells a subscription by its id."""
        noted = [
            {"subscription_id": number, "event_id": event.id, "message_key": key}
            for number, events, key in told
            for event in events
        ]
        await transaction.execute_many(QUERIES["tell"], noted)

    async def gather(self, key: str, subscription_id: int) -> None:
        """Gather all untried news for a subscription in one message."""
        gathered = {"message_key": key, "subscription_id": subscription_id}
        await self.database.execute(QUERIES["gather"], **gathered)

    async def telling(
        self, transaction: Transaction, kind: PlaceKind, place_id: int, subject_id: int
    ) -> abc.Sequence[str]:
        """Return the keys of the messages about an item or a comment."""
        of = {"kind": kind, "place_id": place_id, "subject_id": subject_id}
        return [row["message_key"] for row in await transaction.fetch(QUERIES["telling"], **of)]

    async def events_of(
        self, key: str, source: Source | None = None
    ) -> abc.Sequence[subscriptions.Event]:
        return await (source or self.database).read(
            subscriptions.Event, QUERIES["events_of"], message_key=key
        )

    async def missed_events(
        self, subscription: subscriptions.Subscription, source: Source | None = None
    ) -> abc.Sequence[subscriptions.Event]:
        """Return the events that a stopped subscription missed. It may filter some of them."""
        return await (source or self.database).read(
            subscriptions.Event,
            QUERIES["missed_events"],
            **_of(subscription),
            after=subscription.missed_after,
        )

    async def missed_comments(
        self, subscription: subscriptions.Subscription, source: Source | None = None
    ) -> abc.Sequence[SeenComment]:
        """Return the comments that a stopped subscription missed, including deleted ones."""
        rows = await (source or self.database).fetch(
            QUERIES["missed_comments"], **_of(subscription), after=subscription.missed_after
        )
        return [msgspec.json.decode(row["state"], type=SeenComment) for row in rows]

    async def history(
        self,
        guild_id: int,
        kind: PlaceKind,
        most: int,
        *,
        number: int | None = None,
        subject_id: int | None = None,
    ) -> abc.Sequence[subscriptions.Event]:
        """Return the last events of what a server, or one of its subscriptions, announces."""
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
    ) -> abc.Sequence[tuple[SeenComment, Delivery | None]]:
        """Return the newest comments of a thread, each with its delivery to the channel."""
        rows = await self.database.fetch(QUERIES["last_comments"], **_of(subscription), most=most)
        return [
            (
                msgspec.json.decode(row["seen"], type=SeenComment),
                read(Delivery, row, subscription_id=subscription.id) if row["state"] else None,
            )
            for row in rows
        ]

    async def message_of(self, subscription_id: int, event_id: int) -> messages.Message | None:
        """Return the message by which a subscription announced an event."""
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

    async def of_event(self, event: subscriptions.Event) -> abc.Mapping[int, Delivery]:
        """Return an event's deliveries by the ids of subscriptions."""
        deliveries = await self.database.read(Delivery, QUERIES["of_event"], event_id=event.id)
        return {delivery.subscription_id: delivery for delivery in deliveries}

    async def has_announced(self, subscription_id: int, newest_key: str) -> bool:
        row = await self.database.fetch_one(
            QUERIES["find_announced"], subscription_id=subscription_id, newest_key=newest_key
        )
        return row is not None

    async def showing(
        self, thread_id: int, comment_id: int, source: Source | None = None
    ) -> abc.Sequence[int]:
        """Return the subscriptions in whose channels a comment is posted, or about to be."""
        of = {"thread_id": thread_id, "comment_id": comment_id}
        rows = await (source or self.database).fetch(QUERIES["showing"], **of)
        return [row["subscription_id"] for row in rows]


def _of(subscription: subscriptions.Subscription) -> dict[str, Value]:
    return {
        "subscription_id": subscription.id,
        "kind": subscription.kind,
        "place_id": subscription.place_id,
    }
