"""Purchases that the game refuses, never answers or shows late, as members meet them."""

from collections import Counter
from pathlib import Path

import pytest

from playground.simulation import speak_language
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.presses import press_again
from tests.support.rogue_game import (
    Answer,
    RogueShop,
    break_down_after,
    lose_the_answer,
    lose_the_request,
    mumble,
    mumble_only,
    open_rogue_shop,
    refuse,
    send_half,
)
from tests.support.shopping import ask, buy, orders
from tests.support.world import World, open_world

REFUSALS = {
    409: "You may not have enough to buy it",
    403: "Some items are for subscribers only",
    404: "The game no longer sells this item",
    422: "The game rejected this order.",
    429: "The game is limiting requests",
}
NEVER = (400, 402, 403, 404, 409, 410, 413, 422)


@pytest.mark.parametrize("spelling", ["has_purchased", "has_purchasd"])
async def test_a_purchase_whose_answer_is_lost_is_found_in_the_catalog(
    rogue_world: World, shop: RogueShop, spelling: str
) -> None:
    shop.spelling = spelling
    losses = [lose_the_answer, mumble, break_down_after]
    for number, answer in enumerate(losses, start=1):
        shop.outcomes.append(answer)
        assert f"Hat number {number} is yours" in await buy(rogue_world, str(number))

    assert shop.charged == shop.orders == Counter({1: 1, 2: 1, 3: 1})
    assert (await orders(rogue_world)).count("✅ Bought") == len(losses)


@pytest.mark.parametrize(
    "answer", [lose_the_request, refuse(408), refuse(500), send_half, mumble_only]
)
async def test_not_bought_is_said_late_and_never_while_it_may_still_arrive(
    rogue_world: World, shop: RogueShop, answer: Answer
) -> None:
    shop.outcomes.append(answer)
    card = await ask(rogue_world)
    pressed = buttons_of(card)["Buy item"]["custom_id"]
    await rogue_world.member.click(card, label="Buy item")
    assert "Not confirmed yet: Hat number 3" in text_of(card)
    assert "can still go through until <t:" in text_of(card)
    assert "weren't charged" not in text_of(card)
    assert list(buttons_of(card)) == ["Check now", "Your orders"]

    for minutes in (1, 5):
        await rogue_world.pass_time(60 * minutes)
        assert "Not confirmed yet" in text_of(card)
    await rogue_world.member.click(card, label="Check now")
    assert "Not confirmed yet" in text_of(card)
    assert "Not confirmed yet" in await orders(rogue_world)

    await rogue_world.pass_time(60 * 9)
    assert "Not bought: Hat number 3" in text_of(card)
    assert "You weren't charged." in text_of(card)
    assert "\nNot bought: you weren't charged\n" in await orders(rogue_world)
    await press_again(rogue_world.member, rogue_world.channel, card, pressed)
    assert "Not bought: Hat number 3" in text_of(card)
    await rogue_world.pass_time(24 * 3600)
    assert "You haven't ordered anything yet" in await orders(rogue_world)
    await rogue_world.member.click(card, label="Buy")
    await rogue_world.member.click(card, label="Buy item")
    assert "is yours" in text_of(card)
    assert shop.charged[3] == 1


async def test_ask_now_tells_what_has_gone_through(rogue_world: World, shop: RogueShop) -> None:
    shop.outcomes.append(lose_the_request)
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy item")
    shop.owned.add(3)

    await rogue_world.member.click(card, label="Check now")

    assert "Hat number 3 is yours" in text_of(card)


async def test_a_doubt_blocks_buying_for_15_minutes(rogue_world: World, shop: RogueShop) -> None:
    card, second = await ask(rogue_world), await ask(rogue_world)
    plain = buttons_of(second)["Buy item"]["custom_id"]
    shop.outcomes.append(lose_the_request)
    await rogue_world.member.click(card, label="Buy item")
    await rogue_world.pass_time(60 * 14)

    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    assert "Not confirmed yet" in text_of(item)
    assert "Buy" not in buttons_of(item)
    assert "Not confirmed yet" in text_of(second)
    await press_again(rogue_world.member, rogue_world.channel, second, plain)
    assert "Not confirmed yet" in text_of(second)
    assert "Not confirmed yet" in text_of(await ask(rogue_world))
    assert shop.orders[3] == 1

    await rogue_world.pass_time(60)
    assert "is yours" in await buy(rogue_world)
    assert shop.charged[3] == 1


