"""What members watch, and when they are told of it."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import asdict, replace

from bot.domain.announcing import Event, NewEvent, News, NewWatch, Watch
from storage import MIGRATIONS
from storage.announcements import CatalogSnapshots
from storage.database import Database, Transaction, open_database
from storage.messages import Messages, MessageState
from storage.subscriptions import Watches
from tests.support.clock import ManualClock

ADA, BEN = 1, 2
HOUR = timedelta(hours=1)
NOW = datetime(2026, 5, 1, tzinfo=UTC)
HAT = NewWatch(ADA, 3, "de", item_id=7, name="Straw Hat", named_in=40)
CHEAP = NewWatch(ADA, 3, "de", name="hat", type_id=1, type_name="Hat", max_cost=0)


@dataclass
class Shelf:
    database: Database
    watches: Watches
    outbox: Messages
    clock: ManualClock

    async def add(self, new: NewWatch, most: int = 5) -> Watch | None:
        return await self.watches.add(new, now=NOW, most=most)

    async def happen(self, *watches: Watch | None) -> None:
        """Let something be new about what is watched."""
        snapshots = CatalogSnapshots(self.database)
        catalog = await snapshots.find(3)
        assert catalog is not None

        async def owe(transaction: Transaction, events: Sequence[Event]) -> None:
            notices = [(watch, events[0]) for watch in watches if watch]
            await self.watches.owe(transaction, notices, self.clock())

        event = NewEvent(7, frozenset({News.CHEAPER}), "{}")
        await snapshots.record(catalog, [], [event], now=NOW, is_late=False, owe=owe)

    async def send(self) -> list[tuple[str, int]]:
        """Send what is owed, as the outbox would; gives each message, and how much it tells."""
        sent: list[tuple[str, int]] = []
        for row in await self.database.fetch("SELECT * FROM messages WHERE due_at IS NOT NULL"):
            key, member = row["key"], row["member_id"]
            if await self.watches.gather(key, member, self.clock() - HOUR) is not None:
                continue
            notices = await self.watches.told_in(key)
            entry = await self.outbox.find(key)
            assert entry is not None
            async with self.outbox.transaction() as transaction:
                state = MessageState.SENT if notices else MessageState.DROPPED
                await self.outbox.settle(transaction, entry, state)
            sent += [(key, len(notices))] if notices else []
        return sent


@pytest.fixture
async def shelf(address: str) -> AsyncGenerator[Shelf]:
    clock = ManualClock()
    async with open_database(address, MIGRATIONS) as opened:
        outbox = Messages(opened, clock)
        yield Shelf(opened, Watches(opened, outbox), outbox, clock)


async def test_a_watch_is_kept_once_as_it_was_made(shelf: Shelf) -> None:
    added = await shelf.add(HAT)

    assert added == Watch(**asdict(HAT), id=1, created_at=NOW)
    assert await shelf.add(HAT) == added
    search = await shelf.add(CHEAP)
    assert await shelf.watches.of_member(ADA) == [added, search]
    assert await shelf.watches.watchers(3, 5) == [ADA]


async def test_more_than_one_may_watch_are_not_kept(shelf: Shelf) -> None:
    assert await shelf.add(HAT, most=1)
    assert await shelf.add(CHEAP, most=1) is None
    assert await shelf.add(replace(CHEAP, member_id=BEN), most=1)
    assert len(await shelf.watches.of_member(ADA)) == 1


async def test_a_catalog_is_followed_while_somebody_watches(shelf: Shelf) -> None:
    snapshots = CatalogSnapshots(shelf.database)
    mine, other = await shelf.add(HAT), await shelf.add(replace(HAT, member_id=BEN))
    assert mine is not None
    assert other is not None

    assert await shelf.watches.remove(mine.id, BEN) is None
    assert await shelf.watches.remove(mine.id, ADA) == mine
    assert [each.catalog_id for each in await snapshots.followed()] == [3]
    await shelf.watches.remove(other.id, BEN)
    assert await snapshots.find(3) is None


async def test_what_comes_within_an_hour_is_told_together_after_it(shelf: Shelf) -> None:
    hat, cheap = await shelf.add(HAT), await shelf.add(CHEAP)
    await shelf.happen(hat)
    assert [count for _, count in await shelf.send()] == [1]

    await shelf.happen(hat)
    await shelf.happen(hat, cheap)
    shelf.clock.advance(HOUR - timedelta(seconds=1))
    assert await shelf.send() == []
    shelf.clock.advance(timedelta(seconds=2))
    assert [count for _, count in await shelf.send()] == [3]
    assert await shelf.database.fetch("SELECT 1 FROM messages WHERE due_at IS NOT NULL") == []


async def test_what_is_in_a_message_once_it_was_tried_stays_alone_in_it(shelf: Shelf) -> None:
    hat, cheap = await shelf.add(HAT), await shelf.add(CHEAP)
    await shelf.happen(hat)
    (row,) = await shelf.database.fetch("SELECT key FROM messages")
    await shelf.watches.gather(row["key"], ADA, NOW)
    await shelf.happen(cheap)

    assert await shelf.watches.gather(row["key"], ADA, NOW) is None
    assert [watch for watch, _ in await shelf.watches.told_in(row["key"])] == [hat]
    assert hat is not None
    await shelf.watches.remove(hat.id, ADA)
    assert await shelf.watches.told_in(row["key"]) == []


async def test_a_watch_that_ends_while_news_is_written_is_told_of_nothing(shelf: Shelf) -> None:
    ended, kept = await shelf.add(HAT), await shelf.add(replace(HAT, member_id=BEN))
    assert ended is not None
    await shelf.watches.remove(ended.id, ADA)

    await shelf.happen(ended, kept)

    assert [key for key, _ in await shelf.send()] == [f"watch:{BEN}:1"]
