"""What members see of a game that shows purchases late."""

from datetime import timedelta
from pathlib import Path

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.presses import press_again
from tests.support.rogue_shop import RogueShop, lose_the_request, open_rogue_shop
from tests.support.shopping import ask, buy, let_orders_age, let_the_bot_look, orders
from tests.support.world import World, open_world


async def test_what_was_bought_counts_for_15_minutes_then_the_games_word_does(
    rogue_world: World, shop: RogueShop
) -> None:
    await buy(rogue_world)
    shop.owned.clear()
    await let_orders_age(rogue_world, timedelta(minutes=14))

    gallery = answer_of(await rogue_world.slash("shop browse", catalog="1"))
    await rogue_world.member.click(gallery, label="Refresh")
    assert "✅ Yours" in text_of(gallery)
    item = await rogue_world.slash("shop item", item="3", catalog="1")
    assert buttons_of(item)["Buy"]["disabled"]
    offered = await rogue_world.member.autocomplete(
        rogue_world.channel, "shop buy", "item", "Hat number 3", catalog="1"
    )
    assert "3" not in [entry["value"] for entry in offered]
    assert "is yours already" in text_of(await ask(rogue_world))
    assert shop.orders[3] == 1

    await let_orders_age(rogue_world, timedelta(minutes=1))
    await rogue_world.member.click(gallery, label="Refresh")
    assert "✅ Yours" not in text_of(gallery)
    assert "is yours" in await buy(rogue_world)
    assert shop.orders[3] == 2


async def test_what_was_bought_counts_with_another_token_too(
    rogue_world: World, shop: RogueShop
) -> None:
    await buy(rogue_world)
    shop.owned.clear()
    await rogue_world.settle(rogue_world.member, "another-token")

    assert "is yours already" in text_of(await ask(rogue_world))
    assert shop.orders[3] == 1


async def test_two_members_with_one_account_buy_once(rogue_world: World, shop: RogueShop) -> None:
    world = rogue_world
    await world.settle(world.friend, "any-token")
    shop.answers.append(lose_the_request)
    friends = answer_of(await world.slash("shop buy", world.friend, item="3", catalog="1"))
    await buy(world)

    await world.friend.click(friends, label="Buy it")
    assert "Not confirmed yet" in text_of(friends)
    item = await world.slash("shop item", world.friend, item="3", catalog="1")
    assert "Not confirmed yet" in text_of(item)
    assert buttons_of(item)["Buy"]["disabled"]
    shop.owned.add(3)
    await let_orders_age(world)
    await let_the_bot_look(world)

    # Only whoever ordered has it in the list.
    assert "✅ Bought" in await orders(world)
    listed = await world.slash("shop orders", world.friend)
    assert "You have not ordered anything yet" in text_of(listed)
    gallery = await world.slash("shop browse", world.friend, catalog="1")
    assert "✅ Yours" in text_of(gallery)
    assert shop.orders[3] == 1


async def test_an_order_whose_item_left_the_catalog_ends_after_the_last_look(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(lose_the_request)
    gone = shop.items[2]
    await buy(rogue_world)
    card = await ask(rogue_world)
    assert "Not confirmed yet" in text_of(card)
    del shop.items[2]
    await let_orders_age(rogue_world, timedelta(minutes=14))
    await let_the_bot_look(rogue_world)
    assert "Not confirmed yet" in text_of(card)
    await let_orders_age(rogue_world, timedelta(minutes=1))
    await let_the_bot_look(rogue_world)

    assert "Can't be known: look in the game" in await orders(rogue_world)
    shop.items.insert(2, gone)
    gallery = answer_of(await rogue_world.slash("shop browse", catalog="1"))
    await rogue_world.member.click(gallery, label="Refresh")
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy it")
    assert "is yours" in text_of(card)


async def test_a_foreign_confirmation_acts_for_whoever_presses_it(tmp_path: Path) -> None:
    async with open_rogue_shop() as shop, open_world(tmp_path, shop.base_url) as world:
        shop.stock(5)
        for actor, token in ((world.member, "one"), (world.friend, "two")):
            await world.settle(actor, token)
        card = await ask(world, item="3")
        foreign = buttons_of(card)["Buy it"]["custom_id"]
        await world.member.click(card, label="Buy it")
        own = answer_of(await world.slash("shop buy", world.friend, item="3", catalog="1"))
        await press_again(world.friend, world.channel, own, foreign)

        assert "is yours already" in text_of(own)
        assert shop.orders[3] == 1
