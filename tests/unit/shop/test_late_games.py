"""Games that show late what was bought: it counts for a while, then the game's word does."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.orders.rules import Reason
from bot.features.shop import Address, Mode
from bot.features.shop.item_filter import ItemFilter, Show
from storage.names import ItemRef
from tests.support.rogue_shop import RogueShop, lose_the_request, refuse
from tests.support.till import MEMBER, Till, open_till

HAT = ItemRef(1, 1, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 418, 422, 429])
async def test_a_refusal_of_the_games_costs_no_look_at_the_catalog(
    shop: RogueShop, till: Till, status: int
) -> None:
    shop.answers.append(refuse(status, "Not enough."))
    refused = await till.order_and_tell(3)
    asked = len(shop.pages_asked)
    for _ in range(48):
        till.clock.advance(timedelta(hours=1))
        assert await till.settle() == []

    # The price, before it was confirmed.
    assert (asked, len(shop.pages_asked)) == (1, 1)
    assert (refused.state, refused.is_open) == (OrderState.REFUSED, False)
    assert (await till.state_of(3)).due_at is None


async def test_a_request_that_timed_out_at_the_game_is_not_taken_for_a_refusal(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(refuse(408))

    assert (await till.order(3)).state is OrderState.UNKNOWN


@pytest.mark.parametrize("moment", [1, 5, 15])
async def test_what_is_shown_minutes_late_is_told(shop: RogueShop, till: Till, moment: int) -> None:
    shop.answers.append(lose_the_request)
    order = await till.order_and_tell(3)
    sent_at = order.sent_at or till.clock()
    told = list[Order]()
    for minutes in (0.6, 1, 5, 15):
        if minutes >= moment:
            shop.owned.add(3)
        till.clock.moment = sent_at + timedelta(minutes=minutes)
        told += await till.settle()

    assert [each.state for each in told] == [OrderState.REFUSED, OrderState.DONE]
    assert shop.orders[3] == 1


async def test_what_was_bought_minutes_ago_is_owned_in_every_view_and_process(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    bought = await till.order_and_tell(3)
    shop.owned.clear()
    till.clock.advance(timedelta(minutes=14))
    async with open_till(tmp_path, shop.base_url, name="two", clock=till.clock) as other:
        for process in (till, other):
            views = process.shop
            screen = await views.screen(MEMBER, Address(1), fresh=True)
            assert [e.item.id for e in screen.items if e.item.has_purchased] == [3]
            await views.read(MEMBER, 1, Mode.REFRESH)
            unowned = Address(1, item_filter=ItemFilter(Show.NOT_OWNED))
            assert 3 not in [e.item.id for e in (await views.screen(MEMBER, unowned)).items]
            assert (await views.item(MEMBER, HAT)).item.has_purchased
            assert (await views.search.find(MEMBER, "3", [1])).item.has_purchased
            offered, _ = await views.search.suggest(MEMBER, "Hat number 3", [1])
            assert offered[0].item.has_purchased
            again = await process.order(3, card=10 + (process is other))
            assert again.id == bought.id

    assert shop.orders[3] == 1
    till.clock.advance(timedelta(minutes=1))
    assert not (await till.shop.item(MEMBER, HAT)).item.has_purchased


async def test_what_turns_out_to_be_bought_is_not_bought_again(shop: RogueShop, till: Till) -> None:
    shop.answers.append(lose_the_request)
    doubted = await till.order_and_tell(3)
    till.clock.advance(36)
    assert [order.reason for order in await till.settle()] == [Reason.NO_ANSWER]
    shop.owned.add(3)
    till.clock.advance(25)
    assert [order.state for order in await till.settle()] == [OrderState.DONE]
    # Another of the game's machines doesn't know it yet.
    shop.owned.clear()

    again = await till.order(3, card=2)

    assert (again.id, again.state) == (doubted.id, OrderState.DONE)
    assert shop.orders[3] == 1


async def test_what_was_redeemed_is_redeemed_again_only_from_a_card_that_could_tell_of_it(
    shop: RogueShop, till: Till
) -> None:
    redeemed = await till.order(3, OrderKind.REDEEM, card=10, press=20)

    assert (await till.order(3, OrderKind.REDEEM, card=10, press=30)).id == redeemed.id
    assert (await till.order(3, OrderKind.REDEEM, card=11, press=30)).id == redeemed.id
    assert shop.orders[3] == 1
    again = await till.order(3, OrderKind.REDEEM, card=25, press=30)
    assert (again.state, shop.orders[3]) == (OrderState.DONE, 2)


async def test_an_order_whose_item_left_the_catalog_ends_after_a_day_and_is_told(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    order = await till.order_and_tell(3)
    del shop.items[2]
    asked, told = len(shop.pages_asked), list[Order]()
    for _ in range(24 * 60):
        till.clock.advance(timedelta(minutes=1))
        told += await till.settle()

    (given_up,) = told
    assert (given_up.id, given_up.state, given_up.is_open) == (order.id, OrderState.UNKNOWN, False)
    assert given_up.reason == Reason.NEVER_SEEN
    # Some thirty times, not every ten minutes.
    assert len(shop.pages_asked) - asked < 250
    till.clock.advance(timedelta(days=30))
    assert await till.settle() == []
    assert (await till.state_of(3)).due_at is None
    assert await till.service.standing(MEMBER, 3, OrderKind.PURCHASE) is None
