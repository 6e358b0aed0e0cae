"""Subscriptions of servers and members: set them up, and say what became of their news."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct

from bot.errors import KioskError, SeveralFit
from bot.features import errors
from bot.features.following.owing import Owing, comment_key, item_of
from bot.features.following.poller import CatalogPages, Poller, read_catalog
from bot.features.following.rules import subscription_key, wants
from bot.features.matching import called, spellings
from bot.features.names import read_id
from bot.features.reading.shop import Shop
from bot.game.errors import GameError, NotFound
from bot.game.models import Item
from bot.visible import name_key
from storage.database import Transaction
from storage.errors import NotUnique
from storage.following import Following
from storage.messages import Message, Messages, NewMessage, Priority, code_of
from storage.names import PlaceKind
from storage.subscriptions import (
    WATCH_KIND,
    Delivery,
    Event,
    News,
    NewSubscription,
    Notice,
    SeenItem,
    Subscription,
)

log = logging.getLogger(__name__)

TEST_KIND = "announcement.test"
# Of one server; each may be another catalog or thread to look at every few minutes.
_MOST_SUBSCRIPTIONS, _MOST_THREADS = 200, 100
_MOST_FOUND, _MOST_EVENTS = 50, 5
# As many as one list of Discord's takes.
MOST_WATCHES = 25
# At most one message goes to a member in this time; what comes meanwhile is told together.
BETWEEN_MESSAGES = timedelta(hours=1)


class History(Struct, frozen=True):
    """An item and its last events, newest first, each with what became of it by subscription."""

    catalog_id: int
    seen: SeenItem
    subscriptions: Sequence[Subscription]
    events: Sequence[tuple[Event, Mapping[int, Delivery]]]


def test_key(subscription_id: int, wish: int) -> str:
    return f"test:{subscription_id}:{wish}"


class Announcing(Struct, frozen=True):
    following: Following
    owing: Owing
    outbox: Messages
    poller: Poller
    shop: Shop
    clock: Callable[[], datetime]

    async def items(self, catalog_id: int, member_id: int, *, whole: bool) -> Sequence[Item]:
        """Return the items of the first page, or of the whole catalog, as far as it can be read.

        They are read with the operator's token, else with the member's own.
        Raises CatalogNotInGame, AccountError, GameError.
        """

        async def read(pages: CatalogPages) -> Sequence[Item]:
            if whole:
                return (await read_catalog(pages.page)).items
            return (await pages.page(1)).entries

        try:
            look = self.poller.read_as_someone(catalog_id, read, member_id)
            return (await look)[0]
        except NotFound as error:
            raise errors.CatalogNotInGame(number=str(catalog_id)) from error

    async def add(self, new: NewSubscription) -> Subscription:
        """Keep a subscription. Raises AlreadyAnnounced, TooManyAnnouncements."""
        announced = await self.following.of_guild(new.guild_id, PlaceKind.CATALOG)
        if len(announced) >= _MOST_SUBSCRIPTIONS:
            raise errors.TooManyAnnouncements(number=str(_MOST_SUBSCRIPTIONS))
        added = await self.following.add(new, subscription_key(new), now=self.clock())
        if added is None:
            raise errors.AlreadyAnnounced
        self.poller.hurry()
        return added

    async def find(self, guild_id: int, number: int) -> Subscription:
        """Return a server's subscription by its number. Raises UnknownAnnouncement."""
        found = await self.following.find(number)
        if found is None or found.guild_id != guild_id:
            raise errors.UnknownAnnouncement
        return found

    async def change(self, wish: Subscription) -> Subscription:
        """Keep a changed subscription. Raises AlreadyAnnounced, UnknownAnnouncement."""
        try:
            changed = await self.following.change(wish, subscription_key(wish))
        except NotUnique as error:
            raise errors.AlreadyAnnounced from error
        if changed is None:
            raise errors.UnknownAnnouncement
        return changed

    async def resume(self, one: Subscription) -> None:
        await self.following.resume(one.id)
        if one.kind is PlaceKind.THREAD:
            # What was changed or deleted meanwhile still stands there as it was.
            seen = (await self.following.comments(one.game_id)).values()
            changed = [comment_key(one.id, each.id) for each in seen if each.is_changed]
            async with self.outbox.transaction() as transaction:
                await self.outbox.redraw(transaction, *changed)
        self.poller.hurry()

    async def resume_channel(self, one: Subscription) -> None:
        """Resume what Discord refused for the same reason in the same channel."""
        place = one.channel_id, one.pause_reason
        for each in await self.following.of_guild(one.guild_id):
            if (each.channel_id, each.pause_reason) == place:
                await self.resume(each)

    async def missed(self, one: Subscription) -> Sequence[Event]:
        """Return what was missed while one was paused, and neither announced nor dismissed."""
        if one.paused_after is None:
            return []
        found = await self.following.not_told(one, one.paused_after)
        return [event for event in found if wants(one, event.news, item_of(event))]

    async def catch_up(self, one: Subscription, wish: int) -> int:
        """Owe what was missed at a person's wish; return how much that is."""
        missed = await self.missed(one)
        async with self.outbox.transaction() as transaction:
            await self.owing.announce(transaction, [(one, missed)], wish=wish)
        await self.following.dismiss(one.id)
        return len(missed)

    async def owe_test(self, one: Subscription, event: Event, member_id: int, wish: int) -> None:
        owed = NewMessage(
            TEST_KIND,
            test_key(one.id, wish),
            Priority.LIVE_POST,
            channel_id=one.channel_id,
            payload={
                "subscription": one.id,
                "wish": wish,
                "member": member_id,
                "item": event.item,
                "news": [*event.news],
            },
        )
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, owed)

    async def take_test_back(self, one: Subscription, wish: int) -> None:
        async with self.outbox.transaction() as transaction:
            await self.outbox.unwant(transaction, test_key(one.id, wish))

    async def save_refusal(
        self, transaction: Transaction, message: Message, reason: str | None
    ) -> None:
        """Note what Discord refused for a reason, or what was dropped without one.

        A refusal pauses the subscription from this message on. One that was moved or resumed
        meanwhile is owed the same again in its channel of now.
        """
        one = await self.following.find(message.payload["subscription"], transaction)
        if one is None:
            return
        is_paused = one.paused_at is not None
        if reason is not None:
            is_paused = one.channel_id == message.channel_id
            if is_paused:
                await self.owing.pause(transaction, one, code_of(reason))
        events = await self.following.events_of(message.key, transaction)
        if not is_paused:
            pings = bool(message.payload.get("pings", True))
            again = [(one, events)]
            await self.owing.announce(transaction, again, wish=message.id, pings=pings)
        elif events:
            await self.following.save_missed(transaction, one.id, events[0].id)

    async def why(self, guild_id: int, text: str) -> Sequence[History]:
        """Return what is on record of an item, by catalogs. Raises ItemNeverSeen, SeveralFit."""
        number = read_id(text)
        found: Sequence[tuple[int, SeenItem]] = ()
        for spelling in spellings(text):
            found = found or await self.following.items_named(
                guild_id, name_key(spelling), number, _MOST_FOUND
            )
        items = {seen.id: seen for _, seen in found if number in (None, seen.id)}
        fitting = called(text, items.values(), lambda seen: seen.name) or [*items.values()]
        if not fitting:
            raise errors.ItemNeverSeen(name=text)
        if len(fitting) > 1:
            known = list(dict.fromkeys(seen.name for seen in fitting))
            raise SeveralFit(name=text, known=known, candidates=fitting)
        (meant,) = fitting
        subscriptions = await self.following.of_guild(guild_id, PlaceKind.CATALOG)
        histories: list[History] = []
        for catalog_id, seen in found:
            if seen.id == meant.id:
                here = [one for one in subscriptions if one.game_id == catalog_id]
                events = await self.following.of_item(catalog_id, seen.id, _MOST_EVENTS)
                became = [(event, await self.following.deliveries(event)) for event in events]
                histories.append(History(catalog_id, seen, here, became))
        return histories

    async def suggest(self, guild_id: int, typed: str, most: int) -> Sequence[SeenItem]:
        found = await self.following.items_named(guild_id, name_key(typed), read_id(typed), most)
        return list({seen.id: seen for _, seen in found}.values())

    async def follow(self, new: NewSubscription) -> Subscription:
        """Follow a thread, or go on. Raises ThreadNotInGame, TooManyAnnouncements, GameError."""
        known = await self.following.of_guild(new.guild_id, PlaceKind.THREAD)
        place = new.channel_id, new.game_id
        before = next((one for one in known if (one.channel_id, one.game_id) == place), None)
        if before is None and len(known) >= _MOST_THREADS:
            raise errors.TooManyAnnouncements(number=str(_MOST_THREADS))
        try:
            await self.poller.client.list_comments(new.game_id)
        except NotFound as error:
            raise errors.ThreadNotInGame(name=str(new.game_id)) from error
        followed = await self.following.add(new, subscription_key(new), now=self.clock())
        if followed is None:
            raise errors.UnknownAnnouncement
        if before is not None and before.paused_at is not None:
            await self.resume(before)
        self.poller.hurry()
        return followed

    async def draw_anew(self, guild_id: int, comment_id: int) -> None:
        """Draw the messages of a comment anew that a server lets be seen after all."""
        followed = await self.following.of_guild(guild_id, PlaceKind.THREAD)
        async with self.outbox.transaction() as transaction:
            keys = [comment_key(one.id, comment_id) for one in followed]
            await self.outbox.redraw(transaction, *keys)

    async def watch(self, *new: NewSubscription) -> tuple[Sequence[Subscription], bool]:
        """Keep all or none; return them, and if any is new. Raises AccountError, TooManyWatches."""
        # With whose token else is it to be known what the member owns?
        await self.poller.accounts.require(new[0].created_by, to_look=True)
        known = set(map(subscription_key, await self.following.of_member(new[0].created_by)))
        wanted = {subscription_key(each): each for each in new}
        add = partial(self.following.add, now=self.clock(), most=MOST_WATCHES)
        has_room = len(known | wanted.keys()) <= MOST_WATCHES
        kept = [await add(each, key) for key, each in wanted.items()] if has_room else []
        watches = [each for each in kept if each is not None]
        if len(watches) < len(wanted):
            raise errors.TooManyWatches(number=str(MOST_WATCHES))
        self.poller.hurry()
        return watches, not wanted.keys() <= known

    async def end_watch(self, member_id: int, watch_id: int) -> Subscription:
        """End a member's watch. Raises UnknownWatch."""
        for watch in await self.following.of_member(member_id):
            if watch.id == watch_id and await self.following.remove(watch):
                return watch
        raise errors.UnknownWatch

    async def end_watches_of(self, member_id: int, item_id: int) -> bool:
        """End what a member watches of one item, in any catalog; return whether there was any."""
        watches = await self.following.of_member(member_id)
        ended = [await self.following.remove(each) for each in watches if each.item_id == item_id]
        return any(ended)

    async def to_tell(self, message: Message) -> tuple[Sequence[Notice], timedelta | None]:
        """Return what a message is to tell, as it is from now on, and how long that is to wait.

        What was tried stays as it is. What the member owns is left out, as far as the game says.
        """
        member_id = message.member_id or 0
        if message.attempted_at is None:
            if not await self.following.notices_of(message.key, member_id):
                return [], None
            told_at = await self.following.last_told(member_id, WATCH_KIND)
            pause = None if told_at is None else told_at + BETWEEN_MESSAGES - self.clock()
            if pause is not None and pause > timedelta():
                return [], pause
            await self.following.gather(message.key, member_id=member_id)
        notices = await self.following.notices_of(message.key, member_id)
        return await self._not_owned(member_id, notices), None

    async def _not_owned(self, member_id: int, notices: Sequence[Notice]) -> Sequence[Notice]:
        """Leave out what the member owns: each page is asked for once, and no game that fails."""
        wanted: list[Notice] = []
        asked: set[tuple[int, int]] = set()
        for number, (watch, event) in enumerate(notices):
            page = event.catalog_id, event.page
            is_first = page not in asked
            asked.add(page)
            try:
                found = await self.shop.item(member_id, event.ref, fresh=is_first)
            except errors.ItemGone:
                wanted.append((watch, event))
            except (GameError, KioskError) as error:
                log.info("whether item %s is owned can't be asked: %s", event.item_id, error)
                return [*wanted, *notices[number:]]
            else:
                if not found.item.has_purchased:
                    wanted.append((watch, event))
        return wanted


def sample(one: Subscription, items: Sequence[Item], now: datetime) -> Event | None:
    """Return news of an item that a subscription would hear of, else of any; None without one."""
    # By what the item is, not by what has happened to it.
    item = next((each for each in items if wants(one, one.news, each)), items[0] if items else None)
    if item is None:
        return None
    usual = News.CLEARANCE if item.is_clearance and News.CLEARANCE in one.news else None
    kind = usual or next(each for each in News if each in one.news)
    return sample_event(one, item.to_json(), [kind], now)


def sample_event(one: Subscription, item: str, news: Sequence[str], happened_at: datetime) -> Event:
    """Return news of an item, which is JSON, that have not happened."""
    kinds = frozenset(News(each) for each in news)
    shown = Item.from_json(item)
    return Event(
        id=0,
        catalog_id=one.game_id,
        item_id=shown.id,
        news=kinds,
        item=item,
        old_cost=shown.cost if News.CHEAPER in kinds else None,
        happened_at=happened_at,
    )
