"""Catalogs that are followed, subscriptions, and the ledger of what was announced."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import asdict, replace

from bot.features.following.comparing import subscription_key
from bot.visible import name_key
from storage import MIGRATIONS
from storage.database import Database, Transaction, open_database
from storage.deliveries import Deliveries
from storage.following import Followed, Following, SeenComment, SeenItem
from storage.messages import Messages, MessageState, NewMessage, Priority
from storage.names import PlaceKind
from storage.purging import Purge
from storage.storage_errors import NotUnique
from storage.subscriptions import PERSON, Event, NewEvent, News, Subscription, Subscriptions
from tests.support.announcing import catalog_in, thread_in

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
HAT = SeenItem(7, "Straw Hat", 10, 1, False, True, 10, NOW)
EVENT = NewEvent(subject_id=7, news=frozenset({News.NEW, News.CLEARANCE}), payload='{"old": 12}')
NEW = catalog_in(1, 20, 3, locale="de", created_by=4, role_ids=frozenset({5, 6}), max_cost=0)


@dataclass
class Ledger:
    database: Database
    following: Following
    outbox: Messages

    @property
    def subscribed(self) -> Subscriptions:
        return Subscriptions(self.database)

    @property
    def deliveries(self) -> Deliveries:
        return Deliveries(self.database)

    async def subscribe(self, channel_id: int = 20) -> Subscription:
        new = replace(NEW, channel_id=channel_id)
        added = await self.subscribed.add(new, subscription_key(new), now=NOW)
        assert added is not None
        return added

    async def catalog(self) -> Followed:
        found = await self.following.place(PlaceKind.CATALOG, 3)
        assert found is not None
        return found

    async def record(
        self, *events: NewEvent, owe_to: Sequence[Subscription] = (), changed: SeenItem = HAT
    ) -> list[Event]:
        written: list[Event] = []

        async def owe(transaction: Transaction, happened: Sequence[Event]) -> None:
            written.extend(happened)
            owed = [(one.id, happened, f"{one.id}:{happened[0].id}") for one in owe_to]
            await self.want(transaction, *(key for _, _, key in owed))
            await self.deliveries.tell(transaction, owed)

        assert await self.following.record(
            await self.catalog(),
            [changed],
            events,
            now=LATER,
            name_keys={changed.id: name_key(changed.name)},
            is_late=True,
            owe=owe,
        )
        return written

    async def want(self, transaction: Transaction, *keys: str) -> None:
        """Want the messages that tell of something."""
        messages = (NewMessage("post", key, Priority.ANNOUNCEMENT, channel_id=20) for key in keys)
        await self.outbox.want(transaction, *messages)

    async def settle(self, key: str, state: MessageState) -> None:
        message = await self.outbox.find(key)
        assert message is not None
        async with self.database.transaction() as transaction:
            await self.outbox.settle(transaction, message, state)


@pytest.fixture
async def ledger(address: str) -> AsyncGenerator[Ledger]:
    async with open_database(address, MIGRATIONS) as opened:
        yield Ledger(opened, Following(opened), Messages(opened, lambda: LATER))


async def test_a_subscription_is_kept_as_it_was_made(ledger: Ledger) -> None:
    added = await ledger.subscribe()

    assert added == Subscription(**asdict(NEW), id=added.id, created_at=NOW)
    assert await ledger.subscribed.find(added.id) == added
    assert await ledger.subscribed.of_guild(1) == [added]
    here = await ledger.subscribed.of_place(PlaceKind.CATALOG, 3)
    assert here == [added]


async def test_a_channel_has_one_subscription_for_each_catalog(ledger: Ledger) -> None:
    first = await ledger.subscribe(20)
    other = await ledger.subscribe(21)

    assert await ledger.subscribed.add(NEW, subscription_key(NEW), now=LATER) is None
    with pytest.raises(NotUnique):
        await ledger.subscribed.change(other.id, lambda _: subscription_key(first))


async def test_two_who_change_one_at_once_keep_what_the_other_changed(
    ledger: Ledger, address: str
) -> None:
    added = await ledger.subscribe()
    async with open_database(address, MIGRATIONS) as database:
        elsewhere = Subscriptions(database)
        for words in ("Hats!", "More hats!"):
            await asyncio.gather(
                ledger.subscribed.change(added.id, subscription_key, own_words=words),
                elsewhere.change(added.id, subscription_key, locale=words, channel_id=30),
            )

            changed = await ledger.subscribed.find(added.id)
            assert changed == replace(added, own_words=words, locale=words, channel_id=30)

    await ledger.subscribed.remove(added)
    assert await ledger.subscribed.change(added.id, subscription_key, own_words="") is None


async def test_a_catalog_is_followed_until_its_last_subscription_is_removed(ledger: Ledger) -> None:
    first, other = await ledger.subscribe(20), await ledger.subscribe(21)
    await ledger.record(EVENT)

    await ledger.subscribed.remove(first)
    assert set(await ledger.following.items(3)) == {7}
    await ledger.subscribed.remove(other)
    assert await ledger.following.due(PlaceKind.CATALOG, 1) == {}
    assert await ledger.following.items(3) == {}


async def test_who_compared_with_less_writes_nothing(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    old = await ledger.catalog()
    await ledger.record()

    async def owe(_: Transaction, __: Sequence[Event]) -> None:
        raise AssertionError("nothing is owed")

    assert not await ledger.following.record(old, [HAT], [EVENT], now=LATER, is_late=False, owe=owe)
    assert await ledger.deliveries.missed_events(replace(added, missed_after=0)) == []


async def test_a_stop_tells_from_where_on_nothing_was_announced(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    (event,) = await ledger.record(EVENT)
    subscribed = ledger.subscribed
    deliveries = ledger.deliveries

    assert await subscribed.stop(added.id, "50013", now=LATER)
    assert not await subscribed.stop(added.id, PERSON, now=LATER)
    stopped = replace(added, stopped_at=LATER, stopped_for="50013", missed_after=event.id)
    assert await subscribed.find(added.id) == stopped
    assert await deliveries.missed_events(stopped) == []
    async with ledger.database.transaction() as transaction:
        for missed in (event.id, event.id + 1):
            await subscribed.save_missed(transaction, added.id, missed)
    stopped = replace(stopped, missed_after=event.id - 1)
    assert await subscribed.find(added.id) == stopped
    assert await deliveries.missed_events(stopped) == [event]
    async with ledger.database.transaction() as transaction:
        assert await subscribed.resume(transaction, added.id)
        assert not await subscribed.resume(transaction, added.id)
    assert await subscribed.find(added.id) == added


async def test_what_was_posted_and_then_deleted_is_neither_missed_nor_told_again(
    ledger: Ledger,
) -> None:
    added = await ledger.subscribe()
    (event,) = await ledger.record(EVENT, owe_to=[added])
    key = f"{added.id}:{event.id}"
    await ledger.settle(key, MessageState.DROPPED)
    stopped = replace(added, stopped_at=LATER, missed_after=event.id - 1)
    assert await ledger.deliveries.missed_events(stopped) == [event]

    async with ledger.database.transaction() as transaction:
        await ledger.outbox.note_deleted(transaction, key)
        await ledger.deliveries.tell(transaction, [(added.id, [event], "another")])

    assert await ledger.deliveries.missed_events(stopped) == []
    assert await ledger.deliveries.events_of(key) == [event]


async def test_what_was_told_before_a_stop_is_never_missed_however_long_that_lasts(
    ledger: Ledger,
) -> None:
    added = await ledger.subscribe()
    (refused,) = await ledger.record(EVENT, owe_to=[added])
    (told,) = await ledger.record(EVENT, owe_to=[added])
    await ledger.settle(f"{added.id}:{refused.id}", MessageState.REFUSED)
    await ledger.settle(f"{added.id}:{told.id}", MessageState.SENT)
    await ledger.subscribed.stop(added.id, "50013", now=LATER)
    async with ledger.database.transaction() as transaction:
        await ledger.subscribed.save_missed(transaction, added.id, refused.id)
    purge = Purge(ledger.database)
    much_later = LATER + timedelta(days=400)

    await purge.purge(much_later)
    stopped = await ledger.subscribed.find(added.id)
    assert stopped is not None
    assert await ledger.deliveries.missed_events(stopped) == [refused]

    async with ledger.database.transaction() as transaction:
        await ledger.subscribed.resume(transaction, added.id)
    await purge.purge(much_later)
    for table in ("messages", "message_events", "events"):
        assert not await ledger.database.fetch(f"SELECT 1 FROM {table}")


async def test_the_ledger_tells_of_an_item_what_became_of_its_events(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    (first,) = await ledger.record(EVENT, owe_to=[added])
    (second,) = await ledger.record(EVENT, owe_to=[added])
    await ledger.settle(f"{added.id}:{first.id}", MessageState.SENT)

    history = ledger.deliveries.history
    catalog = PlaceKind.CATALOG
    assert await history(1, catalog, 10) == [second, first]
    assert await history(1, catalog, 1, number=added.id, subject_id=7) == [second]
    became = [(await ledger.deliveries.of_event(each))[added.id].state for each in (first, second)]
    assert became == [MessageState.SENT, MessageState.OWED]
    # In another server, for another subscription, of another item, or of a thread.
    assert await history(2, catalog, 10) == []
    assert await history(1, catalog, 10, number=added.id + 1) == []
    assert await history(1, catalog, 10, subject_id=8) == []
    assert await history(1, PlaceKind.THREAD, 10) == []


@pytest.mark.parametrize(("text", "item_id"), [("straw", None), ("w h", None), ("", 7)])
async def test_seen_items_are_found(ledger: Ledger, text: str, item_id: int | None) -> None:
    await ledger.subscribe()
    await ledger.record()

    def is_meant(number: int, key: str) -> bool:
        return number == item_id or text in key

    items_where = ledger.following.items_where
    assert await items_where(1, is_meant, 5) == [(3, HAT)]
    assert await items_where(1, is_meant, 0) == []
    assert await items_where(1, lambda _, key: "cap" in key, 5) == []
    assert await items_where(2, is_meant, 5) == []
    bonnet = replace(HAT, name="Bonnet")
    await ledger.record(changed=bonnet)
    assert await items_where(1, lambda _, key: "bonn" in key, 5) == [(3, bonnet)]


async def test_what_a_thread_has_missed_is_what_was_not_posted(ledger: Ledger) -> None:
    subscribed = ledger.subscribed
    deliveries = ledger.deliveries
    new = thread_in(1, 20, 0, 3)
    one = await subscribed.add(new, subscription_key(new), now=NOW)
    assert one is not None
    comments = [SeenComment(number, number, 1, "digest", LATER) for number in range(5, 9)]

    async def write(*some: SeenComment) -> None:
        thread = await ledger.following.place(PlaceKind.THREAD, 3)
        assert thread is not None
        assert await ledger.following.record(thread, some, now=LATER)

    await write(*comments[:2])
    await subscribed.stop(one.id, PERSON, now=LATER)
    await write(*comments[2:])
    async with ledger.database.transaction() as transaction:
        await ledger.want(transaction, *(f"follow:{one.id}:{number}" for number in (6, 7)))
        await subscribed.save_missed(transaction, one.id, 6)
    await ledger.settle(f"follow:{one.id}:6", MessageState.REFUSED)

    stopped = await subscribed.find(one.id)
    assert stopped is not None
    _, refused, owed, unheard = comments
    assert await deliveries.missed_comments(stopped) == [refused, unheard]
    last = [
        (comment, became and became.state)
        for comment, became in await deliveries.last_comments(stopped, 3)
    ]
    assert last == [(unheard, None), (owed, MessageState.OWED), (refused, MessageState.REFUSED)]