@pytest.mark.parametrize("unread", [{1}, {2}, {3}])
async def test_half_a_catalog_is_no_proof_that_nothing_was_bought(
    rogue_world: World, shop: RogueShop, unread: set[int]
) -> None:
    shop.stock(60)

    def move_and_break_down() -> None:
        shop.items.append(shop.items.pop(2))
        shop.failing_pages |= unread

    shop.before_order = move_and_break_down
    shop.outcomes.append(lose_the_request)

    assert "Not confirmed yet" in await buy(rogue_world)
    assert "Not confirmed yet" in await orders(rogue_world)


async def test_a_refusal_is_explained_without_a_look(rogue_world: World, shop: RogueShop) -> None:
    for number, (status, sentence) in enumerate(REFUSALS.items(), start=1):
        shop.outcomes.append(refuse(status, "Computer says *no*."))
        quoted = await buy(rogue_world, str(number))
        assert f"Not bought: Hat number {number}" in quoted
        assert "Computer says \\*no\\*." in quoted
        assert sentence not in quoted

        card = await ask(rogue_world, item=str(number))
        shop.outcomes.append(refuse(status))
        shop.pages_asked.clear()
        await rogue_world.member.click(card, label="Buy item")
        assert sentence in text_of(card)
        for _ in range(2):
            await rogue_world.pass_time(60 * 10)
        # The price, before it was asked for.
        assert shop.pages_asked == [1]
        # What the game won't sell is not offered again.
        assert ("Buy" in buttons_of(card)) is (status == 429)

    assert not shop.charged


@pytest.mark.parametrize("is_asked", [True, False])
@pytest.mark.parametrize(("command", "yes"), [("buy", "Buy item"), ("redeem", "Redeem item")])
async def test_an_order_that_met_an_expired_token_is_asked_for_again_after_linking(
    rogue_world: World, shop: RogueShop, command: str, yes: str, *, is_asked: bool
) -> None:
    card = await ask(rogue_world, command)
    if is_asked:
        shop.outcomes.append(refuse(401))
    else:
        shop.expired = {"any-token"}
    await rogue_world.member.click(card, label=yes)
    assert "no longer accepts" in text_of(card)
    assert not {"Buy", "Try again"} & buttons_of(card).keys()

    shop.expired = set()
    form = await rogue_world.member.click(card, label="Link account")
    question = await rogue_world.member.submit_modal(form, {"token": "another-token"})

    assert f"{command.title()} Hat number 3?" in text_of(question)
    assert yes in buttons_of(question)
    # What came to nothing is no matter of an account; what the game was not asked for is no order.
    assert ("no longer accepts" in await orders(rogue_world)) is is_asked


async def test_a_purchase_counts_for_15_minutes(rogue_world: World, shop: RogueShop) -> None:
    await buy(rogue_world)
    shop.owned.clear()
    await rogue_world.pass_time(60 * 14)

    gallery = answer_of(await rogue_world.slash("shop browse", catalog="1"))
    await rogue_world.member.click(gallery, label="Refresh")
    assert "✅ Yours" in text_of(gallery)
    item = await rogue_world.slash("shop item", item="3", catalog="1")
    assert "Buy" not in buttons_of(item)
    not_owned = await rogue_world.slash("shop browse", catalog="1", show="not owned")
    assert "Hat number 3**" not in text_of(not_owned)
    offered = await rogue_world.member.autocomplete(
        rogue_world.channel, "shop buy", "item", "Hat number 3", catalog="1"
    )
    assert "3" not in [entry["value"] for entry in offered]
    assert "You already own Hat number 3" in text_of(await ask(rogue_world))
    assert shop.orders[3] == 1

    await rogue_world.pass_time(60)
    await rogue_world.member.click(gallery, label="Refresh")
    assert "✅ Yours" not in text_of(gallery)
    assert "is yours" in await buy(rogue_world)
    assert shop.orders[3] == 2


