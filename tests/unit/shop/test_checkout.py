"""Orders that are confirmed twice, or whose answer is late or missing."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.errors import AnswerNotTaken
from bot.features.orders.rules import Reason, Wish
from bot.features.orders.timings import Timings
from bot.game.transport import Limits
from storage.names import ItemRef
from tests.support.clock import ManualClock
from tests.support.gates import PATIENCE
from tests.support.rogue_shop import Answer, RogueShop, hold, honest, lose_the_request
from tests.support.till import MEMBER, Till, open_till

# For tests of what happens after the time limit, which is not to be over before the game is asked.
IMPATIENT = Limits(write_timeout=2.0)
# Nothing left to wait for: a lease, a late arrival.
LONG = 100.0


async def test_presses_on_two_devices_and_in_two_processes_are_one_purchase(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    answered = asyncio.Event()
    shop.answers.append(hold(answered, honest))
    async with open_till(tmp_path, shop.base_url, name="two", reads=till.reads) as other:
        presses = [
            asyncio.create_task(process.order(3, card=card))
            for process in (till, other)
            for card in (1, 1, 2, 3)
        ]
        await till.found_started(len(presses))
        answered.set()
        found = await asyncio.gather(*presses)

    assert shop.orders[3] == 1
    assert {order.id for order in found} == {found[0].id}
    assert (await till.state_of(3)).state is OrderState.DONE


async def test_where_discord_does_not_take_the_first_answer_nothing_is_ordered(
    shop: RogueShop, till: Till
) -> None:
    till.is_first = False
    with pytest.raises(AnswerNotTaken):
        await till.order(3)

    assert not shop.orders
    assert await till.orders.history(MEMBER, most=1, offset=0) == []
    till.is_first = True
    assert (await till.order(3)).state is OrderState.DONE


async def test_a_press_that_two_processes_hear_is_left_to_the_first(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
    first = asyncio.create_task(till.order(3, press=7))
    await asked.wait()
    async with open_till(tmp_path, shop.base_url, name="two") as other:
        wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US", press_id=7)
        assert await other.service.confirm(wish, other.say_asking) is None
    answered.set()

    assert (await first).state is OrderState.DONE
    assert shop.orders[3] == 1


async def test_a_second_press_is_told_that_the_first_ones_answer_was_not_taken(
    shop: RogueShop, till: Till
) -> None:
    first_is_known = asyncio.Event()

    async def say_asking() -> bool:
        await first_is_known.wait()
        return False

    wish = Wish(MEMBER, OrderKind.PURCHASE, ItemRef(1, 1, 3), 30, 1, "en-US")
    first = asyncio.create_task(till.service.confirm(wish, say_asking))
    # Else the second may be the first to write an order down.
    await till.found_started(1)
    second = asyncio.create_task(till.order(3, card=2))
    await till.found_started(2)
    first_is_known.set()

    for press in (first, second):
        with pytest.raises(AnswerNotTaken):
            await press
    assert not shop.orders


async def test_a_second_press_waits_for_the_outcome_of_the_first(
    shop: RogueShop, till: Till
) -> None:
    answered = asyncio.Event()
    asked = asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
    first = asyncio.create_task(till.order(3))
    await asked.wait()
    second = asyncio.create_task(till.order(3, card=2))
    await till.found_started(2)
    assert not second.done()
    answered.set()

    assert (await first).state is OrderState.DONE
    assert (await second).id == (await first).id


async def test_of_cards_confirmed_at_once_each_is_told_the_outcome(
    shop: RogueShop, till: Till
) -> None:
    presses = [till.order_and_tell(3, card=card) for card in range(1, 6)]
    told = await asyncio.gather(*presses)

    assert {order.state for order in told} == {OrderState.DONE}
    assert shop.orders[3] == 1
    assert (await till.state_of(3)).told_state is OrderState.DONE


async def test_a_press_in_another_process_finds_the_order_under_way(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
    first = asyncio.create_task(till.order(3))
    await asked.wait()
    async with open_till(tmp_path, shop.base_url, name="two") as other:
        found = await other.order(3, card=2)
        await other.service.note_told(found)
        assert found.state is OrderState.STARTED
        assert await other.settle() == []
        # Still the first one's to answer for: it would be due, were that one killed.
        assert (await other.state_of(3)).due_at == found.due_at
    answered.set()

    assert (await first).state is OrderState.DONE
    assert shop.orders[3] == 1


async def test_a_purchase_that_lands_after_the_time_limit_is_found_and_told(
    tmp_path: Path, shop: RogueShop
) -> None:
    landed = asyncio.Event()
    shop.answers.append(hold(landed, honest))
    async with open_till(tmp_path, shop.base_url, limits=IMPATIENT) as till:
        order = await till.order(3)
        assert order.state is OrderState.UNKNOWN
        await till.service.note_told(order)
        landed.set()
        await shop.carried_out.wait()
        till.clock.advance(LONG)

        (told,) = await till.settle()

    assert told.state is OrderState.DONE
    assert shop.orders[3] == 1


async def test_not_owned_proves_nothing_while_the_request_may_still_arrive(
    tmp_path: Path, shop: RogueShop
) -> None:
    shop.answers.append(hold(asyncio.Event(), honest))
    async with open_till(tmp_path, shop.base_url, limits=IMPATIENT) as till:
        order = await till.order(3)
        await till.service.note_told(order)
        till.clock.advance(Timings().arrival.total_seconds() - 1)
        assert await till.settle() == []
        assert (await till.state_of(3)).state is OrderState.UNKNOWN
        till.clock.advance(2)

        (told,) = await till.settle()

    assert told.state is OrderState.REFUSED
    assert told.reason == Reason.NO_ANSWER


async def give_up(till: Till, item_id: int) -> Order:
    """Order what never arrives, and let its time pass."""
    order = await till.order_and_tell(item_id)
    assert order.state is OrderState.UNKNOWN
    till.clock.advance(Timings().arrival)
    (given_up,) = await till.settle()
    assert given_up.state is OrderState.REFUSED
    return given_up


async def test_a_purchase_that_lands_after_it_was_given_up_is_told_after_all(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    await give_up(till, 3)
    shop.owned.add(3)
    till.clock.advance(LONG)

    (told,) = await till.settle()

    assert told.state is OrderState.DONE


@pytest.mark.parametrize("loses", [lose_the_request, honest])
async def test_what_was_bought_or_may_be_is_bought_again_after_15_minutes_at_the_games_word(
    shop: RogueShop, till: Till, loses: Answer
) -> None:
    shop.answers.append(loses)
    first = await till.order_and_tell(3)
    shop.owned.clear()
    till.clock.advance(timedelta(minutes=15) - timedelta(seconds=1))
    await till.settle()
    assert (await till.order(3, card=2)).id == first.id
    till.clock.advance(1)
    await till.settle()

    second = await till.order_and_tell(3, card=3)

    assert (second.state, shop.orders[3]) == (OrderState.DONE, 2)
    till.clock.advance(timedelta(days=2))
    assert await till.settle() == []


async def test_what_could_not_be_looked_up_is_looked_up_when_it_is_ordered_again(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    first = await till.order_and_tell(3)
    shop.is_down = True
    till.clock.advance(timedelta(minutes=16))
    assert await till.settle() == []
    assert (await till.order(3, card=2)).id == first.id
    shop.is_down = False

    second = await till.order(3, card=3)

    assert second.state is OrderState.DONE
    kept = await till.orders.find(first.id)
    assert kept is not None
    assert (kept.state, kept.reason) == (OrderState.REFUSED, Reason.NO_ANSWER)


async def test_an_order_stays_with_its_process_while_the_game_is_slow(
    tmp_path: Path, shop: RogueShop
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
    clock = ManualClock()
    often = Timings(renewal=timedelta(0))
    async with open_till(tmp_path, shop.base_url, clock=clock, timings=often) as till:
        buying = asyncio.create_task(till.order(3))
        await asked.wait()
        clock.advance(7)
        # The lease is renewed all the time.
        async with asyncio.timeout(PATIENCE):
            while (await till.state_of(3)).due_at != clock() + often.lease:
                pass
        clock.advance(7)
        async with open_till(tmp_path, shop.base_url, name="two", clock=clock) as other:
            assert await other.settle() == []
        answered.set()
        assert (await buying).state is OrderState.DONE


async def test_what_nobody_was_told_is_told_later(shop: RogueShop, till: Till) -> None:
    order = await till.order(3)
    till.clock.advance(LONG)

    assert [told.id for told in await till.settle()] == [order.id]
    till.clock.advance(LONG)
    assert await till.settle() == []


@pytest.mark.parametrize("kind", OrderKind)
async def test_a_process_that_stood_still_for_its_lease_asks_for_nothing(
    tmp_path: Path, shop: RogueShop, kind: OrderKind
) -> None:
    # As if its whole lease went by between writing that it asks and asking.
    no_time = Timings(lease=timedelta(0))
    async with open_till(tmp_path, shop.base_url, timings=no_time) as till:
        order = await till.order(3, kind)

    assert order.reason == Reason.NOT_SENT
    assert not order.is_open
    assert not shop.orders
    # What was never sent is not looked for, either.
    assert shop.pages_asked == [1]
