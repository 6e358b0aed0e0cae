"""Every guard in the SQL of orders."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from storage import MIGRATIONS
from storage.database import open_database
from storage.orders import Orders
from tests.support.orders import STRAW_HAT

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=8)
NEW = replace(STRAW_HAT, confirmation=100, linked_at=NOW)
DONE = Settlement(OrderState.DONE, is_open=False)
REFUSED = Settlement(OrderState.REFUSED, is_open=False, reason="conflict")
# What is another order: another member's, another item's, of another kind.
OTHERS = [
    replace(NEW, confirmation=101, member_id=2),
    replace(NEW, confirmation=101, item_id=4),
    replace(NEW, confirmation=101, kind=OrderKind.REDEEM),
]


@pytest.fixture
async def orders(address: str) -> AsyncGenerator[Orders]:
    async with open_database(address, MIGRATIONS) as opened:
        yield Orders(opened)


async def start(orders: Orders, new: NewOrder = NEW, *, done_since: datetime = NOW) -> Order | None:
    return await orders.start(new, now=NOW, due_at=LATER, done_since=done_since)


async def started(orders: Orders, new: NewOrder = NEW) -> Order:
    order = await start(orders, new)
    assert order is not None
    return order


async def settle(
    orders: Orders, order: Order, found: Settlement, settled_at: datetime = NOW
) -> Order:
    return await orders.settle(order, found, settled_at=settled_at, due_at=LATER)


async def standing(
    orders: Orders, new: NewOrder, done_since: datetime | None = None
) -> Order | None:
    return await orders.find_standing(
        new.member_id, new.item_id, new.kind, new.confirmation, done_since=done_since
    )


async def test_an_order_comes_back_as_it_was_written(orders: Orders) -> None:
    order = await started(orders)

    assert {name: getattr(order, name) for name in vars(NEW)} == vars(NEW)
    assert (order.state, order.is_open, order.due_at) == (OrderState.STARTED, True, LATER)
    assert await orders.find(order.id) == order
    assert await orders.find(order.id + 1) is None


@pytest.mark.parametrize("other", OTHERS)
async def test_an_open_or_done_order_stands_in_the_way_of_no_other(
    orders: Orders, other: NewOrder
) -> None:
    order = await started(orders)
    assert await standing(orders, other, NOW) is None
    await settle(orders, order, DONE)

    assert await standing(orders, other, NOW) is None
    assert await orders.find_latest(other.member_id, other.item_id, other.kind) is None
    assert await start(orders, other)


async def test_an_open_order_stands_in_the_way_of_another_card(orders: Orders) -> None:
    order = await started(orders)
    again = replace(NEW, confirmation=101)

    assert await start(orders, again) is None
    assert await standing(orders, again) == order


async def test_a_card_is_confirmed_once_and_by_its_member(orders: Orders) -> None:
    order = await settle(orders, await started(orders), REFUSED)

    assert await start(orders) is None
    assert await standing(orders, NEW) == order
    assert await standing(orders, replace(NEW, item_id=4)) == order
    assert await standing(orders, replace(NEW, member_id=2)) is None


async def test_the_cards_own_order_stands_before_the_open_one(orders: Orders) -> None:
    own = await settle(orders, await started(orders), REFUSED)
    await started(orders, replace(NEW, confirmation=101))

    assert await standing(orders, NEW) == own


@pytest.mark.parametrize(
    ("found", "since", "stands"),
    [
        (DONE, NOW, True),
        (DONE, NOW + timedelta(microseconds=1), False),
        (REFUSED, NOW, False),
    ],
)
async def test_what_was_just_done_stands_in_the_way_for_a_while(
    orders: Orders, found: Settlement, since: datetime, stands: bool
) -> None:
    order = await settle(orders, await started(orders), found)
    again = replace(NEW, confirmation=101)

    assert await standing(orders, again) is None
    assert await standing(orders, again, since) == (order if stands else None)
    assert (await start(orders, again, done_since=since) is None) == stands


async def test_an_order_is_sent_once(orders: Orders) -> None:
    order = await started(orders)
    until = LATER + timedelta(seconds=8)
    sent = await orders.mark_sent(order, now=NOW, due_at=until)

    assert sent == replace(order, sent_at=NOW, due_at=until)
    assert await orders.mark_sent(order, now=NOW, due_at=until) is None


async def test_sending_an_order_leaves_the_others(orders: Orders) -> None:
    order, other = await started(orders), await started(orders, OTHERS[1])
    await orders.mark_sent(order, now=NOW, due_at=LATER)
    await settle(orders, order, REFUSED)
    await orders.mark_told(replace(order, state=OrderState.REFUSED), due_at=None)

    assert await orders.find(other.id) == other


async def test_an_order_that_was_settled_or_taken_over_is_not_sent(orders: Orders) -> None:
    order, other = await started(orders), await started(orders, OTHERS[1])
    assert await orders.take(other, now=LATER, until=LATER)
    await settle(orders, order, REFUSED)

    assert await orders.mark_sent(order, now=NOW, due_at=LATER) is None
    assert await orders.mark_sent(other, now=NOW, due_at=LATER) is None
    assert not await orders.renew(other, LATER)


async def test_what_is_done_stays_done(orders: Orders) -> None:
    order = await started(orders)
    done = await settle(orders, order, replace(DONE, cost=25))

    assert await settle(orders, order, REFUSED) == done
    assert (done.state, done.cost, done.settled_at) == (OrderState.DONE, 25, NOW)


async def test_what_was_refused_is_done_when_it_is_found_after_all(orders: Orders) -> None:
    order = await settle(orders, await started(orders), REFUSED)

    assert (await settle(orders, order, DONE)).state is OrderState.DONE


async def test_being_told_of_an_order_under_way_leaves_it_due(orders: Orders) -> None:
    order = await started(orders)
    await orders.mark_told(order, due_at=None)

    assert await orders.find(order.id) == order


async def test_being_told_what_holds_no_more_leaves_an_order_due(orders: Orders) -> None:
    refused = await settle(orders, await started(orders), REFUSED)
    done = await settle(orders, refused, DONE)
    await orders.mark_told(refused, due_at=None)
    assert await orders.find(done.id) == done
    await orders.mark_told(done, due_at=None)

    told = await orders.find(done.id)
    assert told == replace(done, told_state=OrderState.DONE, due_at=None)


async def test_orders_are_due_from_their_moment_on_the_longest_first(orders: Orders) -> None:
    order, other = await started(orders), await started(orders, OTHERS[1])
    assert await orders.renew(order, LATER + timedelta(seconds=1))

    assert await orders.due(LATER - timedelta(microseconds=1), 9) == []
    assert [due.id for due in await orders.due(LATER, 9)] == [other.id]
    both = await orders.due(LATER + timedelta(seconds=1), 9)
    assert [due.id for due in both] == [other.id, order.id]
    assert len(await orders.due(LATER + timedelta(seconds=1), 1)) == 1


async def test_a_members_history_is_theirs_newest_first(orders: Orders) -> None:
    first = await started(orders)
    second = await started(orders, OTHERS[1])
    await started(orders, replace(OTHERS[0], confirmation=102))

    assert [o.id for o in await orders.history(1, most=9, offset=0)] == [second.id, first.id]
    assert [o.id for o in await orders.history(1, most=1, offset=1)] == [first.id]
