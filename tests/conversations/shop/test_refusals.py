"""Purchases that the game refuses, or never answers, as members meet them."""

from collections import Counter
from datetime import timedelta

import pytest

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.presses import press_again
from tests.support.rogue_shop import (
    Answer,
    RogueShop,
    break_down_after,
    lose_the_answer,
    lose_the_request,
    mumble,
    mumble_only,
    refuse,
    send_half,
)
from tests.support.shopping import ask, buy, let_orders_age, let_the_bot_look, orders
from tests.support.world import NEWCOMER, VISITOR, World

REFUSALS = {
    409: "You may not have enough for it",
    403: "Some items are for subscribers only",
    404: "The game no longer sells it",
    422: "found a fault",
    429: "The game asks for patience",
}


@pytest.mark.parametrize("spelling", ["has_purchased", "has_purchasd"])
async def test_a_purchase_whose_answer_is_lost_is_found_in_the_catalog(
    rogue_world: World, shop: RogueShop, spelling: str
) -> None:
    shop.spelling = spelling
    losses = [lose_the_answer, mumble, break_down_after]
    for number, answer in enumerate(losses, start=1):
        shop.answers.append(answer)
        assert f"Hat number {number} is yours" in await buy(rogue_world, str(number))

    assert shop.charged == shop.orders == Counter({1: 1, 2: 1, 3: 1})
    assert (await orders(rogue_world)).count("✅ Bought") == len(losses)


@pytest.mark.parametrize(
    "answer", [lose_the_request, refuse(500), refuse(504), send_half, mumble_only]
)
async def test_not_bought_is_said_late_and_never_while_it_may_still_arrive(
    rogue_world: World, shop: RogueShop, answer: Answer
) -> None:
    shop.answers.append(answer)
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy it")
    assert "Not confirmed yet: Hat number 3" in text_of(card)
    assert "Until <t:" in text_of(card)
    assert "not charged" not in text_of(card)
    assert list(buttons_of(card)) == ["Ask now", "Your orders"]

    for minutes in (1, 5):
        await let_orders_age(rogue_world, timedelta(minutes=minutes))
        await let_the_bot_look(rogue_world)
        assert "Not confirmed yet" in text_of(card)
    await rogue_world.member.click(card, label="Ask now")
    assert "Not confirmed yet" in text_of(card)
    assert "🔎 Not confirmed yet" in await orders(rogue_world)

    await let_orders_age(rogue_world, timedelta(minutes=9))
    await let_the_bot_look(rogue_world)
    assert "Not bought: Hat number 3" in text_of(card)
    assert "You were not charged" in text_of(card)
    assert "Hat number 3" not in await orders(rogue_world)
    await rogue_world.member.click(card, label="Try again")
    await rogue_world.member.click(card, label="Buy it")
    assert "is yours" in text_of(card)
    assert shop.charged[3] == 1


async def test_ask_now_tells_what_has_gone_through(rogue_world: World, shop: RogueShop) -> None:
    shop.answers.append(lose_the_request)
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy it")
    shop.owned.add(3)

    await rogue_world.member.click(card, label="Ask now")

    assert "Hat number 3 is yours" in text_of(card)


async def test_what_may_still_arrive_is_not_bought_again_before_15_minutes_have_passed(
    rogue_world: World, shop: RogueShop
) -> None:
    card, second = await ask(rogue_world), await ask(rogue_world)
    plain = buttons_of(second)["Buy it"]["custom_id"]
    shop.answers.append(lose_the_request)
    await rogue_world.member.click(card, label="Buy it")
    await let_orders_age(rogue_world, timedelta(minutes=14))
    await let_the_bot_look(rogue_world)

    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    assert "Not confirmed yet" in text_of(item)
    assert buttons_of(item)["Buy"]["disabled"]
    assert "Not confirmed yet" in text_of(second)
    await press_again(rogue_world.member, rogue_world.channel, second, plain)
    assert "Not confirmed yet" in text_of(second)
    assert "Not confirmed yet" in text_of(await ask(rogue_world))
    assert shop.orders[3] == 1

    await let_orders_age(rogue_world, timedelta(minutes=1))
    await let_the_bot_look(rogue_world)
    assert "is yours" in await buy(rogue_world)
    assert shop.charged[3] == 1


