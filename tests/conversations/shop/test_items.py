"""Looking at an item, sharing it and finding it by name, as members meet it."""

from typing import Any

from tests.support.cards import answer_of, buttons_of, components, selects_of, text_of
from tests.support.rogue_shop import RogueShop, item
from tests.support.world import NEWCOMER, SUBSCRIBER, World

MEDIA_GALLERY = 12


async def look(world: World, what: str, **options: Any) -> Any:
    return answer_of(await world.slash("shop item", item=what, **options))


def gallery_of(card: Any) -> dict[str, str]:
    """Give the descriptions and addresses of the pictures in a card's gallery."""
    return {
        picture["description"]: picture["media"]["url"]
        for each in components(card)
        if each["type"] == MEDIA_GALLERY
        for picture in each["items"]
    }


async def test_an_items_card_shows_every_fact_and_every_picture(
    rogue_world: World, shop: RogueShop
) -> None:
    await rogue_world.slash("setup catalog add", rogue_world.moderator, id="1", name="Season")
    shop.items = [
        item(
            7,
            name="Acorn Cap",
            paper_url="https://assets.example/paper.png",
            no_eye_url="https://assets.example/no-eye.png",
            is_clearance=True,
            is_member_item=True,
            is_coin_code_item=True,
        )
    ]

    card = await look(rogue_world, "7", catalog="season")

    text = text_of(card)
    for fact in ("Acorn Cap", "Hat", "70 Acorns", "Season", "7", "Clearance", "Subscribers only"):
        assert fact in text
    assert "Coin code" in text
    assert gallery_of(card) == {
        "Acorn Cap: how it looks": "https://assets.example/7.png",
        "Acorn Cap on paper": "https://assets.example/paper.png",
        "Acorn Cap without eyes": "https://assets.example/no-eye.png",
    }
    assert {"Buy", "Redeem", "Share"} <= buttons_of(card).keys()


