"""Buying while the database can't be written, or the clock on the wall is set."""

from datetime import timedelta

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.full_disk import bring_orders_back, fill_up, make_room, take_orders_away
from tests.support.rogue_shop import RogueShop
from tests.support.shopping import let_orders_age, let_the_bot_look, orders
from tests.support.world import World


async def test_an_outcome_that_cant_be_written_is_told_all_the_same(
    rogue_world: World, shop: RogueShop
) -> None:
    address = rogue_world.settings.database_url
    shop.before_order = lambda: fill_up(address)
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    await rogue_world.member.click(card, label="Buy it")

    assert "Hat number 3 is yours" in text_of(card)
    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    assert buttons_of(item)["Buy"]["disabled"]
    await make_room(address)
    await let_orders_age(rogue_world, timedelta(minutes=1))
    await let_the_bot_look(rogue_world)
    assert "✅ Bought" in await orders(rogue_world)
    assert shop.orders[3] == 1


async def test_a_database_that_fails_is_told_in_a_sentence_but_not_after_the_outcome(
    rogue_world: World, shop: RogueShop
) -> None:
    address = rogue_world.settings.database_url
    shop.before_order = lambda: take_orders_away(address)
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    await rogue_world.slash("shop item", item="3", catalog="1")
    told = await rogue_world.member.click(card, label="Buy it")

    assert "Hat number 3 is yours" in text_of(card)
    assert not told.followups
    assert "can't get at its records" in await orders(rogue_world)
    await bring_orders_back(address)
    await let_orders_age(rogue_world, timedelta(minutes=1))
    await let_the_bot_look(rogue_world)
    assert "✅ Bought" in await orders(rogue_world)
