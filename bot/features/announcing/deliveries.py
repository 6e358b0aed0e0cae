"""What is owed to whom when something is new in a catalog."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from bot.domain.announcing import Event, Subscription
from bot.domain.outbox import Owed, Priority
from bot.features.announcing.rules import wants, who_watches
from bot.game.models import Item
from storage.announcements import Announcements
from storage.database import Transaction
from storage.outbox import Outbox
from storage.subscriptions import Subscriptions, Watches

MESSAGE_KIND, POST_KIND, PUBLISH_KIND = "announcement", "announcement.post", "publish"
TEST_KIND = "announcement.test"
# Discord's numbers for a forum channel, where a message is a post with a title, and for an
# announcement channel, whose messages can be published.
FORUM = 15
NEWS = 5
# What one message tells; where a poll brings more than so many of them, one tells of all.
MOST_ITEMS = 10
_MOST_MESSAGES = 10


class Deliveries:
    """Owes events to the subscriptions and the members that want them, several together."""

    def __init__(
        self,
        subscriptions: Subscriptions,
        announcements: Announcements,
        watches: Watches,
        outbox: Outbox,
        clock: Callable[[], datetime],
    ) -> None:
        self._subscriptions = subscriptions
        self._announcements = announcements
        self._watches = watches
        self._outbox = outbox
        self._clock = clock

    async def owe(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """Owe the events of one poll, in the catalog's order, to all who want them."""
        if not events:
            return
        catalog_id = events[0].catalog_id
        told = [(event, Item.model_validate_json(event.item)) for event in events]
        wanted = [
            (one, [event for event, item in told if wants(one, event, item)])
            for one in await self._subscriptions.of_catalog(catalog_id, transaction)
            if one.paused_at is None
        ]
        await self._owe(transaction, wanted, wish=0)
        watches = await self._watches.of_catalog(transaction, catalog_id)
        # Nobody's answer waits while all of them are gone through.
        notices = await asyncio.to_thread(who_watches, watches, told)
        await self._watches.owe(transaction, notices, self._clock())

    async def owe_to(
        self,
        transaction: Transaction,
        subscription: Subscription,
        events: Sequence[Event],
        *,
        wish: int,
    ) -> None:
        """Owe one subscription what was refused before; `wish` names whose wish that is."""
        await self._owe(transaction, [(subscription, events)], wish=wish)

    async def _owe(
        self,
        transaction: Transaction,
        wanted: Iterable[tuple[Subscription, Sequence[Event]]],
        *,
        wish: int,
    ) -> None:
        """Write it all at once: ten thousand channels may hear of one item."""
        noted: list[tuple[int, Sequence[Event], str]] = []
        owed: list[Owed] = []
        for one, events in wanted:
            for part in _parts(events):
                key = f"announcement:{one.id}:{part[0].id}:{wish}"
                noted.append((one.id, part, key))
                owed.append(_owed(one, key, pings=part[0] is events[0]))
        await self._announcements.add(transaction, noted)
        await self._outbox.owe(transaction, *owed)


def _owed(one: Subscription, key: str, *, pings: bool) -> Owed:
    return Owed(
        POST_KIND if one.channel_kind == FORUM else MESSAGE_KIND,
        key,
        Priority.ANNOUNCEMENT,
        channel_id=one.channel_id,
        payload={
            "subscription": one.id,
            "is_published": one.channel_kind == NEWS,
            "pings": pings,
        },
    )


def _parts(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """Put ten into a message, or all into one where they are late or too many.

    A sale on everything, or a game that gives each item another id, floods no channel.
    """
    if any(event.is_late for event in events) or len(events) > MOST_ITEMS * _MOST_MESSAGES:
        yield events
        return
    for start in range(0, len(events), MOST_ITEMS):
        yield events[start : start + MOST_ITEMS]