@pytest.mark.parametrize("status", REFUSALS)
async def test_a_refusal_costs_no_look_at_the_catalog(
    rogue_world: World, shop: RogueShop, status: int
) -> None:
    card = await ask(rogue_world)
    shop.answers.append(refuse(status, "Not enough."))
    shop.pages_asked.clear()
    await rogue_world.member.click(card, label="Buy it")
    for _ in range(8):
        await let_orders_age(rogue_world, timedelta(minutes=10))
        await let_the_bot_look(rogue_world)

    # The price, before it was asked for.
    assert shop.pages_asked == [1]
    assert "Not enough." in text_of(card)
    await rogue_world.member.click(card, label="Try again")
    assert "Buy Hat number 3?" in text_of(card)


async def test_where_the_catalog_cannot_be_read_either_the_member_is_told_that_it_is_unknown(
    rogue_world: World, shop: RogueShop
) -> None:
    def break_down() -> None:
        shop.is_down = True

    shop.before_order = break_down
    shop.answers.append(lose_the_answer)

    assert "Not confirmed yet" in await buy(rogue_world)
    assert "Not confirmed yet" in await orders(rogue_world)


@pytest.mark.parametrize("unread", [{1}, {2}, {3}])
async def test_half_a_catalog_is_no_proof_that_nothing_was_bought(
    rogue_world: World, shop: RogueShop, unread: set[int]
) -> None:
    shop.stock(60)

    def move_and_break_down() -> None:
        shop.items.append(shop.items.pop(2))
        shop.failing_pages |= unread

    shop.before_order = move_and_break_down
    shop.answers.append(lose_the_request)

    assert "Not confirmed yet" in await buy(rogue_world)
    assert "Not confirmed yet" in await orders(rogue_world)


async def test_a_catalog_that_no_longer_has_the_item_is_no_proof_either(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.before_order = shop.items.clear
    shop.answers.append(lose_the_answer)

    assert "Not confirmed yet" in await buy(rogue_world)


async def test_an_item_that_moved_is_looked_for_in_the_whole_catalog(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(60)
    shop.before_order = lambda: shop.items.append(shop.items.pop(2))
    shop.answers.append(lose_the_answer)

    assert "Hat number 3 is yours" in await buy(rogue_world)


async def test_no_second_purchase_is_sent_while_the_first_is_unknown(
    rogue_world: World, shop: RogueShop
) -> None:
    second = await ask(rogue_world)
    pressed = buttons_of(second)["Buy it"]["custom_id"]

    def break_down() -> None:
        shop.is_down = True

    shop.before_order = break_down
    shop.answers.append(lose_the_answer)
    await buy(rogue_world)
    shop.is_down = False
    shop.owned.clear()
    await press_again(rogue_world.member, rogue_world.channel, second, pressed)

    assert "Not confirmed yet" in text_of(second)
    assert shop.orders[3] == 1


async def test_a_refusal_is_explained_in_the_games_words_else_in_ours(
    rogue_world: World, shop: RogueShop
) -> None:
    for number, (status, sentence) in enumerate(REFUSALS.items(), start=1):
        shop.answers.append(refuse(status, "Computer says *no*."))
        quoted = await buy(rogue_world, str(number))
        shop.answers.append(refuse(status))
        told = await buy(rogue_world, str(number))
        assert f"Not bought: Hat number {number}" in quoted
        assert "Computer says \\*no\\*." in quoted
        assert sentence not in quoted
        assert sentence in told

    assert not shop.charged


async def test_a_token_that_expires_while_buying_is_told_and_a_link_asked_for(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.answers.append(refuse(401))

    assert "no longer accepts your access token" in await buy(rogue_world)
    assert "Your link has expired" in text_of(await rogue_world.slash("shop buy", item="3"))


async def test_too_little_money_and_members_only_are_told(world: World) -> None:
    await world.settle(world.member, VISITOR)
    assert "don't have enough Acorns" in await buy(world, "Captain's Hat")

    await world.settle(world.member, NEWCOMER)
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
