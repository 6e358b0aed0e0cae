"""Servers' subscriptions: add, change, stop and resume them, and list their news."""

import datetime as dt
import typing
from collections import abc

import msgspec

from bot.features import feature_errors, item_queries, matching
from bot.features.following import comparing
from bot.features.following.owing import NewsQueue
from bot.features.following.own_account import OwnAccount
from bot.features.following.poller import Poller
from bot.game import models
from bot.visible import search_key
from storage import messages, moderation, subscriptions
from storage.database import Transaction
from storage.deliveries import Deliveries, Delivery
from storage.following import Following, SeenItem
from storage.names import PlaceKind
from storage.storage_errors import NotUnique
from storage.subscriptions import Subscriptions

NEWEST_KIND = "announcement.newest"
# Items that one press posts when an announcement is added.
_MAX_NEWEST = 5
# Per server. Each may be another catalog to look at every few minutes.
_MAX_SUBSCRIPTIONS = 200
_MAX_FOUND = 50
# How many pieces of news a history shows.
_MAX_REMEMBERED = 10


class Announcing(msgspec.Struct, frozen=True):
    following: Following
    subscribed: Subscriptions
    deliveries: Deliveries
    owing: NewsQueue
    outbox: messages.Messages
    poller: Poller
    own_account: OwnAccount
    now: abc.Callable[[], dt.datetime]

    async def add(
        self,
        new: subscriptions.NewSubscription,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> subscriptions.Subscription:
        """Keep a subscription. Raises AlreadyAnnounced, TooManyAnnouncements."""
        announced = await self.subscribed.of_guild(new.guild_id, PlaceKind.CATALOG)
        if len(announced) >= _MAX_SUBSCRIPTIONS:
            raise feature_errors.TooManyAnnouncements(number=str(_MAX_SUBSCRIPTIONS))
        added = await self.subscribed.add(
            new, comparing.subscription_key(new), now=self.now(), line_of=line_of
        )
        if added is None:
            raise feature_errors.AlreadyAnnounced
        self.poller.hurry()
        return added

    async def find(self, guild_id: int, number: int) -> subscriptions.Subscription:
        """Return a server's subscription by its number. Raises UnknownAnnouncement."""
        subscription = await self.subscribed.find(number)
        if subscription is None or subscription.guild_id != guild_id:
            raise feature_errors.UnknownAnnouncement
        return subscription

    async def change(
        self,
        number: int,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
        **fields: typing.Any,
    ) -> subscriptions.Subscription:
        """Change the given fields of a subscription, and nothing else.

        Changes that others have made stay. Raises AlreadyAnnounced, UnknownAnnouncement.
        """
        try:
            changed = await self.subscribed.change(
                number, comparing.subscription_key, line_of, **fields
            )
        except NotUnique as error:
            raise feature_errors.AlreadyAnnounced from error
        if changed is None:
            raise feature_errors.UnknownAnnouncement
        return changed

    async def pause(
        self,
        subscription: subscriptions.Subscription,
        line_of: moderation.LineOf[subscriptions.Subscription],
    ) -> None:
        """Stop a subscription until someone resumes it."""
        now = self.now()
        why = subscriptions.PERSON
        paused = msgspec.structs.replace(subscription, stopped_at=now, stopped_for=why)
        async with self.outbox.transaction() as transaction:
            if await self.subscribed.stop(subscription.id, why, now=now, transaction=transaction):
                await moderation.note(transaction, line_of, subscription, paused)

    async def remove(
        self,
        subscription: subscriptions.Subscription,
        line_of: moderation.LineOf[subscriptions.Subscription],
    ) -> None:
        await self.subscribed.remove(subscription, line_of=line_of)

    async def note_gone_roles(
        self, pinging: abc.Iterable[subscriptions.Subscription], gone: abc.Collection[int]
    ) -> None:
        """Stop pinging roles that were deleted."""
        await self.subscribed.note_gone_roles(pinging, gone)

    async def stopped_with(
        self, subscription: subscriptions.Subscription
    ) -> abc.Sequence[subscriptions.Subscription]:
        """Return a stopped subscription and those that resume with it, or none if it is active."""
        if subscription.stopped_at is None:
            return []
        others = await self.subscribed.of_guild(subscription.guild_id)
        return [other for other in others if comparing.goes_on_with(subscription, other)]

    async def resume(
        self,
        stopped: abc.Sequence[subscriptions.Subscription],
        *,
        tells_missed: bool,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> int:
        """Resume subscriptions. Return how many missed pieces of news are queued."""
        told = 0
        for subscription in stopped:
            missed = await self.owing.resume(
                subscription.id, tells_missed=tells_missed, line_of=line_of
            )
            told += len(missed)
        self.poller.hurry()
        return told

    async def sample(self, subscription: subscriptions.Subscription) -> subscriptions.Event | None:
        """Return made-up news of an item, or None without an item.

        Raises what `OwnAccount.items` does.
        """
        items = await self.own_account.items(subscription.place_id, whole=False)
        return sample(subscription, items, self.now())

    async def owe_newest(self, subscription: subscriptions.Subscription) -> int:
        """Queue the newest items that a subscription would announce, once. Return how many.

        The newest are those that were first seen last, and of these the highest numbers. An item
        that no look has seen yet is news of the next look. Raises what `OwnAccount.items` does.
        """
        now = self.now()
        seen = await self.following.items(subscription.place_id)
        items = [
            item
            for item in await self.own_account.items(subscription.place_id, whole=True)
            if item_queries.fits(subscription.query, item) and (not seen or item.id in seen)
        ]

        def age(item: models.Item) -> tuple[dt.datetime, int]:
            return seen[item.id].first_seen_at if item.id in seen else now, item.id

        newest = sorted(items, key=age, reverse=True)[:_MAX_NEWEST]
        if newest:
            owed = messages.NewMessage(
                NEWEST_KIND,
                _newest_key(subscription),
                messages.Priority.ANNOUNCEMENT,
                channel_id=subscription.channel_id,
                payload={
                    "subscription": subscription.id,
                    "items": [item.to_json() for item in newest],
                },
            )
            async with self.outbox.transaction() as transaction:
                await self.outbox.want(transaction, owed)
        return len(newest)

    async def offers_newest(self, subscription: subscriptions.Subscription) -> bool:
        """Return whether a catalog is announced in a channel, and nothing was posted there yet."""
        return (
            subscription.kind is PlaceKind.CATALOG
            and subscription.stopped_at is None
            and self.own_account.is_there
            and not await self.deliveries.has_announced(subscription.id, _newest_key(subscription))
        )

    async def save_refusal(
        self, transaction: Transaction, message: messages.Message, reason: str | None
    ) -> None:
        """Note that Discord refused a message for a reason, or that it was dropped without one.

        A refusal stops the subscription from this message on. If the subscription has moved or
        resumed since, the same news is queued again for its current channel.
        """
        subscription = await self.subscribed.find(message.payload["subscription"], transaction)
        if subscription is None:
            return
        is_stopped = subscription.stopped_at is not None
        if reason is not None:
            is_stopped = subscription.channel_id == message.channel_id
            if is_stopped:
                await self.owing.stop(transaction, subscription, messages.code_of(reason))
        events = await self.deliveries.events_of(message.key, transaction)
        if not is_stopped:
            pings = bool(message.payload.get("pings", True))
            again = [(subscription, events)]
            await self.owing.announce(transaction, again, wish=message.id, pings=pings)
        elif events:
            await self.subscribed.save_missed(transaction, subscription.id, events[0].id)

    async def posted(
        self, guild_id: int, number: int, event_id: int
    ) -> tuple[subscriptions.Subscription, messages.Message]:
        """Return a server's subscription, and its message about an event.

        Raises UnknownAnnouncement, MessageForgotten.
        """
        subscription = await self.find(guild_id, number)
        message = await self.deliveries.message_of(number, event_id)
        if message is None:
            raise feature_errors.MessageForgotten
        return subscription, message

    async def delete_posted(self, message: messages.Message, line: moderation.LogLine) -> None:
        """Delete the message of news, with a line in the log. Raises MessageGone."""
        async with self.outbox.transaction() as transaction:
            if not await self.outbox.delete(transaction, message.key):
                raise feature_errors.MessageGone
            await moderation.add_line(transaction, line)

    async def update_posted(
        self,
        subscription: subscriptions.Subscription,
        message: messages.Message,
        line: moderation.LogLine,
    ) -> int:
        """Draw the message of news with its items as the game has them now.

        Adds a line to the log. Returns how many items the game doesn't show now. Raises
        MessageGone, NothingToUpdate, and what `OwnAccount.items` does.
        """
        told = {event.subject_id for event in await self.deliveries.events_of(message.key)}
        items = {
            str(item.id): item_queries.without_reader_fields(item).to_json()
            for item in await self.own_account.items(subscription.place_id, whole=True)
            if item.id in told
        }
        if not items:
            raise feature_errors.NothingToUpdate
        updated = {**message.payload.get("updated", {}), **items}
        async with self.outbox.transaction() as transaction:
            payload = {**message.payload, "updated": updated}
            if not await self.outbox.redraw_with(transaction, message.key, payload):
                raise feature_errors.MessageGone
            await moderation.add_line(transaction, line)
        return len(told) - len(items)

    async def history(
        self, guild_id: int, *, number: int | None = None, item_id: int | None = None
    ) -> abc.Sequence[tuple[subscriptions.Event, abc.Mapping[int, Delivery]]]:
        """Return the last news of a server's catalogs, each with its deliveries by subscription.

        `number` asks for the catalog of one subscription, `item_id` for one item.
        """
        events = await self.deliveries.history(
            guild_id, PlaceKind.CATALOG, _MAX_REMEMBERED, number=number, subject_id=item_id
        )
        return [(event, await self.deliveries.of_event(event)) for event in events]

    async def seen(self, guild_id: int, text: str) -> abc.Sequence[tuple[int, SeenItem]]:
        """Return an item as it was seen in each catalog. Raises ItemNeverSeen, SeveralFit."""
        number = matching.read_id(text)
        found: abc.Sequence[tuple[int, SeenItem]] = ()
        for spelling in matching.spellings(text):
            found = found or await self.following.items_where(
                guild_id, _meant(spelling, number), _MAX_FOUND
            )
        meant = matching.resolve(
            text,
            [seen for _, seen in found if number in (None, seen.id)],
            name_of=lambda seen: seen.name,
            number_of=lambda seen: seen.id,
            unknown=feature_errors.ItemNeverSeen,
            offers_all=False,
        )
        return [(catalog_id, seen) for catalog_id, seen in found if seen.id == meant.id]

    async def suggest(self, guild_id: int, typed: str, most: int) -> abc.Sequence[SeenItem]:
        found = await self.following.items_where(
            guild_id, _meant(typed, matching.read_id(typed)), most
        )
        return list({seen.id: seen for _, seen in found}.values())


def sample(
    subscription: subscriptions.Subscription, items: abc.Sequence[models.Item], now: dt.datetime
) -> subscriptions.Event | None:
    """Return made-up news of an item that is wanted, else of any, or None without items."""
    # By what the item is, not by what has happened to it.
    item = next(
        (item for item in items if comparing.wants(subscription, subscription.news, item)),
        items[0] if items else None,
    )
    if item is None:
        return None
    usual = (
        subscriptions.News.CLEARANCE
        if item.is_clearance and subscriptions.News.CLEARANCE in subscription.news
        else None
    )
    kind = usual or next(kind for kind in subscriptions.News if kind in subscription.news)
    return sample_event(subscription, item, [kind], now)


def sample_event(
    subscription: subscriptions.Subscription,
    item: models.Item,
    news: abc.Sequence[str],
    happened_at: dt.datetime,
) -> subscriptions.Event:
    """Return made-up news of an item."""
    kinds = frozenset(map(subscriptions.News, news))
    old_cost = item.cost if subscriptions.News.CHEAPER in kinds else None
    return subscriptions.Event(
        id=0,
        kind=subscription.kind,
        place_id=subscription.place_id,
        subject_id=item.id,
        news=kinds,
        payload=item_queries.ItemNews(item, old_cost=old_cost).to_json(),
        happened_at=happened_at,
    )


def _meant(typed: str, number: int | None) -> abc.Callable[[int, str], bool]:
    """Return a function that says if an item's number or stored key is what was typed."""
    wanted = search_key(typed)
    # Keys that older versions stored are folded less.
    return lambda item_id, key: item_id == number or wanted in search_key(key)


def _newest_key(subscription: subscriptions.Subscription) -> str:
    return f"newest:{subscription.id}"
