"""The subscriptions of servers and members, and the news they get."""

from collections import abc
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from storage import messages, moderation, rows
from storage.database import Database, Transaction, queries_beside
from storage.database.interface import Source
from storage.names import PlaceKind

QUERIES = queries_beside(__file__)
# Discord's numbers for a forum channel, whose messages are posts with a title, and for an
# announcement channel, whose messages can be published.
FORUM_CHANNEL = 15
NEWS_CHANNEL = 5
# Why a subscription is stopped, unless Discord refused something: a person has paused it.
PERSON = "person"


class News(StrEnum):
    """Kinds of news about an item, in the order in which cards list them."""

    NEW = "new"
    BACK = "back"
    CLEARANCE = "clearance"
    CHEAPER = "cheaper"
    MEMBERS = "members"
    GONE = "gone"


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """News about an item or a comment. `payload` is JSON, with what its kind tells."""

    subject_id: int
    news: frozenset[News]
    payload: str


class Event(NewEvent, frozen=True, kw_only=True):
    """An event that is on record. It `is_late` if the last look was more than a day before."""

    id: int
    kind: PlaceKind
    place_id: int
    happened_at: datetime
    is_late: bool = False


class ItemQuery(msgspec.Struct, frozen=True, omit_defaults=True):
    """The items that a filter, an announcement or a watch is for. The defaults let all in.

    `name` is a part of names. `types` are names, or numbers behind a #. So is `currency`, "" for
    any. Perhaps no item has it yet. With `is_owned`, items fit that the reader owns or, if it is
    False, doesn't own.
    """

    name: str = ""
    types: frozenset[str] = frozenset()
    max_cost: int | None = None
    currency: str = ""
    is_clearance: bool = False
    is_owned: bool | None = None
    is_for_subscribers: bool = False


class NewSubscription(msgspec.Struct, frozen=True, kw_only=True):
    """An audience, and the subject about which it gets news.

    The audience is a channel of a server, or a member, who asked in a server or in none.
    `channel_kind` is Discord's number for the kind of channel, `tag_id` the tag of posts there. The
    subject is one item of a place, or the replies to one comment, by `subject_id` and its name.
    Otherwise it is what fits `query` or, in a thread, the comments that contain the words of
    `subject_name`, if there are any. `replies_after` is the id of the newest reply that was there
    when the member asked.
    """

    kind: PlaceKind = PlaceKind.CATALOG
    place_id: int
    subject_id: int | None = None
    subject_name: str = ""
    query: ItemQuery = ItemQuery()
    news: frozenset[News]
    guild_id: int | None = None
    channel_id: int | None = None
    channel_kind: int | None = None
    channel_name: str = ""
    role_ids: frozenset[int] = frozenset()
    tag_id: int | None = None
    member_id: int | None = None
    asked_in: int | None = None
    replies_after: int = 0
    locale: str
    created_by: int


class Subscription(NewSubscription, frozen=True, kw_only=True):
    """A stored subscription: active, or stopped for one reason.

    `stopped_for` is PERSON, or Discord's code for what it refused. News after `missed_after`, the
    id of an event or of a comment, was not sent. `own_words` are above what is announced.
    `drafted_words` were previewed last. Members take the role `notify_role_id` themselves.
    `gone_role_ids` were found deleted.
    """

    id: int
    created_at: datetime
    stopped_at: datetime | None = None
    stopped_for: str | None = None
    missed_after: int | None = None
    own_words: str = ""
    drafted_words: str = ""
    notify_role_id: int | None = None
    gone_role_ids: frozenset[int] = frozenset()

    @property
    def pinged(self) -> frozenset[int]:
        """The roles that an announcement pings, with the one that members take themselves."""
        return self.role_ids | ({self.notify_role_id} if self.notify_role_id else frozenset[int]())

    @property
    def refusal(self) -> int | None:
        """Discord's code, if it has refused what was posted."""
        why = self.stopped_for
        return int(why) if why is not None and why.isdecimal() else None


