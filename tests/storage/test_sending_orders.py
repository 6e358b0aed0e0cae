"""The guards in the SQL of orders while they are sent, looked after and told."""

from datetime import timedelta

from msgspec.structs import replace

from bot.clock import utc_now
from bot.domain.orders import OrderState
from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import Messages
from storage.orders import Orders
from tests.storage.ordering import DONE, LATER, NEW, NOW, OTHERS, REFUSED, settle, started


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


async def test_of_several_orders_in_one_hand_one_is_sent_or_withdrawn(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        orders = Orders(database, Messages(database, utc_now))
        for number, new in enumerate((NEW, *OTHERS[1:])):
            await started(orders, replace(new, confirmation=number))
        await database.execute("UPDATE orders SET claimed_by = 'one'")
        first, second, third = reversed(await orders.history(NEW.member_id, most=3, offset=0))

        await orders.mark_sent(first, now=NOW, due_at=LATER)
        assert await orders.find(second.id) == second
        await orders.withdraw(second)
        assert await orders.find(third.id) == third
        refused, other = [await settle(orders, each, REFUSED) for each in (first, third)]
        await orders.mark_told(refused, due_at=None)
        assert await orders.find(third.id) == other


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
