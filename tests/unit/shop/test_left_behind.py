"""Orders of a process that was killed: what the next one finds out about them."""

import asyncio
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.domain.orders import NewOrder, Order, OrderKind, OrderState
from bot.errors import LinkExpired
from bot.features.orders.rules import Reason
from bot.features.orders.timings import Timings
from storage.errors import StatementFailed
from storage.names import ItemRef
from tests.support.databases import address_at, locked, run_beside
from tests.support.rogue_shop import RogueShop, lose_the_request
from tests.support.till import MEMBER, Till, open_till

# Nothing left to wait for: a lease, a late arrival.
LONG = 100.0


async def leave_behind(
    till: Till, item_id: int, kind: OrderKind = OrderKind.PURCHASE, *, sent: bool
) -> Order:
    """Write an order as a process does that is killed then."""
    link = await till.accounts.require(MEMBER)
    new = NewOrder(
        member_id=MEMBER,
        kind=kind,
        item_id=item_id,
        catalog_id=1,
        page=1,
        item_name=f"Hat number {item_id}",
        cost=10 * item_id,
        currency_name="Acorns",
        currency_singular="Acorn",
        confirmation=99,
        locale="en-US",
        press_id=1,
        token_key=link.token_key,
    )
    now = till.clock()
    due_at = now + timedelta(seconds=8)
    order = await till.orders.start(new, now=now, due_at=due_at, since=now)
    assert order is not None
    if sent:
        assert await till.orders.mark_sent(order, now=now, due_at=due_at)
    return order


async def test_an_order_that_was_never_sent_is_refused_without_asking(
    shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=False)
    till.clock.advance(LONG)

    (told,) = await till.settle()

    assert told.state is OrderState.REFUSED
    assert told.reason == Reason.NOT_SENT
    assert not shop.orders
    assert not shop.pages_asked


async def test_an_interrupted_purchase_that_arrived_is_told_as_soon_as_its_lease_is_over(
    shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=True)
    shop.owned.add(3)
    assert await till.settle() == []
    till.clock.advance(9)

    (told,) = await till.settle()

    assert told.state is OrderState.DONE
    assert await till.settle() == []


async def test_an_interrupted_purchase_that_never_arrived_is_told_once_that_is_certain(
    till: Till,
) -> None:
    await leave_behind(till, 3, sent=True)
    till.clock.advance(9)
    (unknown,) = await till.settle()
    till.clock.advance(LONG)
    (told,) = await till.settle()

    assert (unknown.state, told.state) == (OrderState.UNKNOWN, OrderState.REFUSED)


async def test_an_interrupted_redemption_is_told_as_unknown_once(till: Till) -> None:
    await leave_behind(till, 3, OrderKind.REDEEM, sent=True)
    till.clock.advance(LONG)

    (told,) = await till.settle()

    assert told.state is OrderState.UNKNOWN
    assert not told.is_open
    till.clock.advance(LONG)
    assert await till.settle() == []


async def test_what_a_process_was_cut_off_from_settling_is_settled_at_once_by_the_next(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=True)
    shop.owned.add(3)
    till.clock.advance(LONG)
    shop.gate = asyncio.Event()
    settling = asyncio.create_task(till.settle())
    await shop.arrived.wait()

    async with locked(address_at(tmp_path / "kiosk.db")):
        # Who ends what is slow to end tells it again and again.
        for _ in range(100):
            settling.cancel()
            await asyncio.sleep(0)
    await asyncio.wait([settling])
    shop.gate.set()

    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        (told,) = await other.settle()
    assert told.state is OrderState.DONE


async def test_what_a_database_in_trouble_kept_from_being_settled_is_settled_by_the_next_look(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=True)
    shop.owned.add(3)
    till.clock.advance(LONG)
    address = address_at(tmp_path / "kiosk.db")
    run_beside(address, "ALTER TABLE links RENAME TO away")
    with pytest.raises(StatementFailed):
        await till.settle()
    run_beside(address, "ALTER TABLE away RENAME TO links")

    (told,) = await till.settle()
    assert told.state is OrderState.DONE


async def test_of_two_processes_one_settles_an_order_that_was_left_behind(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=True)
    shop.owned.add(3)
    till.clock.advance(LONG)
    shop.gate = asyncio.Event()
    settling = asyncio.create_task(till.settle())
    await shop.arrived.wait()
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        assert await other.orders.due(till.clock(), 10) == []
    shop.gate.set()

    assert len(await settling) == 1


async def test_an_order_that_was_taken_over_is_not_sent_any_more(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    order = await leave_behind(till, 3, sent=False)
    async with open_till(tmp_path, shop.base_url, name="two") as other:
        now = order.created_at + timedelta(seconds=8)
        assert await other.orders.take(order, now=now, until=now)

    assert not await till.orders.mark_sent(order, now=till.clock(), due_at=till.clock())


async def test_an_order_is_looked_up_until_the_game_can_be_read_again(
    shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=True)
    shop.is_down = True
    till.clock.advance(LONG)
    (unknown,) = await till.settle()
    assert unknown.state is OrderState.UNKNOWN
    shop.is_down = False
    shop.owned.add(3)
    till.clock.advance(10 * LONG)

    (told,) = await till.settle()

    assert told.state is OrderState.DONE


@pytest.mark.parametrize(
    ("relink", "after"), [(True, timedelta(minutes=1)), (False, timedelta(minutes=15))]
)
async def test_after_another_account_was_linked_or_none_for_long_nobody_can_say(
    shop: RogueShop, till: Till, relink: bool, after: timedelta
) -> None:
    await leave_behind(till, 3, sent=True)
    await till.accounts.unlink(MEMBER)
    if relink:
        await till.accounts.link(MEMBER, SecretStr("another"), [1])
    till.clock.advance(after)

    (told,) = await till.settle()

    assert told.state is OrderState.UNKNOWN
    assert told.reason == Reason.ACCOUNT_CHANGED
    assert not told.is_open


async def test_the_game_is_not_asked_with_a_token_that_it_refused(
    shop: RogueShop, till: Till
) -> None:
    await leave_behind(till, 3, sent=True)
    shop.closed_pages = {1}
    with pytest.raises(LinkExpired):
        await till.shop.item(MEMBER, ItemRef(1, 1, 3), fresh=True)
    shop.pages_asked.clear()
    till.clock.advance(LONG)

    assert [order.state for order in await till.settle()] == [OrderState.UNKNOWN]
    assert not shop.pages_asked


async def test_news_comes_and_looks_end_however_long_another_catalog_takes(
    tmp_path: Path, shop: RogueShop
) -> None:
    timings = Timings(arrival=timedelta(seconds=0.2))
    async with open_till(tmp_path, shop.base_url, timings=timings) as till:
        for item_id in (3, 4):
            shop.answers.append(lose_the_request)
            await till.order_and_tell(item_id, card=item_id)
        shop.owned.add(4)
        shop.stock(3000)
        del shop.items[2]
        shop.gate, shop.held_from = asyncio.Event(), 2
        till.clock.advance(LONG)
        async with aclosing(till.service.settle_due()) as news:
            told = await anext(news)
            assert (told.item_id, told.state) == (4, OrderState.DONE)
            # Looked for still.
            assert (await till.state_of(3)).due_at == till.clock() + timings.arrival

        shop.gate.set()
        till.clock.advance(LONG)
        shop.pages_asked.clear()
        await till.settle()
        assert (await till.state_of(3)).state is OrderState.UNKNOWN
        assert max(shop.pages_asked) < len(shop.items) // shop.per_page
