"""Setting up announcements, and how their catalogs are polled."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct

from bot.domain.announcing import (
    MOST_SUBSCRIPTIONS,
    Event,
    FollowedCatalog,
    NewSubscription,
    Subscription,
)
from bot.features.announcing.deliveries import (
    PUBLISH_KIND,
    TEST_KIND,
    Deliveries,
    Histories,
    item_of,
)
from bot.features.announcing.polling import Callers, Poller
from bot.features.announcing.reading import read_catalog
from bot.features.announcing.rules import wants
from bot.features.errors import (
    AlreadyAnnounced,
    CatalogNotInGame,
    TooManyAnnouncements,
    UnknownAnnouncement,
)
from bot.features.names import read_id
from bot.features.polls import code_of, pause_notice
from bot.game.client import Caller, GameClient
from bot.game.errors import NotFound
from bot.game.models import Item
from storage.announcements import Announcements, CatalogSnapshots
from storage.database.interface import Transaction
from storage.errors import NotUnique
from storage.messages import Message, Messages, NewMessage, Priority
from storage.subscriptions import Subscriptions, Watches


class CatalogStatus(Struct, frozen=True):
    """How the polling of a catalog goes; `read_at` is exact in the process that polls."""

    catalog: FollowedCatalog
    read_at: datetime | None
    next_poll: datetime


class Announcing:
    """What servers hear of catalogs; `poller` looks at them in the background.

    `histories` tells what became of each event.
    """

    def __init__(
        self,
        client: GameClient,
        callers: Callers,
        snapshots: CatalogSnapshots,
        subscriptions: Subscriptions,
        announcements: Announcements,
        watches: Watches,
        outbox: Messages,
        *,
        clock: Callable[[], datetime],
        interval: float,
        on_items: Callable[[Sequence[Item]], None],
    ) -> None:
        self._client = client
        self._callers = callers
        self._snapshots = snapshots
        self.outbox = outbox
        self._deliveries = Deliveries(subscriptions, announcements, watches, outbox, clock)
        self.clock = clock
        self.subscriptions = subscriptions
        self.announcements = announcements
        self.histories = Histories(announcements, subscriptions)
        self.poller = Poller(
            client,
            callers,
            snapshots,
            self._deliveries,
            clock=clock,
            interval=interval,
            on_items=on_items,
        )

    async def items(self, catalog_id: int, member_id: int, *, whole: bool) -> Sequence[Item]:
        """Return the items of the first page, or of the whole catalog, as far as it can be read.

        They are read as the bot would, with the member's token first where it has none of its own.
        Raises CatalogNotInGame, AccountError, GameError.
        """

        async def read(caller: Caller) -> Sequence[Item]:
            page = partial(self._client.look_at_items, caller, catalog_id)
            return (await read_catalog(page)).items if whole else (await page(1)).entries

        try:
            return await self._callers.ask(catalog_id, read, first=member_id)
        except NotFound as error:
            raise CatalogNotInGame(number=str(catalog_id)) from error

    async def add(self, new: NewSubscription) -> Subscription:
        """Keep a subscription. Raises AlreadyAnnounced, TooManyAnnouncements."""
        if len(await self.subscriptions.of_guild(new.guild_id)) >= MOST_SUBSCRIPTIONS:
            raise TooManyAnnouncements(number=str(MOST_SUBSCRIPTIONS))
        added = await self.subscriptions.add(new, now=self.clock())
        if added is None:
            raise AlreadyAnnounced
        self.poller.hurry()
        return added

    async def find(self, guild_id: int, text: str) -> Subscription:
        """Return a server's subscription by its number. Raises UnknownAnnouncement."""
        number = read_id(text)
        found = None if number is None else await self.subscriptions.find(number)
        if found is None or found.guild_id != guild_id:
            raise UnknownAnnouncement(name=text)
        return found

    async def change(self, wish: Subscription) -> Subscription:
        """Keep a changed subscription. Raises AlreadyAnnounced, UnknownAnnouncement."""
        try:
            changed = await self.subscriptions.change(wish)
        except NotUnique as error:
            raise AlreadyAnnounced from error
        if changed is None:
            raise UnknownAnnouncement(name=str(wish.id))
        return changed

    async def resume(self, subscription: Subscription) -> Sequence[Event]:
        """Announce there again; return what was missed meanwhile."""
        missed = await self.missed(subscription, subscription.paused_after)
        await self.subscriptions.resume(subscription.id)
        return missed

    async def missed(self, subscription: Subscription, after: int | None) -> Sequence[Event]:
        """Return what a subscription wants of what happened after an event and was not told."""
        if after is None:
            return []
        return [
            event
            for event in await self.announcements.not_told(subscription, after)
            if wants(subscription, event, item_of(event))
        ]

    async def catch_up(self, subscription: Subscription, after: int, wish: int) -> int:
        """Owe what was missed after an event at a person's wish; return how much that is."""
        missed = await self.missed(subscription, after)
        async with self.outbox.transaction() as transaction:
            await self._deliveries.owe_each(transaction, [(subscription, missed)], wish=wish)
        return len(missed)

    async def owe_test(self, subscription: Subscription, event: Event, wish: int) -> None:
        """Owe an announcement that is none, at a person's wish."""
        owed = NewMessage(
            TEST_KIND,
            f"test:{subscription.id}:{wish}",
            Priority.LIVE_POST,
            channel_id=subscription.channel_id,
            payload={"subscription": subscription.id, "item": event.item, "news": [*event.news]},
        )
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, owed)

    async def note_refusal(
        self, transaction: Transaction, entry: Message, reason: str | None = None
    ) -> None:
        """Note what Discord refused for a reason, or what was dropped without one.

        A refusal pauses the subscription from this delivery on, and its server is told, once. One
        that was moved meanwhile, or goes on, is owed the same again where it is for now.
        """
        one = await self.subscriptions.find(entry.payload["subscription"], transaction)
        if one is None:
            return
        is_paused = one.paused_at is not None
        if reason is not None:
            is_paused = one.channel_id == entry.channel_id
            code, now = code_of(reason), self.clock()
            if is_paused and await self.subscriptions.pause(
                one.id, now=now, reason=code, transaction=transaction
            ):
                await self.outbox.want(transaction, pause_notice(one, one.id, code, now))
        events = await self.announcements.events_of(entry.key, transaction)
        if not is_paused:
            pings = bool(entry.payload.get("pings", True))
            again = [(one, events)]
            await self._deliveries.owe_each(transaction, again, wish=entry.id, pings=pings)
        elif events:
            await self.subscriptions.note_missed(transaction, one.id, events[0].id)

    async def publish(self, transaction: Transaction, entry: Message, message_id: int) -> None:
        """Owe it to an announcement channel's followers, apart from the message itself."""
        owed = NewMessage(
            PUBLISH_KIND,
            f"publish:{entry.key}",
            Priority.ANNOUNCEMENT,
            channel_id=entry.channel_id,
            payload={"message": message_id},
        )
        await self.outbox.want(transaction, owed)

    async def status(self, guild_id: int) -> Sequence[CatalogStatus]:
        """Return how the polling of each catalog goes that a server follows."""
        wanted = {each.catalog_id for each in await self.subscriptions.of_guild(guild_id)}
        found = [await self._snapshots.find(each) for each in sorted(wanted)]
        return [self._status_of(catalog) for catalog in found if catalog]

    async def followed(self) -> Sequence[CatalogStatus]:
        """Return how the polling of each catalog goes that anybody follows."""
        return [self._status_of(catalog) for catalog in await self._snapshots.followed()]

    def _status_of(self, catalog: FollowedCatalog) -> CatalogStatus:
        read_at = self.poller.last_read(catalog)
        now = next_poll = self.clock()
        if catalog.failures:
            look = catalog.failed_at or now
            next_poll = self.poller.next_after(look, catalog.catalog_id, catalog.failures)
        elif catalog.version:
            next_poll = self.poller.next_after(now, catalog.catalog_id)
        return CatalogStatus(catalog, read_at, next_poll)
