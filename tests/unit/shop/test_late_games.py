"""Games that show late what was bought: it counts for a while, then the game's word does."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.features.reading.catalogs import ItemFilter, Show
from bot.features.reading.shop import Address, Refresh
from bot.features.writing.orders import Reason
from bot.features.writing.rules import is_open
from storage.writes import Write, WriteKind, WriteState
from tests.support.rogue_shop import RogueShop, lose_the_request, refuse
from tests.support.till import MEMBER, Till, open_till
from tests.unit.shop.conftest import HAT, found

# Of the looks, since the game was asked.
SECOND, LAST = timedelta(minutes=5), timedelta(minutes=15)


async def pass_by(till: Till, minutes: int) -> list[Write]:
    """Let minutes pass, and look each minute; gives what members were told."""
    told: list[Write] = []
    for _ in range(minutes):
        till.clock.advance(timedelta(minutes=1))
        told += await till.settle()
    return told


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 418, 422, 429])
async def test_a_refusal_of_the_games_costs_no_look_at_the_catalog(
    shop: RogueShop, till: Till, status: int
) -> None:
    shop.answers.append(refuse(status, "Not enough."))
    refused = await till.order_and_tell(3)

    assert await pass_by(till, 20) == []

    # The price, before it was confirmed.
    assert len(shop.pages_asked) == 1
    assert refused.state is WriteState.REFUSED
    assert (await found(till, refused)).due_at is None


async def test_a_request_that_timed_out_at_the_game_is_not_taken_for_a_refusal(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(refuse(408))

    assert (await till.order(3)).state is WriteState.UNKNOWN


@pytest.mark.parametrize("moment", [timedelta(seconds=35), SECOND, LAST])
async def test_what_is_shown_minutes_late_is_told_once(
    shop: RogueShop, till: Till, moment: timedelta
) -> None:
    shop.answers.append(lose_the_request)
    await till.order_and_tell(3)
    till.clock.advance(moment - timedelta(seconds=1))
    assert await till.settle() == []
    shop.owned.add(3)
    till.clock.advance(1)

    (told,) = await till.settle()

    assert told.state is WriteState.DONE
    assert await pass_by(till, 20) == []
    assert shop.orders[3] == 1


async def test_what_is_not_shown_by_the_last_look_was_not_bought_and_can_be(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    first = await till.order_and_tell(3)
    assert (first.state, first.reason) == (WriteState.UNKNOWN, "unanswered")
    till.clock.advance(LAST - timedelta(seconds=1))
    assert await till.settle() == []
    assert (await till.order(3, card=2)).id == first.id
    till.clock.advance(1)

    (told,) = await till.settle()

    assert (told.state, told.reason) == (WriteState.REFUSED, Reason.NOT_THERE)
    assert (await till.order(3, card=3)).state is WriteState.DONE
    assert shop.orders[3] == 2


async def test_what_could_not_be_looked_at_is_unknown_and_can_be_bought_again(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    await till.order_and_tell(3)
    shop.is_down = True

    (told,) = await pass_by(till, 20)

    assert (told.state, told.reason) == (WriteState.UNKNOWN, Reason.NEVER_SEEN)
    assert (await found(till, told)).due_at is None
    shop.is_down = False
    assert (await till.order(3, card=2)).state is WriteState.DONE


async def test_a_purchase_whose_item_left_the_catalog_is_looked_for_three_times(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    order = await till.order_and_tell(3)
    del shop.items[2]
    asked = len(shop.pages_asked)

    (told,) = await pass_by(till, 60)

    assert (told.id, told.reason) == (order.id, Reason.NEVER_SEEN)
    # Each look is where it was, beside it, and through the catalog of two pages.
    assert len(shop.pages_asked) - asked <= 3 * 5
    assert await till.service.blocking(MEMBER, 3, WriteKind.PURCHASE) is None


async def test_a_redemption_without_an_answer_cant_be_looked_up(
    shop: RogueShop, till: Till
) -> None:
    shop.answers.append(lose_the_request)
    order = await till.order(3, WriteKind.REDEEM)
    await till.ledger.save_told(order)

    assert order.state is WriteState.UNKNOWN
    assert not is_open(order)
    assert await pass_by(till, 20) == []
    assert shop.pages_asked == [1]


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
            await views.read(MEMBER, 1, Refresh.REFRESH)
            unowned = Address(1, item_filter=ItemFilter(Show.NOT_OWNED))
            assert 3 not in [e.item.id for e in (await views.screen(MEMBER, unowned)).items]
            assert (await views.item(MEMBER, HAT)).item.has_purchased
            assert (await views.find(MEMBER, "3", [1])).item.has_purchased
            offered, _ = await views.suggest(MEMBER, "Hat number 3", [1])
            assert offered[0].item.has_purchased
            again = await process.order(3, card=10 + (process is other))
            assert again.id == bought.id

    assert shop.orders[3] == 1
    till.clock.advance(timedelta(minutes=1))
    assert not (await till.shop.item(MEMBER, HAT)).item.has_purchased


async def test_what_turns_out_to_be_bought_is_not_bought_again(shop: RogueShop, till: Till) -> None:
    shop.answers.append(lose_the_request)
    doubted = await till.order_and_tell(3)
    shop.owned.add(3)
    till.clock.advance(SECOND)
    assert [order.state for order in await till.settle()] == [WriteState.DONE]
    # Another of the game's machines doesn't know it yet.
    shop.owned.clear()

    again = await till.order(3, card=2)

    assert (again.id, again.state) == (doubted.id, WriteState.DONE)
    assert shop.orders[3] == 1


async def test_what_was_redeemed_is_redeemed_again_only_from_a_card_that_could_tell_of_it(
    shop: RogueShop, till: Till
) -> None:
    redeemed = await till.order(3, WriteKind.REDEEM, card=10, press=20)

    assert (await till.order(3, WriteKind.REDEEM, card=10, press=30)).id == redeemed.id
    assert (await till.order(3, WriteKind.REDEEM, card=11, press=30)).id == redeemed.id
    assert shop.orders[3] == 1
    again = await till.order(3, WriteKind.REDEEM, card=25, press=30)
    assert (again.state, shop.orders[3]) == (WriteState.DONE, 2)
