"""One account, one order: whoever has linked it, and whoever they link next."""

import asyncio
from datetime import timedelta

import pytest
from pydantic import SecretStr

from bot.features.writing.orders import Reason
from bot.features.writing.rules import is_open
from storage.writes import WriteState
from tests.support.rogue_shop import Answer, RogueShop, hold, honest, lose_the_request
from tests.support.till import MEMBER, Till
from tests.unit.shop.conftest import LONG, orders_of, until_pressed

FRIEND = 4343
QUARTER = timedelta(minutes=15)


async def link_friend(till: Till, token: str = "a-token") -> None:
    await till.accounts.link(FRIEND, SecretStr(token), [1])


async def test_two_members_with_one_account_are_one_purchase(shop: RogueShop, till: Till) -> None:
    await link_friend(till)
    asked, answered = asyncio.Event(), asyncio.Event()
    shop.before_order = asked.set
    shop.answers.append(hold(answered, honest))
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


async def test_what_one_member_waits_for_another_with_the_account_does_not_buy(
    shop: RogueShop, till: Till
) -> None:
    await link_friend(till)
    shop.answers.append(lose_the_request)
    first = await till.order_and_tell(3)
    assert (await till.order(3, card=2, member=FRIEND)).id == first.id
    till.clock.advance(LONG)
    await till.settle()
    in_doubt = await till.order(3, card=3, member=FRIEND)

    assert (in_doubt.id, in_doubt.state) == (first.id, WriteState.UNKNOWN)
    assert shop.orders[3] == 1


async def test_another_accounts_order_stands_in_nobodys_way(shop: RogueShop, till: Till) -> None:
    shop.answers.append(lose_the_request)
    await till.order_and_tell(3)
    await link_friend(till, "another")

    assert (await till.order(3, member=FRIEND)).state is WriteState.DONE


async def test_who_links_the_account_again_soon_is_told_what_came_of_an_order(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    unknown = await till.order_and_tell(3)
    await till.accounts.unlink(MEMBER)
    till.clock.advance(LONG)
    assert await till.settle() == []

    await till.accounts.link(MEMBER, SecretStr("a-token"), [1])
    shop.owned.add(3)
    till.clock.advance(2 * LONG)

    (told,) = await till.settle()
    assert (told.id, told.state) == (unknown.id, WriteState.DONE)


async def test_another_accounts_belongings_settle_nothing(shop: RogueShop, till: Till) -> None:
    shop.answers.append(lose_the_request)
    await till.order_and_tell(3)
    await till.accounts.link(MEMBER, SecretStr("another"), [1])
    shop.owned.add(3)
    till.clock.advance(LONG)
    assert await till.settle() == []
    till.clock.advance(QUARTER)

    (told,) = await till.settle()

    assert (told.state, told.reason) == (WriteState.UNKNOWN, Reason.ACCOUNT_CHANGED)
    assert not is_open(told)


@pytest.mark.parametrize("answer", [lose_the_request, honest])
async def test_what_a_member_bought_or_may_have_counts_with_a_new_token_too(
    shop: RogueShop, till: Till, answer: Answer
) -> None:
    shop.answers.append(answer)
    first = await till.order_and_tell(3)
    shop.owned.clear()
    # Perhaps of the same account, perhaps of another.
    await till.accounts.link(MEMBER, SecretStr("a-newer-token"), [1])
    till.clock.advance(LONG)
    await till.settle()

    again = await till.order(3, card=2)
    assert (again.id, shop.orders[3]) == (first.id, 1)
    till.clock.advance(QUARTER)
    assert (await till.order(3, card=3)).state is WriteState.DONE


async def test_the_orders_that_are_listed_are_the_linked_accounts(till: Till) -> None:
    first = await till.order_and_tell(3)
    await till.accounts.link(MEMBER, SecretStr("another"), [1])
    second = await till.order_and_tell(4, card=2)

    assert [order.id for order in await orders_of(till)] == [second.id]
    await till.accounts.link(MEMBER, SecretStr("a-token"), [1])
    assert [order.id for order in await orders_of(till)] == [first.id]
