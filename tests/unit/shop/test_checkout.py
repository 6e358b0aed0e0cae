"""Orders that are confirmed twice, or whose answer is late or missing."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.features.writing.errors import AnswerNotTaken
from bot.features.writing.orders import AnsweredElsewhere, Changed, Ordered, Reason
from bot.game.transport import Limits
from storage.writes import WriteKind, WriteState
from tests.support.rogue_shop import (
    Answer,
    RogueShop,
    hold,
    honest,
    lose_the_answer,
    lose_the_request,
)
from tests.support.till import Till, open_till
from tests.unit.shop.conftest import LONG, WISH, found, orders_of, until_pressed

# For tests of what happens after the time limit, which is not to be over before the game is asked.
IMPATIENT = Limits(write_timeout=2.0)
QUARTER = timedelta(minutes=15)


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
        await until_pressed(till, len(presses))
        answered.set()
        orders = await asyncio.gather(*presses)

    assert shop.orders[3] == 1
    assert {order.id for order in orders} == {orders[0].id}
    assert (await found(till, orders[0])).state is WriteState.DONE


async def test_a_second_press_on_a_card_finds_its_order_whatever_became_of_it(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    order = await till.order_and_tell(3)
    till.clock.advance(QUARTER)
    (refused,) = await till.settle()

    again = await till.order(3)

    assert (again.id, again.state) == (order.id, WriteState.REFUSED)
    assert refused.state is WriteState.REFUSED
    assert shop.orders[3] == 1


async def test_a_press_whose_order_is_settled_does_not_say_that_the_game_is_asked(
    till: Till,
) -> None:
    order = await till.order(3)
    said: list[bool] = []

    async def say_asking() -> bool:
        said.append(True)
        return True

    outcome = await till.service.confirm(WISH, say_asking)

    assert isinstance(outcome, Ordered)
    assert (outcome.order, said) == (await found(till, order), [])


async def test_where_discord_does_not_take_the_first_answer_nothing_is_ordered(
    shop: RogueShop, till: Till
) -> None:
    till.is_first = False
    with pytest.raises(AnswerNotTaken):
        await till.order(3)

    assert not shop.orders
    assert await orders_of(till) == []
    till.is_first = True
    assert (await till.order(3)).state is WriteState.DONE


async def test_what_is_not_as_it_was_confirmed_leaves_no_order(shop: RogueShop, till: Till) -> None:
    shop.items[2]["cost"] = 99

    assert isinstance(await till.service.confirm(WISH, till.say_asking), Changed)
    assert await orders_of(till) == []


async def test_a_press_that_two_processes_hear_is_left_to_the_first(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
    first = asyncio.create_task(till.order(3, press=WISH.press_id))
    await asked.wait()
    async with open_till(tmp_path, shop.base_url, name="two") as other:
        outcome = await other.service.confirm(WISH, other.say_asking)
        assert isinstance(outcome, AnsweredElsewhere)
    answered.set()

    assert (await first).state is WriteState.DONE
    assert shop.orders[3] == 1


async def test_a_second_press_is_told_that_the_first_ones_answer_was_not_taken(
    shop: RogueShop, till: Till
) -> None:
    first_is_known = asyncio.Event()

    async def say_asking() -> bool:
        await first_is_known.wait()
        return False

    first = asyncio.create_task(till.service.confirm(WISH, say_asking))
    # Else the second may be the first to write an order down.
    await until_pressed(till, 1)
    second = asyncio.create_task(till.order(3, card=2))
    await until_pressed(till, 2)
    first_is_known.set()

    for press in (first, second):
        with pytest.raises(AnswerNotTaken):
            await press
    assert not shop.orders


async def test_a_second_press_waits_for_the_outcome_of_the_first(
    shop: RogueShop, till: Till
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
    first = asyncio.create_task(till.order(3))
    await asked.wait()
    second = asyncio.create_task(till.order(3, card=2))
    await until_pressed(till, 2)
    assert not second.done()
    answered.set()

    assert (await first).state is WriteState.DONE
    assert (await second).id == (await first).id


async def test_of_cards_confirmed_at_once_each_is_told_the_outcome(
    shop: RogueShop, till: Till
) -> None:
    presses = [till.order_and_tell(3, card=card) for card in range(1, 6)]
    told = await asyncio.gather(*presses)

    assert {order.state for order in told} == {WriteState.DONE}
    assert shop.orders[3] == 1
    assert (await found(till, told[0])).is_told


@pytest.mark.parametrize("answer", [honest, lose_the_request])
async def test_a_press_in_another_process_finds_the_order_under_way_and_leaves_it_there(
    tmp_path: Path, shop: RogueShop, till: Till, answer: Answer
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, answer))
    first = asyncio.create_task(till.order_and_tell(3))
    await asked.wait()
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        under_way = await other.order(3, card=2)
        assert under_way.state is WriteState.SENT
        await other.ledger.save_told(under_way)
        # For as long as the game may take to answer.
        till.clock.advance(44)
        assert await other.settle() == []
        # Still the first one's to answer for: it would be due, were that one killed.
        assert (await found(other, under_way)).due_at == under_way.due_at
    answered.set()

    state = WriteState.DONE if answer is honest else WriteState.UNKNOWN
    assert (await first).state is state
    assert (await found(till, under_way)).state is state
    assert shop.orders[3] == 1


async def test_a_purchase_whose_answer_is_lost_is_found_at_once(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_answer)

    assert (await till.order(3)).state is WriteState.DONE


async def test_a_purchase_that_lands_after_the_time_limit_is_found_and_told(
    tmp_path: Path, shop: RogueShop
) -> None:
    landed = asyncio.Event()
    shop.answers.append(hold(landed, honest))
    async with open_till(tmp_path, shop.base_url, limits=IMPATIENT) as till:
        order = await till.order_and_tell(3)
        assert order.state is WriteState.UNKNOWN
        landed.set()
        await shop.carried_out.wait()
        till.clock.advance(LONG)

        (told,) = await till.settle()

    assert told.state is WriteState.DONE
    assert shop.orders[3] == 1


@pytest.mark.parametrize("answer", [lose_the_request, honest])
async def test_what_was_bought_or_may_be_is_bought_again_after_15_minutes_at_the_games_word(
    shop: RogueShop, till: Till, answer: Answer
) -> None:
    shop.answers.append(answer)
    first = await till.order_and_tell(3)
    shop.owned.clear()
    till.clock.advance(QUARTER - timedelta(seconds=1))
    await till.settle()
    assert (await till.order(3, card=2)).id == first.id
    till.clock.advance(1)
    await till.settle()

    second = await till.order_and_tell(3, card=3)

    assert (second.state, shop.orders[3]) == (WriteState.DONE, 2)
    till.clock.advance(timedelta(days=2))
    assert await till.settle() == []


async def test_what_is_due_is_looked_up_first_when_it_is_ordered_again(
    shop: RogueShop, till: Till
) -> None:
    shop.answers += [lose_the_request, lose_the_request]
    first = await till.order_and_tell(3)
    till.clock.advance(QUARTER)

    second = await till.order_and_tell(3, card=2)

    assert (second.state, shop.orders[3]) == (WriteState.UNKNOWN, 2)
    refused = await found(till, first)
    assert (refused.state, refused.reason) == (WriteState.REFUSED, Reason.NOT_THERE)
    shop.owned.add(3)
    till.clock.advance(timedelta(minutes=6))
    third = await till.order(3, card=3)
    assert (third.id, third.state, shop.orders[3]) == (second.id, WriteState.DONE, 2)


@pytest.mark.parametrize("kind", [WriteKind.PURCHASE, WriteKind.REDEEM])
async def test_what_nobody_was_told_is_told_later(till: Till, kind: WriteKind) -> None:
    order = await till.order(3, kind)
    till.clock.advance(LONG)

    assert [told.id for told in await till.settle()] == [order.id]
    till.clock.advance(LONG)
    assert await till.settle() == []
