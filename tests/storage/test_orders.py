"""Every guard in the SQL of orders, up to what an order has come to."""

import asyncio
from datetime import datetime, timedelta

import pytest
from msgspec.structs import asdict, replace

from bot.domain.orders import NewOrder, Order, OrderState, Settlement
from storage.orders import Orders
from tests.storage.ordering import (
    DONE,
    LATER,
    NEW,
    NOT_SEEN,
    NOW,
    OTHERS,
    REFUSED,
    UNKNOWN,
    link_of,
    settle,
    standing,
    start,
    started,
)

# Another member's with the same account, as far as that is known.
SHARED = [
    replace(NEW, confirmation=101, member_id=2, player_id=None),
    replace(NEW, confirmation=101, member_id=2, token_key="another"),
]


async def test_an_order_comes_back_as_it_was_written(orders: Orders) -> None:
    order = await started(orders)

    assert {name: getattr(order, name) for name in asdict(NEW)} == asdict(NEW)
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


async def test_a_redemption_is_no_purchase_and_another_link_no_owner(orders: Orders) -> None:
    await settle(orders, await started(orders, OTHERS[2]), DONE)
    assert await orders.bought(link_of(NEW)) == frozenset()

    await settle(orders, await started(orders), DONE)
    relinked = replace(OTHERS[0], member_id=NEW.member_id, linked_at=LATER, confirmation=102)
    assert await orders.bought(link_of(NEW)) == {NEW.item_id}
    assert await orders.bought(link_of(relinked)) == frozenset()
    assert not await orders.is_bought_otherwise(await started(orders, relinked))


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
    despite = order.id if stands else 0
    assert await start(orders, again, doubted_since=since, despite=despite)


async def test_what_is_done_is_insisted_on_only_where_it_has_been_for_long(
    orders: Orders,
) -> None:
    done = await settle(orders, await started(orders), DONE)
    again, before = replace(NEW, confirmation=101), NOW - timedelta(microseconds=1)

    assert await standing(orders, again, disputed_since=before, despite=done.id) == done
    assert await start(orders, again, disputed_since=before, despite=done.id) is None
    assert await start(orders, again, disputed_since=NOW, despite=done.id)


async def test_what_is_done_stands_before_what_is_in_doubt(orders: Orders) -> None:
    done = await settle(orders, await started(orders), DONE)
    again = await start(orders, replace(NEW, confirmation=101), despite=done.id)
    assert again is not None
    assert await orders.is_bought_otherwise(again)
    assert not await orders.is_bought_otherwise(done)
    await settle(orders, again, UNKNOWN)

    assert await standing(orders, replace(NEW, confirmation=102)) == done


async def test_only_what_was_not_sent_nor_taken_over_is_withdrawn(orders: Orders) -> None:
    order, sent, taken, refused = [
        await started(orders, replace(NEW, item_id=number, confirmation=number))
        for number in (1, 2, 3, 4)
    ]
    await orders.mark_sent(sent, now=NOW, due_at=LATER)
    await orders.take(taken, now=LATER, until=LATER)
    await settle(orders, refused, REFUSED)
    for each in (order, sent, taken, refused):
        await orders.withdraw(each)

    assert await orders.find(order.id) is None
    assert await orders.find(sent.id)
    assert await orders.find(taken.id)
    assert await orders.find(refused.id)


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


async def test_open_orders_come_first_then_the_newest(orders: Orders) -> None:
    still_open = await started(orders, replace(NEW, icon_url="https://assets.example/3.png"))
    for item_id in (4, 5):
        done = await started(orders, replace(NEW, confirmation=100 + item_id, item_id=item_id))
        await settle(orders, done, DONE)

    listed = await orders.history(NEW.member_id, most=5, offset=0)

    assert [order.item_id for order in listed] == [still_open.item_id, 5, 4]
    assert listed[0].icon_url == "https://assets.example/3.png"


@pytest.mark.parametrize(
    ("other", "found", "is_theirs"),
    [
        *((other, DONE, False) for other in SHARED),
        *((other, DONE, True) for other in OTHERS),
        *((other, REFUSED, True) for other in SHARED),
        (replace(OTHERS[0], member_id=NEW.member_id, linked_at=LATER), DONE, True),
    ],
)
async def test_what_is_owned_after_a_refusal_is_owed_to_one_order_of_an_account(
    orders: Orders, other: NewOrder, found: Settlement, is_theirs: bool
) -> None:
    refused = await settle(orders, await started(orders), REFUSED)
    await settle(orders, await started(orders, other), found)

    seen = await orders.settle(refused, DONE, settled_at=NOW, due_at=LATER, was_seen=True)

    assert (seen.state is OrderState.DONE) is is_theirs


async def test_of_two_refused_orders_that_are_seen_at_once_one_was_bought_after_all(
    orders: Orders,
) -> None:
    refused: list[Order] = []
    for item_id in range(10):
        for new in (NEW, SHARED[0]):
            confirmation = 10 * item_id + new.confirmation
            order = await started(orders, replace(new, item_id=item_id, confirmation=confirmation))
            refused.append(await settle(orders, order, REFUSED))

    seen = await asyncio.gather(
        *(orders.settle(one, DONE, settled_at=NOW, due_at=LATER, was_seen=True) for one in refused)
    )

    done = [one.item_id for one in seen if one.state is OrderState.DONE]
    assert sorted(done) == list(range(10))