async def test_two_members_with_one_account_buy_once(rogue_world: World, shop: RogueShop) -> None:
    world = rogue_world
    await world.settle(world.friend, "any-token")
    shop.outcomes.append(lose_the_request)
    friends = answer_of(await world.slash("shop buy", world.friend, item="3", catalog="1"))
    await buy(world)

    await world.friend.click(friends, label="Buy item")
    assert "Not confirmed yet" in text_of(friends)
    item = await world.slash("shop item", world.friend, item="3", catalog="1")
    assert "Not confirmed yet" in text_of(item)
    assert "Buy" not in buttons_of(item)
    shop.owned.add(3)
    await world.pass_time(36)

    # Only the member who ordered the item has it in the list.
    assert "✅ Bought" in await orders(world)
    listed = await world.slash("shop orders", world.friend)
    assert "You haven't ordered anything yet" in text_of(listed)
    gallery = await world.slash("shop browse", world.friend, catalog="1")
    assert "✅ Yours" in text_of(gallery)
    assert shop.orders[3] == 1


async def test_an_order_for_a_gone_item_ends(rogue_world: World, shop: RogueShop) -> None:
    shop.outcomes.append(lose_the_request)
    gone = shop.items[2]
    await buy(rogue_world)
    card = await ask(rogue_world)
    assert "Not confirmed yet" in text_of(card)
    del shop.items[2]
    await rogue_world.pass_time(60 * 14)
    assert "Not confirmed yet" in text_of(card)
    await rogue_world.pass_time(60)

    assert "Outcome unknown: check in the game if you own it" in await orders(rogue_world)
    shop.items.insert(2, gone)
    gallery = answer_of(await rogue_world.slash("shop browse", catalog="1"))
    await rogue_world.member.click(gallery, label="Refresh")
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy item")
    assert "is yours" in text_of(card)


async def test_a_foreign_confirmation_acts_for_whoever_presses_it(tmp_path: Path) -> None:
    async with open_rogue_shop() as shop, open_world(tmp_path, shop.base_url) as world:
        shop.stock(5)
        for actor, token in ((world.member, "one"), (world.friend, "two")):
            await world.settle(actor, token)
        card = await ask(world, item="3")
        foreign = buttons_of(card)["Buy item"]["custom_id"]
        await world.member.click(card, label="Buy item")
        own = answer_of(await world.slash("shop buy", world.friend, item="3", catalog="1"))
        await press_again(world.friend, world.channel, own, foreign)

        assert "You already own Hat number 3" in text_of(own)
        assert shop.orders[3] == 1


@pytest.mark.parametrize("verb", ["Buy", "Redeem"])
@pytest.mark.parametrize(("status", "helps"), [*((status, False) for status in NEVER), (429, True)])
async def test_what_the_game_refuses_for_good_is_not_offered_again(
    rogue_world: World, shop: RogueShop, verb: str, status: int, helps: bool
) -> None:
    shop.outcomes.append(refuse(status, "Hat is for subscribed players only."))
    card = await ask(rogue_world, verb.lower())

    await rogue_world.member.click(card, label=f"{verb} item")

    again = {"Open", "Buy", "Try again"} & buttons_of(card).keys()
    assert again == {"Open"} | ({"Buy" if verb == "Buy" else "Try again"} if helps else set())


@pytest.mark.parametrize(
    ("language", "mark"), [("en-GB", "⭐ Subscribers only"), ("de", "⭐ Nur mit Abo")]
)
async def test_the_question_says_that_an_item_is_for_subscribers(
    rogue_world: World, shop: RogueShop, language: str, mark: str
) -> None:
    shop.items[2]["is_member_item"] = True
    speak_language(rogue_world.env, language)

    for verb in ("buy", "redeem"):
        assert mark in text_of(await ask(rogue_world, verb))
