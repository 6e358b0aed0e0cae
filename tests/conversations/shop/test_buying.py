"""Buying and redeeming, as members meet it."""

from collections import Counter
from typing import Any

import pytest

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.presses import press_again
from tests.support.rogue_shop import (
    RogueShop,
    answer_the_repetition,
    break_down_after,
    lose_the_answer,
    lose_the_request,
    mumble,
    refuse,
)
from tests.support.world import NEWCOMER, SUBSCRIBER, VISITOR, World

REFUSALS = {
    409: "You may not have enough for it",
    403: "Items for members need a subscription",
    404: "The game no longer sells it",
    422: "found a fault",
    429: "The game asks for patience",
}


async def ask(world: World, what: str = "buy", item: str = "3") -> Any:
    """Use the command; gives the card that asks for a confirmation."""
    return answer_of(await world.slash(f"shop {what}", item=item, catalog="1"))


async def buy(world: World, item: str = "3") -> str:
    card = await ask(world, "buy", item)
    await world.member.click(card, label="Buy it")
    return text_of(card)


async def redeem(world: World, item: str = "3") -> str:
    card = await ask(world, "redeem", item)
    await world.member.click(card, label="Redeem it")
    return text_of(card)


async def orders(world: World) -> str:
    return text_of(await world.slash("shop orders"))


