"""Buying and redeeming, as members meet it, also while the database can't be written."""

import pytest

from bot.ui import answers
from playground.simulation import speak_language
from tests.support.cards import answer_of, blue_of, buttons_of, text_of
from tests.support.full_disk import fill_up, make_room
from tests.support.gates import PATIENCE_SECONDS
from tests.support.presses import press_again
from tests.support.rogue_game import (
    ACORNS,
    Answer,
    RogueShop,
    confirm_another,
    honest,
    lose_the_answer,
    lose_the_request,
)
from tests.support.shopping import ask, buy, orders, redeem
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World


async def test_a_member_buys_an_item_after_confirming_its_name_and_price(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    card = await ask(world, item="1")
    assert "Buy Acorn Cap?" in text_of(card)
    assert "40 Acorns" in text_of(card)
    await world.member.click(card, label="Buy item")

    assert "Acorn Cap is yours" in text_of(card)
    assert "**Acorn Cap** · 40 Acorns\n✅ Bought" in await orders(world)


async def test_what_is_bought_is_shown_to_the_channel_and_redeemed_from_its_card(
    rogue_world: World,
) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    await steps.use("shop browse", catalog="1")
    await steps.choose("Buy Hat number 3")
    await steps.press("Buy item")
    assert list(buttons_of(steps.card)) == [
        "Open catalog",
        "Redeem",
        "Share",
        "Open",
        "Your orders",
    ]
    assert blue_of(steps.card) == ["Open catalog"]

    shared = await rogue_world.member.click(steps.card, label="Share")
    assert not shared.ephemeral
    assert "### member got the Hat number 3\n**30 Acorns**\n-# Catalog 1\n" in text_of(shared)
    assert list(buttons_of(shared)) == ["Buy", "Redeem", "Watch", "Open", "Delete post"]
    again = await rogue_world.member.click(steps.card, label="Share")
    assert "You already shared this" in text_of(again)
    await rogue_world.member.click(answer_of(shared), label="Delete post")
    assert not rogue_world.channel.history()

    assert "Redeem Hat number 3?" in await steps.press("Redeem")
    await steps.press("Cancel")
    await steps.press("Back")
    await steps.choose("Redeem Hat number 3")
    assert "Redeem Hat number 3?" in text_of(steps.card)


async def test_nobody_shares_what_they_have_not_bought(rogue_world: World, shop: RogueShop) -> None:
    shop.outcomes.append(lose_the_request)
    card = await ask(rogue_world)
    await rogue_world.member.click(card, label="Buy item")
    open_order = buttons_of(card)["Check now"]["custom_id"].replace("asknow", "share.order")
    bought = await ask(rogue_world, item="4")
    await rogue_world.member.click(bought, label="Buy item")
    theirs = buttons_of(bought)["Share"]["custom_id"]

    for actor, custom_id in ((rogue_world.member, open_order), (rogue_world.friend, theirs)):
        shown = answer_of(await rogue_world.slash("help", actor))
        await press_again(actor, rogue_world.channel, shown, custom_id)
        assert "got the" not in text_of(shown)
    assert not rogue_world.channel.history()


@pytest.mark.usefixtures("on_both_engines")
async def test_two_cards_lead_to_one_purchase(rogue_world: World, shop: RogueShop) -> None:
    cards = [await ask(rogue_world), await ask(rogue_world)]
    pressed = [buttons_of(card)["Buy item"]["custom_id"] for card in cards]
    await rogue_world.member.click(cards[0], label="Buy item")
    # The card is drawn again at once. A slow thumb presses the old button all the same.
    assert "You already own Hat number 3" in text_of(cards[1])
    # The game is slow to list the purchase.
    shop.owned.clear()
    for card, custom_id in zip(cards, pressed, strict=True):
        await press_again(rogue_world.member, rogue_world.channel, card, custom_id)
        assert "is yours" in text_of(card)

    assert shop.orders[3] == 1


async def test_a_changed_price_is_confirmed_again(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world)
    gems = ACORNS | {"id": 2, "name": "Gems", "singular_name": "Gem"}
    for change, price in (({"cost": 99}, "99 Acorns"), ({"currency": gems}, "99 Gems")):
        shop.items[2] |= change
        await rogue_world.member.click(card, label="Buy item")
        assert "The price has changed" in text_of(card)
        assert price in text_of(card)

    assert not shop.orders
    assert "You haven't ordered anything yet" in await orders(rogue_world)
    await rogue_world.member.click(card, label="Buy item")
    assert "Bought for 99 Gems" in text_of(card)
    assert shop.charged[3] == 1


async def test_a_yes_with_another_id_is_a_yes(rogue_world: World, shop: RogueShop) -> None:
    shop.outcomes.extend([confirm_another] * 2)
    # The catalog is not asked about what the game has said.
    shop.before_order = lambda: setattr(shop, "is_down", True)

    assert "Hat number 3 is yours" in await buy(rogue_world)
    shop.is_down = False
    assert "Hat number 4 redeemed" in await redeem(rogue_world, "4")


async def test_an_owned_item_is_not_bought_again(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world)
    shop.owned.add(3)
    await rogue_world.member.click(card, label="Buy item")

    assert "You already own Hat number 3" in text_of(card)
    assert not shop.orders


async def test_an_item_that_is_gone_is_not_bought(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world)
    del shop.items[2]
    await rogue_world.member.click(card, label="Buy item")

    assert "This item is gone" in text_of(card)
    assert list(buttons_of(card)) == ["Back"]
    assert not shop.orders


async def test_an_item_that_moved_is_still_bought(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world, item="15")
    shop.items.insert(0, shop.items.pop())
    await rogue_world.member.click(card, label="Buy item")

    assert "is yours" in text_of(card)


@pytest.mark.parametrize(
    ("written", "status", "code"),
    [
        (PATIENCE_SECONDS, 400, 40060),
        (0.0, 400, 40060),
        (PATIENCE_SECONDS, 404, 10062),
        (PATIENCE_SECONDS, 500, 0),
    ],
)
async def test_nothing_is_bought_where_discord_refuses_the_first_answer(
    rogue_world: World,
    shop: RogueShop,
    monkeypatch: pytest.MonkeyPatch,
    written: float,
    status: int,
    code: int,
) -> None:
    monkeypatch.setattr(answers, "_WRITTEN_SECONDS", written)
    card = await ask(rogue_world)
    rogue_world.env.inject_error("POST", "/interactions/*", status=status, code=code)

    await rogue_world.member.click(card, label="Buy item")

    assert not shop.orders
    assert "nothing was posted or bought" in text_of(card)
    assert "You haven't ordered anything yet" in await orders(rogue_world)
    await rogue_world.member.click(card, label="Try again")
    await rogue_world.member.click(card, label="Buy item")
    assert "is yours" in text_of(card)
    assert shop.charged[3] == 1


async def test_a_new_price_says_what_may_arrive(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world)
    shop.items[2]["cost"] = 31
    await rogue_world.member.click(card, label="Buy item")
    assert "The price has changed" in text_of(card)

    shop.outcomes.append(lose_the_request)
    await buy(rogue_world)
    await rogue_world.member.click(answer_of(await ask(rogue_world)), label="Check now")

    assert "Not confirmed yet" in text_of(card)
    assert "Buy item" not in buttons_of(card)


@pytest.mark.parametrize(
    ("locale", "choose", "go_on", "account"),
    [
        ("en-US", "Choose a catalog", "Open catalog", "with any account."),
        ("de", "Katalog auswählen", "Katalog öffnen", "auch nicht mit einem anderen Konto."),
    ],
)
async def test_blue_is_what_most_people_want_next(
    rogue_world: World, shop: RogueShop, locale: str, choose: str, go_on: str, account: str
) -> None:
    asked, member = await ask(rogue_world), rogue_world.member
    speak_language(rogue_world.env, locale)

    assert blue_of(await rogue_world.slash("account watches")) == [choose]
    unknown = await rogue_world.slash("shop item", item="nothing of the kind", catalog="1")
    assert blue_of(unknown) == [choose]
    await member.click(asked, label="Buy item")
    assert blue_of(asked) == [go_on]
    owned = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    assert blue_of(owned) == [go_on]
    assert account in text_of(owned)

    await member.click(owned, label=go_on)

    title = "Catalog 1" if locale == "en-US" else "Katalog 1"
    assert f"## {title}" in text_of(owned)


async def test_another_account_confirms_anew(rogue_world: World, shop: RogueShop) -> None:
    card = await ask(rogue_world)
    await rogue_world.bot.features.accounts.unlink(rogue_world.member.id)
    await rogue_world.member.click(card, label="Buy item")
    assert "Link your game account first" in text_of(card)

    link = buttons_of(card)["Link account"]["custom_id"]
    form = await rogue_world.member.click(card, custom_id=link)
    await rogue_world.member.submit_modal(form, {"token": "another"})

    assert not shop.orders


async def test_an_item_at_another_park_is_explained_in_the_games_words(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    told = await redeem(world, "Captain's Hat")

    assert "You can redeem an item only once" not in told
    assert "not available at your current park" in told


@pytest.mark.usefixtures("on_both_engines")
async def test_a_lost_redemption_is_unknown(rogue_world: World, shop: RogueShop) -> None:
    shop.outcomes.append(lose_the_answer)

    told = await redeem(rogue_world)

    assert "Outcome unknown: " in told
    assert "Check your items in the game before you redeem it again." in told
    listed = await orders(rogue_world)
    assert "Outcome unknown: check in the game if you have it" in listed


@pytest.mark.parametrize(
    ("answer", "earlier"),
    [
        (lose_the_answer, "Kiosk doesn't know if your earlier redemption went through."),
        (honest, "You redeemed it <t:"),
    ],
)
async def test_redeeming_again_says_first_what_is_known_of_the_last_time(
    rogue_world: World, shop: RogueShop, answer: Answer, earlier: str
) -> None:
    first, second = await ask(rogue_world, "redeem"), await ask(rogue_world, "redeem")
    pressed = buttons_of(second)["Redeem item"]["custom_id"]
    shop.outcomes.append(answer)
    await rogue_world.member.click(first, label="Redeem item")
    told = text_of(first)

    # A card that was open before could not say so.
    assert text_of(second) == told
    await press_again(rogue_world.member, rogue_world.channel, second, pressed)
    assert text_of(second) == told
    assert shop.orders[3] == 1

    card = await ask(rogue_world, "redeem")
    assert earlier in text_of(card)
    pressed = buttons_of(card)["Redeem item"]["custom_id"]
    await rogue_world.member.click(card, label="Redeem item")
    assert "Hat number 3 redeemed" in text_of(card)
    await press_again(rogue_world.member, rogue_world.channel, card, pressed)
    assert shop.orders[3] == 2


async def test_an_item_tells_of_its_redemption(rogue_world: World, shop: RogueShop) -> None:
    shop.outcomes.append(lose_the_answer)
    await redeem(rogue_world)

    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    assert "Kiosk doesn't know if your earlier redemption went through." in text_of(item)
    await rogue_world.member.click(item, label="Redeem")
    await rogue_world.member.click(item, label="Redeem item")

    assert "Hat number 3 redeemed" in text_of(item)


async def test_an_unwritten_outcome_is_told(rogue_world: World, shop: RogueShop) -> None:
    address = rogue_world.settings.database_url
    shop.before_order = lambda: fill_up(address)
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    await rogue_world.member.click(card, label="Buy item")

    assert "Hat number 3 is yours" in text_of(card)
    item = answer_of(await rogue_world.slash("shop item", item="3", catalog="1"))
    assert "Buy" not in buttons_of(item)
    await make_room(address)
    await rogue_world.pass_time(60)
    assert "✅ Bought" in await orders(rogue_world)
    assert shop.orders[3] == 1
