"""Buying, as members meet it."""

import pytest

from bot.ui import answers
from tests.support.cards import buttons_of, text_of
from tests.support.gates import PATIENCE
from tests.support.presses import press_again
from tests.support.rogue_shop import RogueShop, confirm_another
from tests.support.shopping import ask, buy, orders, redeem
from tests.support.world import SUBSCRIBER, World


async def test_a_member_buys_an_item_after_confirming_its_name_and_price(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    card = await ask(world, item="1")
    assert "Buy Acorn Cap?" in text_of(card)
    assert "40 Acorns" in text_of(card)
    await world.member.click(card, label="Buy it")

    assert "Acorn Cap is yours" in text_of(card)
    assert "**Acorn Cap** · 40 Acorns\n✅ Bought" in await orders(world)


async def test_the_flags_of_an_item_are_on_its_confirmation(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    assert "Subscribers only" in text_of(await ask(world, item="Wizard Hat"))
    assert "Clearance" in text_of(await ask(world, item="Straw Hat"))


async def test_nothing_is_bought_before_it_is_confirmed(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Cancel")

    assert "## Hat number 3" in text_of(card)
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


@pytest.mark.usefixtures("on_both_engines")
async def test_two_cards_for_one_item_lead_to_one_purchase(
    rogue_world: World, shop: RogueShop
) -> None:
    first, second = await ask(rogue_world), await ask(rogue_world)
    pressed = buttons_of(second)["Buy it"]["custom_id"]
    await rogue_world.member.click(first, label="Buy it")
    # Drawn anew at once; pressed all the same, as a slow thumb does.
    assert "is yours already" in text_of(second)
    await press_again(rogue_world.member, rogue_world.channel, second, pressed)

    assert "is yours" in text_of(second)
    assert shop.orders[3] == 1


async def test_a_second_card_buys_nothing_while_the_game_is_slow_to_list_a_purchase(
    rogue_world: World, shop: RogueShop
) -> None:
    first, second = await ask(rogue_world), await ask(rogue_world)
    pressed = buttons_of(second)["Buy it"]["custom_id"]
    await rogue_world.member.click(first, label="Buy it")
    shop.owned.clear()
    await press_again(rogue_world.member, rogue_world.channel, second, pressed)

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


async def test_a_yes_with_another_id_is_a_yes(rogue_world: World, shop: RogueShop) -> None:
    shop.answers.extend([confirm_another] * 2)
    # The catalog is not asked about what the game has said.
    shop.before_order = lambda: setattr(shop, "is_down", True)

    assert "Hat number 3 is yours" in await buy(rogue_world)
    shop.is_down = False
    assert "Hat number 4 is redeemed" in await redeem(rogue_world, "4")


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


async def test_an_item_that_half_a_catalog_lacks_is_not_called_gone(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(60)
    card = await ask(rogue_world)
    shop.items.append(shop.items.pop(2))
    shop.failing_pages = {3}
    await rogue_world.member.click(card, label="Buy it")

    assert "The game doesn't answer" in text_of(card)
    assert not shop.orders


async def test_an_item_that_moved_to_another_page_is_still_bought(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world, item="15")
    shop.items.insert(0, shop.items.pop())
    await rogue_world.member.click(card, label="Buy it")

    assert "is yours" in text_of(card)


@pytest.mark.parametrize(
    ("written", "status", "code"),
    [(PATIENCE, 400, 40060), (0.0, 400, 40060), (PATIENCE, 404, 10062), (PATIENCE, 500, 0)],
)
async def test_nothing_is_bought_where_discord_refuses_the_first_answer(
    rogue_world: World,
    shop: RogueShop,
    monkeypatch: pytest.MonkeyPatch,
    written: float,
    status: int,
    code: int,
) -> None:
    monkeypatch.setattr(answers, "_WRITTEN", written)
    card = await ask(rogue_world)
    rogue_world.env.inject_error("POST", "/interactions/*", status=status, code=code)

    await rogue_world.member.click(card, label="Buy it")

    assert not shop.orders
    assert "nothing was sent or bought" in text_of(card)
    assert "You have not ordered anything yet" in await orders(rogue_world)
    await rogue_world.member.click(card, label="Try again")
    await rogue_world.member.click(card, label="Buy it")
    assert "is yours" in text_of(card)
    assert shop.charged[3] == 1