async def test_an_item_without_any_picture_has_a_card_all_the_same(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items = [
        item(
            1,
            icon_url=None,
            currency={"id": 1, "name": "Acorns"},
            item_type={"id": 1, "name": "Hat"},
        )
    ]

    assert "10 Acorns" in text_of(await look(rogue_world, "1", catalog="1"))


async def test_what_cannot_be_done_is_a_disabled_button_with_its_reason(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    for command, confirm in {"buy": "Buy it", "redeem": "Redeem it"}.items():
        asked = await world.slash(f"shop {command}", item="Flower Wreath", catalog="1")
        await world.member.click(answer_of(asked), label=confirm)

    card = await look(world, "Flower Wreath", catalog="1")

    assert buttons_of(card)["Buy"]["disabled"]
    assert "You own it, so there is nothing left to buy." in text_of(card)
    # The game alone knows whether it can be redeemed once more.
    assert not buttons_of(card)["Redeem"].get("disabled")
    assert "You redeemed it <t:" in text_of(card)


async def test_an_item_is_opened_from_the_gallery_and_leads_back_to_it(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    card = answer_of(await world.slash("shop browse", catalog="1", sort="name"))
    gallery = text_of(card)
    listed = selects_of(card)[0]
    value = listed["options"][2]["value"]
    await world.member.select(card, [value], custom_id=listed["custom_id"])
    assert "##" in text_of(card)
    assert "Buy" in buttons_of(card)
    await world.member.click(card, label="Back")

    assert text_of(card) == gallery


async def test_a_shared_item_is_public_and_says_nothing_of_who_owns_it(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    asked = answer_of(await world.slash("shop buy", item="1", catalog="1"))
    await world.member.click(asked, label="Buy it")
    card = await look(world, "1", catalog="1")

    shared = await world.member.click(card, label="Share")

    assert not shared.ephemeral
    assert "Acorn Cap" in text_of(shared)
    assert "Yours" not in text_of(shared)
    assert "Shared by member." in text_of(shared)
    assert "Acorn Cap" in text_of(card)


async def test_a_shared_item_counts_once_and_is_taken_back_with_one_press(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    card = await look(world, "1", catalog="1")
    await world.member.click(card, label="Share")

    again = await world.member.click(card, label="Share")
    assert "You have shared this already" in text_of(again)
    assert len(world.channel.history()) == 1
    shared = world.channel.last_message
    assert shared is not None
    refused = await world.friend.click(shared, label="Take back")
    assert "Only they can take it back" in text_of(refused)
    await world.member.click(shared, label="Take back")

    assert world.channel.last_message is None


async def test_a_shared_items_buttons_act_as_whoever_presses_them(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.settle(world.friend, NEWCOMER)
    card = await look(world, "1", catalog="1")
    shared = await world.member.click(card, label="Share")
    posted = answer_of(shared)
    before = text_of(shared)

    asked = await world.friend.click(posted, label="Buy")
    assert asked.ephemeral
    await world.friend.click(answer_of(asked), label="Buy it")

    assert "Acorn Cap is yours" in text_of(answer_of(asked))
    assert text_of(shared) == before
    assert "Acorn Cap" in text_of(await world.slash("shop orders", world.friend))
    assert "not ordered anything" in text_of(await world.slash("shop orders"))


async def test_whoever_presses_without_a_link_is_led_to_one_and_back(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    card = await look(world, "1", catalog="1")
    shared = await world.member.click(card, label="Share")

    refused = await world.friend.click(answer_of(shared), label="Buy")
    assert "Link your game account first" in text_of(refused)
    form = await world.friend.click(answer_of(refused), label="Link account")
    await world.friend.submit_modal(form, {"token": NEWCOMER})

    assert "Buy Acorn Cap?" in text_of(answer_of(refused))


async def test_an_item_is_found_by_its_name_or_the_start_of_it(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    assert "## Straw Hat" in text_of(await look(world, "straw hat", catalog="1"))
    assert "## Wizard Hat" in text_of(await look(world, "Wiz", catalog="1"))


async def test_an_item_is_found_in_any_named_catalog(rogue_world: World, shop: RogueShop) -> None:
    assert "Which catalog?" in text_of(await look(rogue_world, "18"))

    add = "setup catalog add"
    await rogue_world.slash(add, rogue_world.moderator, id="5", name="Closed down")
    await rogue_world.slash(add, rogue_world.moderator, id="1", name="Season")

    assert "## Hat number 18" in text_of(await look(rogue_world, "18"))
    assert "## Hat number 19" in text_of(await look(rogue_world, "Hat number 19"))


async def test_without_a_name_for_any_catalog_those_seen_lately_are_searched(
    rogue_world: World,
) -> None:
    await rogue_world.slash("shop browse", catalog="1")

    assert "## Hat number 18" in text_of(await look(rogue_world, "18"))


async def test_what_several_items_may_be_is_a_list_that_goes_on_with_the_command(
    rogue_world: World,
) -> None:
    assert "## Hat number 1\n" in text_of(await look(rogue_world, "Hat number 1", catalog="1"))

    asked = answer_of(await rogue_world.slash("shop buy", item="number 2", catalog="1"))
    assert "Several fit “number 2”: " in text_of(asked)
    (offered,) = selects_of(asked)
    assert [each["label"] for each in offered["options"]] == ["Hat number 2", "Hat number 20"]
    assert offered["options"][1]["description"] == "200 Acorns"
    await rogue_world.member.select(asked, [offered["options"][1]["value"]])

    assert "Buy Hat number 20?" in text_of(asked)


async def test_an_item_is_found_with_one_typing_error(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)

    assert "## Flower Wreath" in text_of(await look(world, "flowr wreath", catalog="1"))
    assert "Buy Straw Hat?" in text_of(await world.slash("shop buy", item="strw ha", catalog="1"))


async def test_an_unknown_item_is_told(rogue_world: World) -> None:
    assert "No item that Kiosk can see is called “Crown”" in text_of(
        await look(rogue_world, "Crown", catalog="1")
    )
    assert "No item that Kiosk can see is called “999”" in text_of(
        await look(rogue_world, "999", catalog="1")
    )


async def test_a_game_that_is_down_is_not_taken_for_an_unknown_item(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.failing_pages = {2}

    assert "The game doesn't answer" in text_of(await look(rogue_world, "18", catalog="1"))


async def test_a_game_that_asks_for_patience_is_told_of_at_once(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.busy_pages = {1}
    shop.pages_asked.clear()

    assert "The game asks for patience" in text_of(await look(rogue_world, "3", catalog="1"))
    assert shop.pages_asked == [1]
