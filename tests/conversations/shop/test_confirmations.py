"""What was confirmed is what is ordered: at its price, in its currency, for its account."""

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.rogue_shop import ACORNS, RogueShop, lose_the_request
from tests.support.shopping import ask, buy
from tests.support.world import World


async def test_the_same_price_in_another_currency_is_another_price(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    shop.items[2]["currency"] = ACORNS | {"id": 2, "name": "Gems", "singular_name": "Gem"}

    await rogue_world.member.click(card, label="Buy it")
    assert "The price has changed" in text_of(card)
    assert "30 Gems" in text_of(card)
    assert not shop.orders[3]
    await rogue_world.member.click(card, label="Buy it")

    assert "is yours" in text_of(card)
    assert shop.orders[3] == 1


async def test_a_confirmation_of_a_new_price_says_what_may_still_arrive(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    shop.items[2]["cost"] = 31
    await rogue_world.member.click(card, label="Buy it")
    assert "The price has changed" in text_of(card)

    shop.answers.append(lose_the_request)
    await buy(rogue_world)
    await rogue_world.member.click(answer_of(await ask(rogue_world)), label="Ask now")

    assert "Not confirmed yet" in text_of(card)
    assert "Buy it" not in buttons_of(card)


async def test_what_was_confirmed_for_one_account_is_not_bought_for_the_one_linked_then(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    await rogue_world.bot.features.accounts.unlink(rogue_world.member.id)
    await rogue_world.member.click(card, label="Buy it")
    assert "Link your game account first" in text_of(card)

    link = buttons_of(card)["Link account"]["custom_id"]
    form = await rogue_world.member.click(card, custom_id=link)
    await rogue_world.member.submit_modal(form, {"token": "another"})

    assert not shop.orders
