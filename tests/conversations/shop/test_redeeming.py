"""Redeeming, as members meet it."""

from tests.support.cards import text_of
from tests.support.rogue_shop import (
    RogueShop,
    lose_the_answer,
    nod,
)
from tests.support.shopping import ask, buy, orders, redeem
from tests.support.world import SUBSCRIBER, World


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
    listed = await orders(rogue_world)
    assert "outcome unknown" in listed
    assert "known since" not in listed


async def test_redeeming_again_after_an_unknown_outcome_warns_first(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_answer)
    await redeem(rogue_world)

    assert "the game's answer never came" in text_of(await ask(rogue_world, "redeem"))


async def test_a_success_without_a_body_is_one(rogue_world: World, shop: RogueShop) -> None:
    shop.answers.extend([nod, nod])

    assert "Hat number 3 is redeemed" in await redeem(rogue_world)
    assert "Hat number 4 is yours" in await buy(rogue_world, "4")
    assert shop.orders[3] == shop.orders[4] == 1
