"""Who hears of what is new in a catalog, and what became of it."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from bot.domain.announcing import (
    FORUM_CHANNEL,
    NEWS_CHANNEL,
    Announcement,
    Event,
    Judgement,
    NewEvent,
    News,
    SeenItem,
    Subscription,
    Watch,
)
from bot.features.announcing.rules import judge, wants, who_watches
from bot.features.errors import ItemNeverSeen
from bot.features.names import read_id
from bot.game.models import Item
from storage.announcements import Announcements
from storage.database.interface import Transaction
from storage.messages import Messages, NewMessage, Priority
from storage.subscriptions import Subscriptions, Watches

MESSAGE_KIND, POST_KIND, PUBLISH_KIND = "announcement", "announcement.post", "publish"
TEST_KIND = "announcement.test"
# What one message tells; where a poll brings more than so many of them, one tells of all.
MOST_ITEMS = 10
_MOST_MESSAGES = 10
_MOST_EVENTS = 5


class Deliveries(Struct, frozen=True):
    """Owes events to the subscriptions and the members that want them, several together."""

    subscriptions: Subscriptions
    announcements: Announcements
    watches: Watches
    outbox: Messages
    clock: Callable[[], datetime]

    async def who_watches(
        self, catalog_id: int, events: Sequence[NewEvent]
    ) -> Sequence[tuple[Watch, NewEvent]]:
        """Return the watches whose members are to hear of events, to be owed with them."""
        if not events:
            return []
        told = [(event, item_of(event)) for event in events]
        watches = await self.watches.of_catalog(catalog_id)
        # Nobody's answer waits while all of them are gone through.
        return await asyncio.to_thread(who_watches, watches, told)

    async def owe(
        self,
        transaction: Transaction,
        events: Sequence[Event],
        *,
        watched: Sequence[tuple[Watch, NewEvent]],
    ) -> None:
        """Owe the events of one poll, in the catalog's order, to all who want them."""
        if not events:
            return
        told = [(event, item_of(event)) for event in events]
        wanted = [
            (one, [event for event, item in told if wants(one, event, item)])
            for one in await self.subscriptions.of_catalog(events[0].catalog_id, transaction)
            if one.paused_at is None
        ]
        await self.owe_each(transaction, wanted)
        of_item = {event.item_id: event for event in events}
        notices = [(watch, of_item[event.item_id]) for watch, event in watched]
        await self.watches.owe(transaction, notices, self.clock())

    async def owe_each(
        self,
        transaction: Transaction,
        wanted: Iterable[tuple[Subscription, Sequence[Event]]],
        *,
        wish: int = 0,
        pings: bool = True,
    ) -> None:
        """Owe subscriptions these events; `wish` names at whose wish what was refused before.

        It is written all at once: ten thousand channels may hear of one item. Unless it `pings`, no
        role is.
        """
        noted: list[tuple[int, Sequence[Event], str]] = []
        owed: list[NewMessage] = []
        for one, events in wanted:
            for part in _parts(events):
                key = f"announcement:{one.id}:{part[0].id}:{wish}"
                noted.append((one.id, part, key))
                owed.append(
                    NewMessage(
                        POST_KIND if one.channel_kind == FORUM_CHANNEL else MESSAGE_KIND,
                        key,
                        Priority.ANNOUNCEMENT,
                        channel_id=one.channel_id,
                        payload={
                            "subscription": one.id,
                            "is_published": one.channel_kind == NEWS_CHANNEL,
                            "pings": pings and part[0] is events[0],
                        },
                    )
                )
        await self.announcements.add(transaction, noted)
        await self.outbox.want(transaction, *owed)


