"""The news of an order is owed in the step that calls it told, once for each of its states."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest

from bot.clock import utc_now
from bot.domain.orders import Order, OrderState, Settlement
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages, MessageState
from storage.orders import Orders
from tests.storage.test_orders import DONE, LATER, NEW, NOW, REFUSED


@dataclass
class Books:
    database: Database
    orders: Orders
    outbox: Messages

    async def order(self) -> Order:
        order = await self.orders.start(NEW, now=NOW, due_at=LATER, since=NOW)
        assert order is not None
        return order

    async def settled(self, order: Order, found: Settlement) -> Order:
        return await self.orders.settle(order, found, settled_at=NOW, due_at=LATER)

    async def news(self) -> list[tuple[str, str]]:
        rows = await self.database.fetch("SELECT payload, state FROM messages ORDER BY id")
        return [(row["payload"], row["state"]) for row in rows]


@pytest.fixture
async def books(address: str) -> AsyncGenerator[Books]:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Messages(database, utc_now)
        yield Books(database, Orders(database, outbox), outbox)


async def test_news_is_owed_once_and_counts_as_told(books: Books) -> None:
    order = await books.settled(await books.order(), DONE)

    await books.orders.mark_told(order, due_at=None, by_message=True)
    await books.orders.mark_told(order, due_at=None, by_message=True)

    assert len(await books.news()) == 1
    found = await books.orders.find(order.id)
    assert found is not None
    assert (found.told_state, found.due_at) == (OrderState.DONE, None)


async def test_what_an_order_came_to_later_is_owed_as_well(books: Books) -> None:
    refused = await books.settled(await books.order(), REFUSED)
    await books.orders.mark_told(refused, due_at=LATER, by_message=True)

    await books.orders.mark_told(await books.settled(refused, DONE), due_at=None, by_message=True)

    assert len(await books.news()) == 2


async def test_a_state_that_is_an_old_one_is_no_news(books: Books) -> None:
    refused = await books.settled(await books.order(), REFUSED)
    await books.settled(refused, DONE)

    await books.orders.mark_told(refused, due_at=None, by_message=True)

    assert await books.news() == []


async def test_who_was_told_in_answer_to_a_press_is_not_sent_the_same(books: Books) -> None:
    order = await books.settled(await books.order(), DONE)
    await books.orders.mark_told(order, due_at=None, by_message=True)

    await books.orders.mark_told(order, due_at=None)

    ((_, state),) = await books.news()
    assert state == MessageState.DROPPED