class Subscriptions(msgspec.Struct, frozen=True):
    database: Database

    async def add(
        self,
        new: NewSubscription,
        key: str,
        *,
        now: datetime,
        renews: bool = False,
        line_of: moderation.LineOf[Subscription] | None = None,
    ) -> Subscription | None:
        """Keep a subscription, and follow its place.

        If it is kept already, this returns it, in the new language, if it `renews`. Otherwise None.
        """
        async with self.database.transaction() as transaction:
            is_known = await transaction.fetch_one(QUERIES["known"], key=key)
            added = await add_subscription(transaction, new, key, now, renews=renews)
            if added is not None and not is_known:
                await moderation.note(transaction, line_of, None, added)
        return added

    async def find(self, number: int, source: Source | None = None) -> Subscription | None:
        """Return a channel's subscription, unless it is gone."""
        return await (source or self.database).read_one(Subscription, QUERIES["find"], id=number)

    async def of_guild(
        self, guild_id: int | None, kind: PlaceKind | None = None, source: Source | None = None
    ) -> abc.Sequence[Subscription]:
        """Return what a server subscribed to, catalogs first."""
        of = {"guild_id": guild_id, "kind": kind}
        return await (source or self.database).read(Subscription, QUERIES["of_guild"], **of)

    async def of_place(self, kind: PlaceKind, place_id: int) -> abc.Sequence[Subscription]:
        sql = QUERIES["of_place"]
        return await self.database.read(Subscription, sql, kind=kind, place_id=place_id)

    async def change(
        self,
        number: int,
        key_of: abc.Callable[[Subscription], str],
        line_of: moderation.LineOf[Subscription] | None = None,
        **fields: Any,
    ) -> Subscription | None:
        """Change only these fields of a channel's subscription. Return None if it is gone.

        `key_of` returns the key of what it becomes. If it moves to another channel, its posts of a
        thread stay where they are. Raises NotUnique if the channel has the same one already.
        """
        async with self.database.transaction() as transaction:
            row = await transaction.fetch_one(QUERIES["lock"], id=number)
            if row is None:
                return None
            before = rows.read(Subscription, row)
            changed = msgspec.structs.replace(before, **fields)
            if before.channel_id != changed.channel_id:
                await messages.leave_posts(transaction, number)
            row = rows.to_row(changed)
            await transaction.execute(QUERIES["change"], **row, key=key_of(changed))
            await moderation.note(transaction, line_of, before, changed)
        return changed

    async def note_gone_roles(
        self, told: abc.Iterable[Subscription], gone: abc.Collection[int]
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
        """Stop a subscription. Return whether that is new."""
        stopped = {"stopped_at": now, "stopped_for": why}
        source = transaction or self.database
        return await source.execute(QUERIES["stop"], id=number, **stopped) > 0

    async def save_missed(self, transaction: Transaction, number: int, first_id: int) -> None:
        """Note that an event or a comment from before a stop was not sent, either."""
        await transaction.execute(QUERIES["save_missed"], id=number, first_id=first_id)

    async def stopped(
        self, transaction: Transaction, kind: PlaceKind, place_id: int
    ) -> abc.Collection[int]:
        """Return the ids of a place's stopped subscriptions."""
        rows = await transaction.fetch(QUERIES["stopped"], kind=kind, place_id=place_id)
        return {row["id"] for row in rows}

    async def resume(self, transaction: Transaction, number: int) -> bool:
        """Resume a subscription. Return whether it was stopped."""
        return await transaction.execute(QUERIES["resume"], id=number) > 0

    async def remove(
        self, *ended: Subscription, line_of: moderation.LineOf[Subscription] | None = None
    ) -> bool:
        """Delete subscriptions, and all seen in places left without one. Return if any existed."""
        numbers = [subscription.id for subscription in ended]
        async with self.database.transaction() as transaction:
            await messages.leave_posts(transaction, *numbers)
            is_new = await remove_subscriptions(transaction, numbers)
            if is_new:
                for subscription in ended:
                    await moderation.note(transaction, line_of, subscription, None)
        return is_new


async def add_subscription(
    transaction: Transaction, new: NewSubscription, key: str, now: datetime, *, renews: bool
) -> Subscription | None:
    """Follow a place, and keep a subscription to it, unless it is kept already."""
    await transaction.execute(QUERIES["follow"], kind=new.kind, place_id=new.place_id, now=now)
    row = {**rows.to_row(new), "key": key, "created_at": now, "renews": int(renews)}
    return rows.read(Subscription, await transaction.fetch_one(QUERIES["add"], **row))


async def unfollow_unwished(source: Database | Transaction) -> int:
    """Stop following places that no one subscribes to. Return how many those were."""
    return await source.execute(QUERIES["unfollow_unwished"])


async def remove_subscriptions(transaction: Transaction, numbers: abc.Sequence[int]) -> bool:
    """Delete subscriptions, and places that no one subscribes to. Return if any existed."""
    removed = [await transaction.execute(QUERIES["remove"], id=number) for number in numbers]
    await unfollow_unwished(transaction)
    return any(removed)
