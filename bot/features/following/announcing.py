"""What servers hear of catalogs and threads: how that is set up, and what became of it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from bot.features.errors import (
    AlreadyAnnounced,
    CatalogNotInGame,
    ItemNeverSeen,
    NotFollowed,
    ThreadNotInGame,
    TooManyAnnouncements,
    TooManyFollows,
    UnknownAnnouncement,
)
from bot.features.following.looks import Callers
from bot.features.following.owing import Owing, comment_key, item_of
from bot.features.following.poller import Poller
from bot.features.following.reading import read_catalog
from bot.features.following.rules import judge, wants
from bot.features.names import read_id
from bot.game.client import Caller, GameClient
from bot.game.errors import NotFound
from bot.game.models import Item
from storage.database import Transaction
from storage.errors import NotUnique
from storage.following import (
    Event,
    Followed,
    FollowedPlaces,
    Judgement,
    MessageEvents,
    News,
    NewSubscription,
    SeenItem,
    Subscription,
    Subscriptions,
    Told,
)
from storage.messages import Message, Messages, NewMessage, Priority
from storage.names import PlaceKind

TEST_KIND = "announcement.test"
# Of one server; each may be another catalog or thread to look at every few minutes.
_MOST_SUBSCRIPTIONS, _MOST_THREADS = 200, 100
_MOST_FOUND, _MOST_EVENTS = 50, 5


class Judged(Struct, frozen=True):
    """What a server's subscription made of an event; `told` is None where nothing was owed."""

    subscription: Subscription
    judgement: Judgement
    told: Told | None


class History(Struct, frozen=True):
    """An item of a catalog, and its last events with what became of them, the newest first."""

    catalog_id: int
    seen: SeenItem
    events: Sequence[tuple[Event, Sequence[Judged]]]


