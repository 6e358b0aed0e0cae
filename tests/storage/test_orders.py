"""Every guard in the SQL of orders."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.domain.links import Link
from bot.domain.orders import NewOrder, Order, OrderKind, OrderState, Settlement
from storage import MIGRATIONS
from storage.database import open_database
from storage.orders import Orders
from storage.outbox import Outbox
from tests.support.orders import STRAW_HAT

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=8)
NEW = replace(STRAW_HAT, confirmation=100, linked_at=NOW, player_id=7, token_key="key")
DONE = Settlement(OrderState.DONE, is_open=False)
REFUSED = Settlement(OrderState.REFUSED, is_open=False, reason="conflict")
UNKNOWN = Settlement(OrderState.UNKNOWN, is_open=False)
NOT_SEEN = Settlement(OrderState.REFUSED, is_open=False, reason="no answer")
# Another member's with the same account, as far as that is known.
SHARED = [
    replace(NEW, confirmation=101, member_id=2, player_id=None),
    replace(NEW, confirmation=101, member_id=2, token_key="another"),
]
# What is another order: another account's, another item's, of another kind.
OTHERS = [
    replace(NEW, confirmation=101, member_id=2, player_id=8, token_key="another"),
    replace(NEW, confirmation=101, item_id=4),
    replace(NEW, confirmation=101, kind=OrderKind.REDEEM),
]


@pytest.fixture
async def orders(address: str) -> AsyncGenerator[Orders]:
    async with open_database(address, MIGRATIONS) as opened:
        yield Orders(opened, Outbox(opened))


async def start(
    orders: Orders, new: NewOrder = NEW, *, doubted_since: datetime = NOW, despite: int = 0
) -> Order | None:
    return await orders.start(
        new, now=NOW, due_at=LATER, doubted_since=doubted_since, despite=despite
    )


async def started(orders: Orders, new: NewOrder = NEW) -> Order:
    order = await start(orders, new)
    assert order is not None
    return order


async def settle(
    orders: Orders, order: Order, found: Settlement, settled_at: datetime = NOW
) -> Order:
    return await orders.settle(order, found, settled_at=settled_at, due_at=LATER)


async def standing(
    orders: Orders, new: NewOrder, *, doubted_since: datetime = NOW, despite: int = 0
) -> Order | None:
    return await orders.find_standing(
        link_of(new),
        new.item_id,
        new.kind,
        confirmation=new.confirmation,
        doubted_since=doubted_since,
        despite=despite,
    )


def link_of(new: NewOrder) -> Link:
    return Link(
        member_id=new.member_id,
        token=SecretStr("a-token"),
        is_refused=False,
        linked_at=new.linked_at,
        player_id=new.player_id,
        player_name=None,
        token_key=new.token_key or "",
        sealed=b"",
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
    assert await standing(orders, other) is None
    await settle(orders, order, DONE)

    assert await standing(orders, other) is None
    assert not await orders.is_bought_otherwise(await started(orders, other))


@pytest.mark.parametrize("other", SHARED)
@pytest.mark.parametrize("found", [None, DONE, UNKNOWN])
async def test_an_account_has_one_order_for_an_item_whoever_confirms_it(
    orders: Orders, other: NewOrder, found: Settlement | None
) -> None:
    order = await started(orders)
    if found is not None:
        order = await settle(orders, order, found)

    assert await start(orders, other) is None
    assert await standing(orders, other) == order
    bought = frozenset({NEW.item_id}) if found is DONE else frozenset[int]()
    assert await orders.bought(link_of(other)) == bought


async def test_a_member_has_one_open_order_for_an_item_whatever_the_account(
    orders: Orders,
) -> None:
    order = await started(orders)
    relinked = replace(OTHERS[0], member_id=NEW.member_id, linked_at=LATER)

    assert await start(orders, relinked) is None
    assert await standing(orders, relinked) == order
    await settle(orders, order, UNKNOWN)
    assert await standing(orders, relinked) is None
    assert await start(orders, relinked)


async def test_orders_of_the_version_before_are_their_links(orders: Orders) -> None:
    old = replace(NEW, player_id=None, token_key=None)
    order = await settle(orders, await started(orders, old), DONE)
    stranger = replace(old, confirmation=101, member_id=2)

    assert await standing(orders, replace(NEW, confirmation=101)) == order
    assert await standing(orders, stranger) is None
    assert await orders.bought(link_of(stranger)) == frozenset()


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
    assert await standing(orders, replace(OTHERS[0], confirmation=100)) is None


async def test_the_cards_own_order_stands_before_the_open_one(orders: Orders) -> None:
    own = await settle(orders, await started(orders), REFUSED)
    await started(orders, replace(NEW, confirmation=101))

    assert await standing(orders, NEW) == own


@pytest.mark.parametrize(
    ("found", "since", "stands"),
    [
        (DONE, LATER, True),
        (UNKNOWN, LATER, True),
        (NOT_SEEN, NOW - timedelta(microseconds=1), True),
        (NOT_SEEN, NOW, False),
        (REFUSED, NOW - timedelta(days=1), False),
    ],
)
async def test_what_is_done_or_in_doubt_stands_in_the_way_until_it_is_insisted_on(
    orders: Orders, found: Settlement, since: datetime, stands: bool
) -> None:
    order = await started(orders)
    await orders.mark_sent(order, now=NOW, due_at=LATER)
    order = await settle(orders, order, found)
    again = replace(NEW, confirmation=101)

    assert await standing(orders, again, doubted_since=since) == (order if stands else None)
    assert await standing(orders, again, doubted_since=since, despite=order.id) is None
    if stands:
        assert await start(orders, again, doubted_since=since) is None
    assert await start(orders, again, doubted_since=since, despite=order.id)


async def test_what_is_done_stands_before_what_is_in_doubt(orders: Orders) -> None:
    done = await settle(orders, await started(orders), DONE)
    again = await start(orders, replace(NEW, confirmation=101), despite=done.id)
    assert again is not None
    assert await orders.is_bought_otherwise(again)
    assert not await orders.is_bought_otherwise(done)
    await settle(orders, again, UNKNOWN)

    assert await standing(orders, replace(NEW, confirmation=102)) == done


async def test_only_what_was_not_sent_nor_taken_over_is_withdrawn(orders: Orders) -> None:
    order, sent, taken = [
        await started(orders, replace(NEW, item_id=number, confirmation=number))
        for number in (1, 2, 3)
    ]
    await orders.mark_sent(sent, now=NOW, due_at=LATER)
    await orders.take(taken, now=LATER, until=LATER)
    for each in (order, sent, taken):
        await orders.withdraw(each)

    assert await orders.find(order.id) is None
    assert await orders.find(sent.id)
    assert await orders.find(taken.id)


@pytest.mark.parametrize(
    ("before", "was_seen", "state"),
    [
        (REFUSED, True, OrderState.REFUSED),
        (REFUSED, False, OrderState.DONE),
        (UNKNOWN, True, OrderState.DONE),
    ],
)
async def test_what_is_seen_is_owed_to_one_order(
    orders: Orders, before: Settlement, was_seen: bool, state: OrderState
) -> None:
    first = await settle(orders, await started(orders), before)
    second = await start(orders, replace(NEW, confirmation=101), despite=first.id)
    assert second is not None
    await settle(orders, second, DONE)

    found = await orders.settle(first, DONE, settled_at=NOW, due_at=LATER, was_seen=was_seen)

    assert found.state is state


async def test_that_nobody_looks_any_more_is_news(orders: Orders) -> None:
    order = await settle(orders, await started(orders), replace(UNKNOWN, is_open=True))
    await orders.mark_told(order, due_at=LATER)
    still_open = await settle(orders, order, replace(UNKNOWN, is_open=True))
    assert still_open.told_state is OrderState.UNKNOWN

    given_up = await settle(orders, order, UNKNOWN)
    await orders.mark_told(order, due_at=None)

    assert given_up.told_state is None
    assert await orders.find(order.id) == given_up


async def test_an_order_is_sent_once(orders: Orders) -> None:
    order = await started(orders)
    until = LATER + timedelta(seconds=8)
    read_again = replace(order, page=2, item_name="Straw hat, large", cost=31)
    sent = await orders.mark_sent(read_again, now=NOW, due_at=until)

    assert sent == replace(read_again, sent_at=NOW, due_at=until)
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


async def test_an_order_from_before_the_clock_was_set_back_is_due_and_sent_now(
    orders: Orders,
) -> None:
    order, other = await started(orders), await started(orders, OTHERS[1])
    await orders.mark_sent(order, now=NOW, due_at=LATER)
    await orders.mark_told(await settle(orders, other, REFUSED), due_at=None)
    settled = await orders.find(other.id)
    await orders.bring_back(NOW - timedelta(seconds=59))
    assert await orders.due(NOW, 9) == []

    earlier = NOW - timedelta(days=1)
    await orders.bring_back(earlier)

    (due,) = await orders.due(earlier, 9)
    assert (due.id, due.sent_at, due.created_at) == (order.id, earlier, earlier)
    assert await orders.find(other.id) == settled
