"""Games that refuse what they have charged, show it late, or not at all."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain.names import ItemRef
from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.orders.rules import Reason
from bot.features.shop import Address, Mode
from bot.features.shop.item_filter import ItemFilter, Show
from tests.support.rogue_shop import RogueShop, lose_the_request, refuse
from tests.support.till import MEMBER, Till, open_till

HAT = ItemRef(1, 1, 3)
WATCH = [
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(days=1),
]


async def watch_until(till: Till, moment: timedelta) -> list[Order]:
    """Let time pass up to a moment after now, with a look at each that is due until then."""
    since, told = till.clock(), list[Order]()
    for each in [at for at in WATCH if at <= moment]:
        till.clock.moment = since + each
        told += await till.settle()
    return told


@pytest.mark.parametrize("status", [400, 403, 404, 409, 418, 422, 429])
@pytest.mark.parametrize("moment", WATCH)
async def test_what_was_refused_and_bought_after_all_is_told(
    shop: RogueShop, till: Till, status: int, moment: timedelta
) -> None:
    shop.answers.append(refuse(status, "No."))
    refused = await till.order_and_tell(3)
    assert (refused.state, refused.game_words) == (OrderState.REFUSED, "No.")
    assert await watch_until(till, moment - timedelta(seconds=1)) == []
    shop.owned.add(3)
    till.clock.moment = (refused.sent_at or till.clock()) + moment

    (told,) = await till.settle()

    assert (told.id, told.state) == (refused.id, OrderState.DONE)


async def test_a_refusal_that_stands_is_looked_at_five_times_and_told_once(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(refuse(409, "No."))
    refused = await till.order_and_tell(3)
    asked = len(shop.pages_asked)

    assert await watch_until(till, WATCH[-1]) == []
    assert len(shop.pages_asked) - asked == len(WATCH)
    kept = await till.state_of(3)
    assert (kept.game_words, kept.settled_at) == ("No.", refused.settled_at)
    assert kept.due_at is None


async def test_a_refusal_is_watched_when_a_later_one_came_too(shop: RogueShop, till: Till) -> None:
    shop.answers.extend([refuse(409), refuse(409)])
    first = await till.order_and_tell(3)
    till.clock.advance(30)
    second = await till.order_and_tell(3, card=2)
    shop.owned.add(3)
    till.clock.advance(31)

    (told,) = await till.settle()
    assert (told.id, told.state) == (first.id, OrderState.DONE)
    # What is owned is explained now: nobody is told of a second purchase.
    assert await watch_until(till, WATCH[-1]) == []
    kept = await till.orders.find(second.id)
    assert kept is not None
    assert kept.state is OrderState.REFUSED


async def test_a_token_that_is_refused_is_not_watched(shop: RogueShop, till: Till) -> None:
    shop.answers.append(refuse(401))
    await till.order_and_tell(3)

    assert (await till.state_of(3)).due_at is None


async def test_what_was_bought_is_owned_in_every_view_and_process_whatever_the_game_says(
    tmp_path: Path, shop: RogueShop, till: Till
) -> None:
    bought = await till.order_and_tell(3)
    shop.owned.clear()
    till.clock.advance(timedelta(hours=5))
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


async def test_what_turns_out_to_be_bought_is_not_bought_in_spite_of_the_doubt_before(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    doubted = await till.order_and_tell(3)
    till.clock.advance(36)
    assert [order.reason for order in await till.settle()] == [Reason.NO_ANSWER]
    shop.owned.add(3)
    till.clock.advance(25)
    assert [order.state for order in await till.settle()] == [OrderState.DONE]
    # Another of the game's machines doesn't know it yet.
    shop.owned.clear()

    again = await till.order(3, card=2, despite=doubted.id)

    assert (again.id, again.state) == (doubted.id, OrderState.DONE)
    assert shop.orders[3] == 1


async def test_what_was_redeemed_is_not_redeemed_from_another_card(
    shop: RogueShop, till: Till
) -> None:
    redeemed = await till.order(3, OrderKind.REDEEM)
    till.clock.advance(timedelta(hours=5))

    assert (await till.order(3, OrderKind.REDEEM, card=2)).id == redeemed.id
    assert shop.orders[3] == 1


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
    # Nothing is locked any more, but what is in doubt takes a step of its own.
    assert (await till.orders.history(MEMBER, most=1, offset=0))[0].due_at is None
    assert (await till.service.standing(MEMBER, 3, OrderKind.PURCHASE)) == await till.state_of(3)


@pytest.mark.parametrize(
    ("gone_after", "states"),
    [(timedelta(minutes=5), [OrderState.UNKNOWN]), (timedelta(minutes=15), [])],
)
async def test_what_left_the_catalog_while_it_could_arrive_is_not_called_not_bought_for_good(
    shop: RogueShop, till: Till, gone_after: timedelta, states: list[OrderState]
) -> None:
    shop.answers.append(lose_the_request)
    order = await till.order_and_tell(3)
    till.clock.advance(36)
    assert [refused.reason for refused in await till.settle()] == [Reason.NO_ANSWER]
    till.clock.moment = order.sent_at or till.clock()
    assert await watch_until(till, gone_after) == []
    del shop.items[2]

    till.clock.moment = order.sent_at or till.clock()
    assert [told.state for told in await watch_until(till, WATCH[-1])] == states
    kept = await till.state_of(3)
    assert (kept.is_open, kept.due_at, kept.told_state) == (False, None, kept.state)