class Announcing(Struct, frozen=True):
    """What servers hear of catalogs, and where they read the comments of threads."""

    client: GameClient
    callers: Callers
    places: FollowedPlaces
    subscriptions: Subscriptions
    events: MessageEvents
    owing: Owing
    outbox: Messages
    poller: Poller
    clock: Callable[[], datetime]

    async def items(self, catalog_id: int, member_id: int, *, whole: bool) -> Sequence[Item]:
        """Return the items of the first page, or of the whole catalog, as far as it can be read.

        They are read as the bot would, with the member's token first where it has none of its own.
        Raises CatalogNotInGame, AccountError, GameError.
        """

        async def read(caller: Caller) -> Sequence[Item]:
            page = partial(self.client.look_at_items, caller, catalog_id)
            return (await read_catalog(page)).items if whole else (await page(1)).entries

        try:
            return (await self.callers.ask(catalog_id, read, member_id))[0]
        except NotFound as error:
            raise CatalogNotInGame(number=str(catalog_id)) from error

    async def add(self, new: NewSubscription) -> Subscription:
        """Keep a subscription. Raises AlreadyAnnounced, TooManyAnnouncements."""
        if len(await self.subscriptions.of_guild(new.guild_id)) >= _MOST_SUBSCRIPTIONS:
            raise TooManyAnnouncements(number=str(_MOST_SUBSCRIPTIONS))
        added = await self.subscriptions.add(new, now=self.clock())
        if added is None:
            raise AlreadyAnnounced
        self.poller.hurry()
        return added

    async def find(self, guild_id: int, text: str) -> Subscription:
        """Return a server's subscription by its number. Raises UnknownAnnouncement."""
        number = read_id(text)
        found = None if number is None else await self.subscriptions.find(number)
        if found is None or (found.guild_id, found.kind) != (guild_id, PlaceKind.CATALOG):
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

    async def resume(self, one: Subscription) -> Sequence[Event]:
        """Announce there again; return what was missed meanwhile."""
        missed = await self._missed(one, one.paused_after)
        await self.subscriptions.resume(one.id)
        return missed

    async def catch_up(self, one: Subscription, after: int, wish: int) -> int:
        """Owe what was missed after an event at a person's wish; return how much that is."""
        missed = await self._missed(one, after)
        async with self.outbox.transaction() as transaction:
            await self.owing.announce(transaction, [(one, missed)], wish=wish)
        return len(missed)

    async def _missed(self, one: Subscription, after: int | None) -> Sequence[Event]:
        """Return what a subscription wants of what happened after an event and was not told."""
        if after is None:
            return []
        found = await self.events.not_told(one, after)
        return [event for event in found if wants(one, event, item_of(event))]

    async def owe_test(self, one: Subscription, event: Event, wish: int) -> None:
        """Owe an announcement that is none, at a person's wish."""
        owed = NewMessage(
            TEST_KIND,
            f"test:{one.id}:{wish}",
            Priority.LIVE_POST,
            channel_id=one.channel_id,
            payload={"subscription": one.id, "item": event.item, "news": [*event.news]},
        )
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, owed)

    async def note_refusal(
        self, transaction: Transaction, message: Message, reason: str | None = None
    ) -> None:
        """Note what Discord refused for a reason, or what was dropped without one.

        A refusal pauses the subscription from this message on. One that was moved meanwhile, or
        goes on, is owed the same again where it is for now.
        """
        one = await self.subscriptions.find(message.payload["subscription"], transaction)
        if one is None:
            return
        is_paused = one.paused_at is not None
        if reason is not None:
            is_paused = one.channel_id == message.channel_id
            if is_paused:
                await self.owing.pause(transaction, one, reason)
        events = await self.events.events_of(message.key, transaction)
        if not is_paused:
            pings = bool(message.payload.get("pings", True))
            again = [(one, events)]
            await self.owing.announce(transaction, again, wish=message.id, pings=pings)
        elif events:
            await self.subscriptions.note_missed(transaction, one.id, events[0].id)

    async def status(self, guild_id: int) -> Sequence[tuple[Followed, datetime]]:
        """Return each catalog that a server follows, and when it is looked at next."""
        wanted = {each.game_id for each in await self.subscriptions.of_guild(guild_id)}
        now = self.clock()
        return [
            (each, max(now, self.poller.next_look(each)))
            for each in await self.poller.catalogs()
            if each.game_id in wanted
        ]

    async def why(self, guild_id: int, text: str) -> Sequence[History]:
        """Return what is on record of the item of a name or number. Raises ItemNeverSeen."""
        number = read_id(text)
        subscriptions = await self.subscriptions.of_guild(guild_id)
        found = await self._seen(subscriptions, text, _MOST_FOUND)
        if number is not None:
            found = [each for each in found if each[1].id == number]
        if not found:
            raise ItemNeverSeen(name=text)
        # The shortest name that holds what was typed is the nearest to it; of one name, the newest.
        _, nearest = min(
            found, key=lambda each: (len(each[1].name), -each[1].first_seen_at.timestamp())
        )
        return [
            History(catalog_id, seen, await self._judged(subscriptions, catalog_id, seen.id))
            for catalog_id, seen in found
            if seen.id == nearest.id
        ]

    async def suggest(self, guild_id: int, typed: str, most: int) -> Sequence[SeenItem]:
        """Return items that were seen in a server's catalogs and fit what is typed."""
        found = await self._seen(await self.subscriptions.of_guild(guild_id), typed, most)
        return list({seen.id: seen for _, seen in found}.values())

    async def _seen(
        self, subscriptions: Sequence[Subscription], text: str, most: int
    ) -> Sequence[tuple[int, SeenItem]]:
        """Return items by a part of a name or by number, each with its catalog's id."""
        found = [
            (catalog_id, seen)
            for catalog_id in {one.game_id for one in subscriptions}
            for seen in await self.places.named(catalog_id, text, read_id(text), most)
        ]
        return sorted(found, key=lambda each: (each[1].name, each[0]))[:most]

    async def _judged(
        self, subscriptions: Sequence[Subscription], catalog_id: int, item_id: int
    ) -> Sequence[tuple[Event, Sequence[Judged]]]:
        """Return the last events of an item, and what was made of each here."""
        judged: list[tuple[Event, Sequence[Judged]]] = []
        for event in await self.events.of_item(catalog_id, item_id, _MOST_EVENTS):
            item, became = item_of(event), await self.events.became(event)
            judged.append(
                (
                    event,
                    [
                        Judged(one, judge(one, event, item), became.get(one.id))
                        for one in subscriptions
                        if one.game_id == catalog_id
                    ],
                )
            )
        return judged

    async def follow(self, new: NewSubscription) -> None:
        """Follow a thread, or go on. Raises ThreadNotInGame, TooManyFollows, GameError."""
        known = await self.subscriptions.of_guild(new.guild_id, PlaceKind.THREAD)
        place = new.channel_id, new.game_id
        before = next((one for one in known if (one.channel_id, one.game_id) == place), None)
        if before is None and len(known) >= _MOST_THREADS:
            raise TooManyFollows(number=str(_MOST_THREADS))
        try:
            await self.client.list_comments(new.game_id)
        except NotFound as error:
            raise ThreadNotInGame(name=str(new.game_id)) from error
        await self.subscriptions.add(new, now=self.clock())
        if before is not None and before.paused_at is not None:
            # What was changed or deleted meanwhile still stands there as it was.
            seen = (await self.places.comments(new.game_id)).values()
            changed = [comment_key(before.id, each.id) for each in seen if each.is_changed]
            async with self.outbox.transaction() as transaction:
                await self.outbox.redraw(transaction, *changed)
        self.poller.hurry()

    async def unfollow(self, guild_id: int, thread_id: int, channel_id: int) -> Subscription:
        """Follow a thread in a channel no more. Raises NotFollowed."""
        for one in await self.subscriptions.of_guild(guild_id, PlaceKind.THREAD):
            if (one.game_id, one.channel_id) == (thread_id, channel_id):
                await self.subscriptions.remove(one)
                return one
        raise NotFollowed

    async def draw_anew(self, guild_id: int, comment_id: int) -> None:
        """Draw the messages of a comment anew that a server lets be seen after all."""
        followed = await self.subscriptions.of_guild(guild_id, PlaceKind.THREAD)
        async with self.outbox.transaction() as transaction:
            keys = [comment_key(one.id, comment_id) for one in followed]
            await self.outbox.redraw(transaction, *keys)


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
        catalog_id=one.game_id,
        item_id=shown.id,
        news=kinds,
        item=item,
        old_cost=shown.cost if News.CHEAPER in kinds else None,
        happened_at=happened_at,
    )