async def test_a_member_buys_an_item_after_confirming_its_name_and_price(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    card = await ask(world, item="1")
    assert "Buy Acorn Cap?" in text_of(card)
    assert "40 Acorns" in text_of(card)
    await world.member.click(card, label="Buy it")

    assert "Acorn Cap is yours" in text_of(card)
    assert "bought for 40 Acorns" in await orders(world)


async def test_the_flags_of_an_item_are_on_its_confirmation(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    assert "Members only" in text_of(await ask(world, item="Wizard Hat"))
    assert "Clearance" in text_of(await ask(world, item="Straw Hat"))


async def test_nothing_is_bought_before_it_is_confirmed(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Cancel")

    assert "Nothing was ordered" in text_of(card)
    assert not shop.orders


async def test_a_second_press_on_the_same_card_buys_nothing_more(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    pressed = buttons_of(card)["Buy it"]["custom_id"]
    await rogue_world.member.click(card, label="Buy it")
    shop.owned.clear()
    # The button again, as a second device still shows it.
    await press_again(rogue_world.member, rogue_world.channel, card, pressed)

    assert "is yours" in text_of(card)
    assert shop.orders[3] == 1


async def test_two_cards_for_one_item_lead_to_one_purchase(
    rogue_world: World, shop: RogueShop
) -> None:
    first, second = await ask(rogue_world), await ask(rogue_world)
    await rogue_world.member.click(first, label="Buy it")
    await rogue_world.member.click(second, label="Buy it")

    assert "is yours already" in text_of(second)
    assert shop.orders[3] == 1


async def test_a_second_card_buys_nothing_while_the_game_is_slow_to_list_a_purchase(
    rogue_world: World, shop: RogueShop
) -> None:
    first, second = await ask(rogue_world), await ask(rogue_world)
    await rogue_world.member.click(first, label="Buy it")
    shop.owned.clear()
    await rogue_world.member.click(second, label="Buy it")

    assert "is yours" in text_of(second)
    assert shop.orders[3] == 1


async def test_a_changed_price_is_shown_and_confirmed_again(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    shop.items[2]["cost"] = 99
    await rogue_world.member.click(card, label="Buy it")

    assert "The price has changed" in text_of(card)
    assert "99 Acorns" in text_of(card)
    assert not shop.orders
    await rogue_world.member.click(card, label="Buy it")
    assert "Bought for 99 Acorns" in text_of(card)
    assert shop.charged[3] == 1


async def test_what_is_owned_by_now_is_not_bought_again(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    shop.owned.add(3)
    await rogue_world.member.click(card, label="Buy it")

    assert "is yours already" in text_of(card)
    assert not shop.orders


async def test_an_item_that_is_gone_is_not_bought(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world)
    del shop.items[2]
    await rogue_world.member.click(card, label="Buy it")

    assert "This item is gone" in text_of(card)
    assert not shop.orders


async def test_an_item_that_moved_to_another_page_is_still_bought(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world, item="15")
    shop.items.insert(0, shop.items.pop())
    await rogue_world.member.click(card, label="Buy it")

    assert "is yours" in text_of(card)


@pytest.mark.parametrize("spelling", ["has_purchased", "has_purchasd"])
async def test_a_purchase_whose_answer_is_lost_is_found_in_the_catalog(
    rogue_world: World, shop: RogueShop, spelling: str
) -> None:
    shop.spelling = spelling
    losses = [lose_the_answer, mumble, break_down_after, answer_the_repetition]
    for number, answer in enumerate(losses, start=1):
        shop.answers.append(answer)
        assert f"Hat number {number} is yours" in await buy(rogue_world, str(number))

    assert shop.charged == shop.orders == Counter({1: 1, 2: 1, 3: 1, 4: 1})
    assert (await orders(rogue_world)).count("bought for") == len(losses)


async def test_a_purchase_that_never_arrived_is_told_as_not_bought(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_request)

    told = await buy(rogue_world)

    assert "Hat number 3 was not bought" in told
    assert "You were not charged" in told
    assert shop.orders[3] == 1
    assert "not bought" in await orders(rogue_world)


async def test_after_a_purchase_that_never_arrived_trying_again_buys_once(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_request)
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy it")
    await rogue_world.member.click(card, label="Try again")
    await rogue_world.member.click(card, label="Buy it")

    assert "is yours" in text_of(card)
    assert shop.charged[3] == 1


async def test_where_the_catalog_cannot_be_read_either_the_member_is_told_that_it_is_unknown(
    rogue_world: World, shop: RogueShop
) -> None:
    def break_down() -> None:
        shop.is_down = True

    shop.before_order = break_down
    shop.answers.append(lose_the_answer)

    assert "still finding out" in await buy(rogue_world)
    assert "outcome unknown" in await orders(rogue_world)


async def test_no_second_purchase_is_sent_while_the_first_is_unknown(
    rogue_world: World, shop: RogueShop
) -> None:
    second = await ask(rogue_world)

    def break_down() -> None:
        shop.is_down = True

    shop.before_order = break_down
    shop.answers.append(lose_the_answer)
    await buy(rogue_world)
    shop.is_down = False
    shop.owned.clear()
    await rogue_world.member.click(second, label="Buy it")

    assert "still finding out" in text_of(second)
    assert shop.orders[3] == 1


async def test_a_refusal_is_explained_in_the_games_words_and_ours(
    rogue_world: World, shop: RogueShop
) -> None:
    for number, (status, sentence) in enumerate(REFUSALS.items(), start=1):
        shop.answers.append(refuse(status, "Computer says *no*."))
        told = await buy(rogue_world, str(number))
        assert f"Hat number {number} was not bought" in told
        assert sentence in told
        assert "Computer says \\*no\\*." in told

    assert not shop.charged


async def test_a_token_that_expires_while_buying_is_told_and_a_link_asked_for(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(refuse(401))

    assert "no longer accepts your access token" in await buy(rogue_world)
    assert "Your link has expired" in text_of(await rogue_world.slash("shop buy", item="3"))


async def test_too_little_money_and_members_only_are_told(world: World) -> None:
    await world.link(world.member, VISITOR)
    assert "don't have enough Acorns" in await buy(world, "Captain's Hat")

    await world.link(world.member, NEWCOMER)
    assert "subscribed players only" in await buy(world, "Wizard Hat")


async def test_a_game_that_is_down_sells_nothing_and_the_card_leads_on(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    shop.is_down = True
    await rogue_world.member.click(card, label="Buy it")

    assert "The game doesn't answer" in text_of(card)
    assert "Try again" in buttons_of(card)
    assert not shop.orders


async def test_an_item_is_redeemed_after_confirming(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    assert "Flower Wreath is redeemed" in await redeem(world, "Flower Wreath")
    assert "redeemed" in await orders(world)


async def test_an_item_at_another_park_is_explained_in_those_words(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    told = await redeem(world, "Captain's Hat")

    assert "Only items at your current park can be redeemed" in told
    assert "not available at your current park" in told


async def test_a_redemption_whose_answer_is_lost_is_told_as_unknown_and_where_to_look(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_answer)

    told = await redeem(rogue_world)

    assert "nobody can say" in told
    assert "Open the game and see whether the item is among your things" in told
    assert "outcome unknown" in await orders(rogue_world)


async def test_redeeming_again_after_an_unknown_outcome_warns_first(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_answer)
    await redeem(rogue_world)

    assert "the game's answer never came" in text_of(await ask(rogue_world, "redeem"))


async def test_a_purchase_updates_every_open_card_of_the_item(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    gallery = answer_of(await world.slash("shop browse", catalog="1"))
    item = answer_of(await world.slash("shop item", item="1", catalog="1"))
    assert "Yours" not in text_of(gallery)

    await buy(world, "1")

    assert "✅ Yours" in text_of(gallery)
    assert "✅ Yours" in text_of(item)
    assert buttons_of(item)["Buy"]["disabled"]


async def test_a_card_that_has_moved_on_is_not_drawn_over(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    gallery = answer_of(await world.slash("shop browse", catalog="1"))
    await world.member.click(gallery, label="Next")
    shown = text_of(gallery)

    await buy(world, "1")

    assert text_of(gallery) == shown


async def test_orders_are_listed_eight_at_a_time(rogue_world: World) -> None:
    for number in range(1, 11):
        await buy(rogue_world, str(number))
    listed = answer_of(await rogue_world.slash("shop orders"))
    assert "Hat number 10" in text_of(listed)
    assert "Hat number 2**" not in text_of(listed)

    await rogue_world.member.click(listed, label="Older")

    assert "Hat number 2**" in text_of(listed)
    assert "Ordered <t:" in text_of(listed)


async def test_without_any_order_the_list_says_so(world: World) -> None:
    assert "You have not ordered anything yet" in await orders(world)


async def test_orders_are_private(rogue_world: World) -> None:
    await buy(rogue_world)

    assert (await rogue_world.slash("shop orders")).ephemeral
    friends = await rogue_world.slash("shop orders", rogue_world.friend)
    assert "You have not ordered anything yet" in text_of(friends)


async def test_an_item_with_absurd_numbers_is_shown_but_not_sold(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items[0]["cost"] = 10**30
    card = await rogue_world.slash("shop item", item="1", catalog="1")
    assert buttons_of(card)["Buy"]["disabled"]
    assert "larger than Kiosk can keep" in text_of(card)

    asked = await rogue_world.slash("shop buy", item="1", catalog="1")
    assert "can't be ordered here" in text_of(asked)
