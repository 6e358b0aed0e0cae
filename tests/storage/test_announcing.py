"""Catalogs that are followed, subscriptions, and the ledger of what was announced."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import asdict, replace

from storage import MIGRATIONS
from storage.database import Database, Transaction, open_database
from storage.errors import NotUnique
from storage.following import (
    Event,
    Followed,
    Following,
    NewEvent,
    News,
    Subscription,
)
from storage.messages import Messages, MessageState, NewMessage, Priority
from storage.names import PlaceKind
from storage.seen import SeenItem
from tests.support.announcing import catalog_in

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
HAT = SeenItem(7, "Straw Hat", 10, 1, False, True, 10, NOW)
EVENT = NewEvent(7, frozenset({News.NEW, News.CLEARANCE}), '{"id": 7}', old_cost=12)
NEW = catalog_in(1, 20, 3, locale="de", created_by=4, role_id=5, max_cost=0)


@dataclass
class Ledger:
    database: Database
    following: Following
    outbox: Messages

    async def subscribe(self, channel_id: int = 20) -> Subscription:
        added = await self.following.add(replace(NEW, channel_id=channel_id), now=NOW)
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
            await self.following.tell(transaction, owed)

        assert await self.following.record(
            await self.catalog(), [changed], events, now=LATER, is_late=True, owe=owe
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
    assert await ledger.following.find(added.id) == added
    assert await ledger.following.of_guild(1) == [added]
    here = await ledger.following.of_place(PlaceKind.CATALOG, 3)
    assert here == [added]


async def test_a_channel_has_one_subscription_for_each_catalog(ledger: Ledger) -> None:
    first = await ledger.subscribe(20)
    other = await ledger.subscribe(21)

    assert await ledger.following.add(NEW, now=LATER) is None
    with pytest.raises(NotUnique):
        await ledger.following.change(replace(other, channel_id=first.channel_id))


async def test_a_changed_subscription_is_the_same_one(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    wish = replace(added, news=frozenset(News), role_id=None, type_id=1, type_name="Hat")

    assert await ledger.following.change(wish) == wish
    await ledger.following.remove(added)
    assert await ledger.following.change(wish) is None


async def test_a_catalog_is_followed_until_its_last_subscription_is_removed(ledger: Ledger) -> None:
    first, other = await ledger.subscribe(20), await ledger.subscribe(21)
    await ledger.record(EVENT)

    await ledger.following.remove(first)
    assert set(await ledger.following.items(3)) == {7}
    await ledger.following.remove(other)
    assert await ledger.following.all() == []
    assert await ledger.following.items(3) == {}


async def test_items_are_kept_as_they_were_seen(ledger: Ledger) -> None:
    await ledger.subscribe()
    await ledger.record()
    changed = SeenItem(7, "Hat", 12, None, True, False, 11, NOW, LATER, LATER, LATER)
    await ledger.record(changed=changed)

    assert await ledger.following.items(3) == {7: changed}


async def test_events_are_kept_in_order_with_what_is_owed(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    other = replace(EVENT, item_id=8)

    first, second = await ledger.record(EVENT, other, owe_to=[added])

    assert first.id < second.id
    assert first == Event(
        **asdict(EVENT), id=first.id, catalog_id=3, happened_at=LATER, is_late=True
    )
    assert await ledger.following.events_of(f"{added.id}:{first.id}") == [first, second]


async def test_who_compared_with_less_writes_nothing(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    old = await ledger.catalog()
    await ledger.record()

    async def owe(_: Transaction, __: Sequence[Event]) -> None:
        raise AssertionError("nothing is owed")

    assert not await ledger.following.record(old, [HAT], [EVENT], now=LATER, is_late=False, owe=owe)
    assert await ledger.following.not_told(added, 0) == []


async def test_what_can_not_be_owed_did_not_happen(ledger: Ledger) -> None:
    await ledger.subscribe()

    async def fail(_: Transaction, __: Sequence[Event]) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await ledger.following.record(
            await ledger.catalog(), [HAT], [EVENT], now=LATER, is_late=False, owe=fail
        )

    assert await ledger.following.items(3) == {}
    assert (await ledger.catalog()).version == 0


async def test_failures_are_counted_from_the_first_until_a_success(ledger: Ledger) -> None:
    await ledger.subscribe()
    one = await ledger.catalog()
    await ledger.following.save_look(one, "Timeout", None, NOW)
    await ledger.following.save_look(one, "ServerFault", None, LATER)

    failing = await ledger.catalog()
    assert (failing.failing_since, failing.failures, failing.failure) == (NOW, 2, "ServerFault")
    await ledger.following.save_look(one, None, None, LATER)
    well = await ledger.catalog()
    assert (well.read_at, well.failing_since, well.failures, well.failure) == (LATER, None, 0, None)


async def test_a_pause_tells_from_where_on_nothing_was_announced(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    (event,) = await ledger.record(EVENT)

    assert await ledger.following.pause(added.id, now=LATER, reason=50013)
    assert not await ledger.following.pause(added.id, now=LATER)
    paused = await ledger.following.find(added.id)
    assert paused == replace(added, paused_at=LATER, pause_reason=50013, paused_after=event.id)
    async with ledger.database.transaction() as transaction:
        for missed in (event.id, event.id + 1):
            await ledger.following.save_missed(transaction, added.id, missed)
    paused = await ledger.following.find(added.id)
    assert paused is not None
    assert paused.paused_after == event.id - 1
    await ledger.following.resume(added.id)
    assert await ledger.following.find(added.id) == added


async def test_what_was_refused_can_be_owed_again_and_what_was_told_can_not(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    (refused,) = await ledger.record(EVENT, owe_to=[added])
    (told,) = await ledger.record(replace(EVENT, item_id=8), owe_to=[added])
    await ledger.settle(f"{added.id}:{refused.id}", MessageState.REFUSED)
    await ledger.settle(f"{added.id}:{told.id}", MessageState.SENT)
    (missed,) = await ledger.record(replace(EVENT, item_id=9))
    (dropped,) = await ledger.record(replace(EVENT, item_id=10), owe_to=[added])
    await ledger.settle(f"{added.id}:{dropped.id}", MessageState.DROPPED)
    settled = (await ledger.following.deliveries(dropped))[added.id]
    assert (settled.state, settled.settled_at) == (MessageState.DROPPED, LATER)

    assert await ledger.following.not_told(added, 0) == [refused, missed, dropped]
    assert await ledger.following.not_told(added, refused.id) == [missed, dropped]
    async with ledger.database.transaction() as transaction:
        await ledger.want(transaction, "again")
        await ledger.following.tell(transaction, [(added.id, [refused, told], "again")])
    assert await ledger.following.events_of("again") == [refused]
    owed = (await ledger.following.deliveries(refused))[added.id]
    assert (owed.state, owed.settled_at) == (MessageState.OWED, None)


async def test_a_message_takes_along_what_waits_in_others_and_was_not_tried(ledger: Ledger) -> None:
    added, other = await ledger.subscribe(20), await ledger.subscribe(21)
    outbox = ledger.outbox
    waiting, tried, settled = [
        (await ledger.record(replace(EVENT, item_id=number), owe_to=[added, other]))[0]
        for number in (1, 2, 3)
    ]
    keys = [f"{added.id}:{event.id}" for event in (waiting, tried, settled)]
    async with outbox.transaction() as transaction:
        await ledger.want(transaction, "all")
        await outbox.take_back(transaction, keys[2], MessageState.DROPPED)
    entry = await outbox.find(keys[1])
    assert entry is not None
    async with outbox.transaction() as transaction:
        await outbox.claim(transaction, entry, now=LATER)

    await ledger.following.gather("all", subscription_id=added.id)
    assert await ledger.following.events_of("all") == [waiting]


async def test_the_ledger_tells_of_an_item_what_became_of_its_events(ledger: Ledger) -> None:
    added = await ledger.subscribe()
    (first,) = await ledger.record(EVENT, owe_to=[added])
    (second,) = await ledger.record(EVENT, owe_to=[added])
    await ledger.settle(f"{added.id}:{first.id}", MessageState.SENT)

    assert await ledger.following.of_item(3, 7, 10) == [second, first]
    became = [(await ledger.following.deliveries(each))[added.id].state for each in (first, second)]
    assert became == [MessageState.SENT, MessageState.OWED]
    # In another catalog, it is another item.
    assert await ledger.following.of_item(2, 7, 10) == []


@pytest.mark.parametrize(("text", "item_id"), [("straw", None), ("HAT", None), ("", 7)])
async def test_seen_items_are_found(ledger: Ledger, text: str, item_id: int | None) -> None:
    await ledger.subscribe()
    await ledger.record()

    assert await ledger.following.items_named(1, text, item_id, 5) == [(3, HAT)]
    assert await ledger.following.items_named(1, text, item_id, 0) == []
    assert await ledger.following.items_named(1, "cap", None, 5) == []
    assert await ledger.following.items_named(2, text, item_id, 5) == []
    await ledger.record(changed=replace(HAT, name="Bonnet"))
    assert [item.name for _, item in await ledger.following.items_named(1, "bonn", None, 5)] == [
        "Bonnet"
    ]
