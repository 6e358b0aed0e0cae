"""Orders that are confirmed twice, by one account or two, or whose answer is late."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.features.writing.errors import AnswerNotTaken
from bot.features.writing.orders import AnsweredElsewhere, Reason
from storage.writes import Write, WriteState
from tests.support.rogue_game import Answer, RogueShop, hold, honest, lose_the_request
from tests.support.till import MEMBER, Till, open_till
from tests.unit.shop.conftest import WISH, found, until_pressed

QUARTER = timedelta(minutes=15)


async def test_a_press_heard_twice_buys_once(tmp_path: Path, shop: RogueShop, till: Till) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.outcomes.append(hold(answered, honest))
    first = asyncio.create_task(till.order(3, press=WISH.press_id))
    await asked.wait()
    async with open_till(tmp_path, shop.base_url, name="two") as other:
        outcome = await other.service.confirm(WISH, other.say_asking)
        assert isinstance(outcome, AnsweredElsewhere)
    answered.set()

    assert (await first).state is WriteState.DONE
    assert shop.orders[3] == 1


async def test_a_second_press_learns_of_the_firsts_refusal(shop: RogueShop, till: Till) -> None:
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


@pytest.mark.parametrize("answer", [honest, lose_the_request])
async def test_a_press_in_another_process_finds_the_order_under_way_and_leaves_it_there(
    tmp_path: Path, shop: RogueShop, till: Till, answer: Answer
) -> None:
    answered, asked = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.outcomes.append(hold(answered, answer))
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


async def test_a_due_order_is_looked_up_before_the_next(shop: RogueShop, till: Till) -> None:
    shop.outcomes += [lose_the_request, lose_the_request]
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


FRIEND = 4343


async def link_friend(till: Till, token: str = "a-token") -> None:
    await till.accounts.link(FRIEND, SecretStr(token), [1])


async def test_two_members_with_one_account_are_one_purchase(shop: RogueShop, till: Till) -> None:
    await link_friend(till)
    asked, answered = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.outcomes.append(hold(answered, honest))
    presses = [asyncio.create_task(till.order(3, card=1))]
    await asked.wait()
    presses += [
        asyncio.create_task(till.order(3, card=card, member=member))
        for card, member in enumerate((FRIEND, MEMBER, FRIEND), start=2)
    ]
    await until_pressed(till, len(presses))
    answered.set()
    found = await asyncio.gather(*presses)

    assert shop.orders[3] == 1
    assert {order.id for order in found} == {found[0].id}


# Of the looks, since the game was asked.
SECOND, LAST = timedelta(minutes=5), timedelta(minutes=15)


async def pass_by(till: Till, minutes: int) -> list[Write]:
    """Let minutes pass, and look each minute; gives what members were told."""
    told: list[Write] = []
    for _ in range(minutes):
        till.clock.advance(timedelta(minutes=1))
        told += await till.settle()
    return told
