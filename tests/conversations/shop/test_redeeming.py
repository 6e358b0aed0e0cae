"""Redeeming, as members meet it."""

import pytest

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.presses import press_again
from tests.support.rogue_shop import (
    Answer,
    RogueShop,
    honest,
    lose_the_answer,
    nod,
)
from tests.support.shopping import ask, buy, orders, redeem
from tests.support.world import SUBSCRIBER, World


async def test_an_item_is_redeemed_after_confirming(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    assert "Flower Wreath is redeemed" in await redeem(world, "Flower Wreath")
    assert "**Flower Wreath**\n✅ Redeemed" in await orders(world)


async def test_an_item_at_another_park_is_explained_in_the_games_words(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    told = await redeem(world, "Captain's Hat")

    assert "Only items at your current park can be redeemed" not in told
    assert "not available at your current park" in told


@pytest.mark.usefixtures("on_both_engines")
async def test_a_redemption_whose_answer_is_lost_is_told_as_unknown_and_where_to_look(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_answer)

    told = await redeem(rogue_world)

    assert "outcome unknown" in told
    assert "Open the game and see whether the item is among your things" in told
    listed = await orders(rogue_world)
    assert "Can't be known: look in the game whether you have it" in listed


@pytest.mark.parametrize(
    ("answer", "earlier"),
    [
        (lose_the_answer, "Whether an earlier redemption arrived isn't known."),
        (honest, "You redeemed it <t:"),
    ],
)
async def test_redeeming_again_says_first_what_is_known_of_the_last_time(
    rogue_world: World, shop: RogueShop, answer: Answer, earlier: str
) -> None:
    first, second = await ask(rogue_world, "redeem"), await ask(rogue_world, "redeem")
    pressed = buttons_of(second)["Redeem it"]["custom_id"]
    shop.answers.append(answer)
    await rogue_world.member.click(first, label="Redeem it")
    told = text_of(first)

    # A card that was open before could not say so.
    assert text_of(second) == told
    await press_again(rogue_world.member, rogue_world.channel, second, pressed)
    assert text_of(second) == told
    assert shop.orders[3] == 1

    card = await ask(rogue_world, "redeem")
    assert earlier in text_of(card)
    pressed = buttons_of(card)["Redeem it"]["custom_id"]
    await rogue_world.member.click(card, label="Redeem it")
    assert "Hat number 3 is redeemed" in text_of(card)
    await press_again(rogue_world.member, rogue_world.channel, card, pressed)
    assert shop.orders[3] == 2


async def test_an_items_card_says_what_is_known_of_its_redemption_and_leads_to_another(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_answer)
    await redeem(rogue_world)

    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    assert "Whether an earlier redemption arrived isn't known." in text_of(item)
    await rogue_world.member.click(item, label="Redeem")
    await rogue_world.member.click(item, label="Redeem it")

    assert "Hat number 3 is redeemed" in text_of(item)


async def test_a_success_without_a_body_settles_nothing_before_the_catalog_says_so(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.extend([nod, nod])

    assert "outcome unknown" in await redeem(rogue_world)
    assert "Not confirmed yet" in await buy(rogue_world, "4")
    assert shop.orders[3] == shop.orders[4] == 1
