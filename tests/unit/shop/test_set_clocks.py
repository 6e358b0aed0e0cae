"""Orders, however the clock is set between two starts."""

from datetime import timedelta

import pytest

from bot.app import go_on
from bot.clock import MachineClock
from bot.domain.orders import OrderState
from bot.features.orders.rules import Reason
from tests.support.clock import ManualClock
from tests.support.rogue_shop import RogueShop, lose_the_request
from tests.support.till import Till


@pytest.mark.parametrize(
    "by", [timedelta(hours=1), timedelta(days=1), timedelta(hours=-1), timedelta(days=-1)]
)
async def test_nothing_is_believed_earlier_for_a_clock_that_was_set_before_a_start(
    shop: RogueShop, till: Till, by: timedelta
) -> None:
    passed = ManualClock()
    machine = MachineClock("boot", passed.seconds)
    await go_on(till.ages, till.clock(), machine)
    shop.answers.append(lose_the_request)
    order = await till.order_and_tell(3)
    till.clock.advance(by)
    await go_on(till.ages, till.clock(), machine)

    till.clock.advance(34)
    assert await till.settle() == []
    assert (await till.order(3, card=2)).state is OrderState.UNKNOWN
    till.clock.advance(2)
    (told,) = await till.settle()
    assert (told.id, told.reason) == (order.id, Reason.NO_ANSWER)
    till.clock.advance(timedelta(minutes=14))
    assert (await till.order(3, card=3)).id == order.id
    assert shop.orders[3] == 1