def _parts(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """Put ten into a message, or all into one where they are late or too many.

    A sale on everything, or a game that gives each item another id, floods no channel.
    """
    if any(event.is_late for event in events) or len(events) > MOST_ITEMS * _MOST_MESSAGES:
        yield events
        return
    for start in range(0, len(events), MOST_ITEMS):
        yield events[start : start + MOST_ITEMS]


class Judged(Struct, frozen=True):
    """What a server's subscription made of an event; `told` is None where nothing was owed."""

    subscription: Subscription
    judgement: Judgement
    told: Announcement | None


class History(Struct, frozen=True):
    """An item of a catalog, and its last events with what became of them, the newest first."""

    catalog_id: int
    seen: SeenItem
    events: Sequence[tuple[Event, Sequence[Judged]]]


class Histories(Struct, frozen=True):
    """Looks into the record of a server's announcements."""

    announcements: Announcements
    subscriptions: Subscriptions

    async def why(self, guild_id: int, text: str) -> Sequence[History]:
        """Return what is on record of the item of a name or number. Raises ItemNeverSeen."""
        number = read_id(text)
        found = await self.announcements.find_seen(guild_id, text, number, most=50)
        if number is not None:
            found = [each for each in found if each[1].item_id == number]
        if not found:
            raise ItemNeverSeen(name=text)
        # The shortest name that holds what was typed is the nearest to it; of one name, the newest.
        nearest = min(found, key=_farness)[1].item_id
        subscriptions = await self.subscriptions.of_guild(guild_id)
        events = await self.announcements.of_item(guild_id, nearest, _MOST_EVENTS)
        became = {
            (each.subscription_id, each.event_id): each
            for each in await self.announcements.of_events(guild_id, events)
        }
        return [
            History(
                catalog_id,
                seen,
                [
                    (event, _judged(event, subscriptions, became))
                    for event in events
                    if event.catalog_id == catalog_id
                ],
            )
            for catalog_id, seen in found
            if seen.item_id == nearest
        ]

    async def suggest(self, guild_id: int, typed: str, most: int) -> Sequence[SeenItem]:
        """Return items that were seen in a server's catalogs and fit what is typed."""
        found = await self.announcements.find_seen(guild_id, typed, read_id(typed), most)
        return list({seen.item_id: seen for _, seen in found}.values())


def item_of(event: NewEvent) -> Item:
    """Return the item of an event, as it was then."""
    return Item.from_json(event.item)


def _judged(
    event: Event,
    subscriptions: Sequence[Subscription],
    became: Mapping[tuple[int, int], Announcement],
) -> Sequence[Judged]:
    item = item_of(event)
    return [
        Judged(one, judge(one, event, item), became.get((one.id, event.id)))
        for one in subscriptions
        if one.catalog_id == event.catalog_id
    ]


def _farness(found: tuple[int, SeenItem]) -> tuple[int, float]:
    _, seen = found
    return len(seen.name), -seen.first_seen_at.timestamp()


def sample(one: Subscription, items: Sequence[Item], now: datetime) -> Event | None:
    """Return news of an item that a subscription would hear of, else of any; None without one."""
    if not items:
        return None
    # Of what the item is, not of what has happened to it, so that whatever is wanted fits.
    any_news = replace(one, news=frozenset(News))
    events: list[tuple[Event, Item]] = []
    for item in items:
        usual = News.CLEARANCE if item.is_clearance and News.CLEARANCE in one.news else None
        kind = usual or next(each for each in News if each in one.news)
        events.append((sample_event(one, item.to_json(), [kind], now), item))
    fitting = [event for event, item in events if all(judge(any_news, event, item).values())]
    return (fitting or [event for event, _ in events])[0]


def sample_event(one: Subscription, item: str, news: Sequence[str], happened_at: datetime) -> Event:
    """Return news of an item, which is JSON, that have not happened."""
    kinds = frozenset(News(each) for each in news)
    shown = Item.from_json(item)
    return Event(
        id=0,
        catalog_id=one.catalog_id,
        item_id=shown.id,
        news=kinds,
        item=item,
        old_cost=shown.cost if News.CHEAPER in kinds else None,
        happened_at=happened_at,
    )
