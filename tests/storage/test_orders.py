"""Every guard in the SQL of orders, up to what an order has come to."""

from datetime import timedelta

import pytest
from msgspec.structs import asdict, replace

from bot.domain.orders import NewOrder, OrderKind, OrderState, Settlement
from storage.orders import Orders
from tests.storage.ordering import (
    DONE,
    LATER,
    LONG_AGO,
    NEW,
    NOT_SEEN,
    NOW,
    OTHERS,
    REFUSED,
    UNKNOWN,
    settle,
    standing,
    start,
    started,
)

# Another member's with the same account, as far as that is known.
SHARED = replace(NEW, confirmation=101, member_id=2)
# The member's own, after another link.
RELINKED = replace(NEW, confirmation=101, token_key="another")
REDEEMING = replace(NEW, kind=OrderKind.REDEEM)


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
    assert await start(orders, other)


@pytest.mark.parametrize("other", [SHARED, RELINKED])
@pytest.mark.parametrize("found", [None, DONE, UNKNOWN, NOT_SEEN])
async def test_what_a_member_or_an_account_has_or_may_have_bought_counts_whatever_is_linked(
    orders: Orders, other: NewOrder, found: Settlement | None
) -> None:
    order = await started(orders)
    if found is not None:
        order = await settle(orders, order, found)

    assert await start(orders, other) is None
    assert await standing(orders, other) == order
    bought = frozenset({NEW.item_id}) if found is DONE else frozenset[int]()
    assert await orders.bought(NEW.token_key, LONG_AGO) == bought


@pytest.mark.parametrize("found", [DONE, UNKNOWN, NOT_SEEN])
async def test_what_was_bought_or_may_be_counts_for_a_while(
    orders: Orders, found: Settlement
) -> None:
    order = await settle(orders, await started(orders), found)
    again = replace(NEW, confirmation=101)
    just_before = NOW - timedelta(microseconds=1)

    assert await standing(orders, again, since=just_before) == order
    assert await start(orders, again, since=just_before) is None
    assert await standing(orders, again, since=NOW) is None
    assert await start(orders, again, since=NOW)
    assert await orders.bought(NEW.token_key, NOW) == frozenset()


async def test_what_was_refused_stands_in_nobodys_way(orders: Orders) -> None:
    await settle(orders, await started(orders), REFUSED)
    again = replace(NEW, confirmation=101)

    assert await standing(orders, again) is None
    assert await start(orders, again)


@pytest.mark.parametrize("found", [DONE, UNKNOWN])
async def test_a_redemption_stands_in_the_way_of_the_cards_that_could_not_tell_of_it(
    orders: Orders, found: Settlement
) -> None:
    order = await settle(orders, await started(orders, REDEEMING), found)
    older, newer = [replace(REDEEMING, confirmation=NEW.press_id + by) for by in (-1, 1)]

    assert await standing(orders, older) == order
    assert await start(orders, older) is None
    assert await standing(orders, newer) is None
    assert await start(orders, newer)


async def test_a_redemption_is_no_purchase(orders: Orders) -> None:
    await settle(orders, await started(orders, REDEEMING), DONE)
    assert await orders.bought(NEW.token_key, LONG_AGO) == frozenset()

    assert await start(orders, replace(NEW, confirmation=101))


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
