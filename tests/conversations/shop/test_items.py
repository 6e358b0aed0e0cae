"""Looking at items, sharing and finding them, by name and while typing."""

import asyncio
from typing import Any

import pytest

from bot.ui import theme
from tests.support.cards import answer_of, buttons_of, components, selects_of, text_of
from tests.support.rogue_game import RogueShop, item
from tests.support.shopping import buy
from tests.support.world import NEWCOMER, SUBSCRIBER, World

THUMBNAIL, MEDIA_GALLERY, CONTAINER = 11, 12, 17


async def look(world: World, what: str, **options: Any) -> Any:
    return answer_of(await world.slash("shop item", item=what, **options))


def gallery_of(card: Any) -> dict[str, str]:
    """Give the descriptions and addresses of the pictures in a card's gallery."""
    return {
        picture["description"]: picture["media"]["url"]
        for component in components(card)
        if component["type"] == MEDIA_GALLERY
        for picture in component["items"]
    }


async def test_an_items_card_shows_everything(rogue_world: World, shop: RogueShop) -> None:
    await rogue_world.slash("setup catalog", rogue_world.moderator, id="1", name="Season")
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
    assert [
        component["media"]["url"]
        for component in components(card)
        if component["type"] == THUMBNAIL
    ] == ["https://assets.example/7.png"]
    assert gallery_of(card) == {
        "Acorn Cap on paper": "https://assets.example/paper.png",
        "Acorn Cap without eyes": "https://assets.example/no-eye.png",
    }
    assert {"Buy", "Redeem", "Share"} <= buttons_of(card).keys()


async def test_what_cannot_be_done_has_no_button(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    for command, confirm in {"buy": "Buy item", "redeem": "Redeem item"}.items():
        asked = await world.slash(f"shop {command}", item="Flower Wreath", catalog="1")
        await world.member.click(answer_of(asked), label=confirm)

    card = await look(world, "Flower Wreath", catalog="1")

    assert "✅ Yours" in text_of(card)
    # The game alone knows whether it can be redeemed once more.
    assert list(buttons_of(card)) == ["Redeem", "Share", "Back"]
    assert "You already own Flower Wreath" in text_of(
        await world.slash("shop watch", item="Flower Wreath", catalog="1")
    )
    assert "You redeemed it <t:" in text_of(card)


async def test_a_shared_item_is_public_and_says_nothing_of_who_owns_it(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    asked = answer_of(await world.slash("shop buy", item="1", catalog="1"))
    await world.member.click(asked, label="Buy item")
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
    assert "You already shared this" in text_of(again)
    assert len(world.channel.history()) == 1
    shared = world.channel.last_message
    assert shared is not None
    refused = await world.friend.click(shared, label="Delete post")
    assert "Only the member who shared it can delete it" in text_of(refused)
    await world.member.click(shared, label="Delete post")

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
    await world.friend.click(answer_of(asked), label="Buy item")

    assert "Acorn Cap is yours" in text_of(answer_of(asked))
    assert text_of(shared) == before
    assert "Acorn Cap" in text_of(await world.slash("shop orders", world.friend))
    assert "You haven't ordered anything yet" in text_of(await world.slash("shop orders"))


async def test_whoever_presses_without_a_link_is_led_to_one_and_back(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    card = await look(world, "1", catalog="1")
    shared = await world.member.click(card, label="Share")

    refused = await world.friend.click(answer_of(shared), label="Buy")
    assert "Link your game account first" in text_of(refused)
    looking = await world.friend.click(answer_of(shared), label="Open")
    assert "The game only shows its shop to players." in text_of(looking)
    form = await world.friend.click(answer_of(refused), label="Link account")
    await world.friend.submit_modal(form, {"token": NEWCOMER})

    assert "Buy Acorn Cap?" in text_of(answer_of(refused))


@pytest.mark.parametrize(
    ("command", "options", "acts"),
    [
        ("shop browse", {"catalog": "1"}, False),
        ("shop browse", {"catalog": "1", "show": "clearance"}, False),
        ("shop item", {"item": "1", "catalog": "1"}, False),
        ("shop watch", {"item": "1", "catalog": "1"}, False),
        ("shop watch", {"name": "hat", "catalog": "1"}, False),
        ("shop buy", {"item": "1", "catalog": "1"}, True),
        ("shop redeem", {"item": "1", "catalog": "1"}, True),
        ("forum post", {"thread": "1", "content": "Hello"}, True),
    ],
)
async def test_who_has_no_link_is_invited(
    world: World, command: str, options: dict[str, str], *, acts: bool
) -> None:
    invited = await world.slash(command, world.member, **options)

    assert ("Kiosk does this as you in the game" in text_of(invited)) is acts
    assert ("The game only shows its shop to players." in text_of(invited)) is not acts
    assert "Then you can post, browse and buy as yourself." in text_of(invited)
    assert "where to get an access token" in text_of(invited)
    (colour,) = (
        component["accent_color"]
        for component in components(invited)
        if component["type"] == CONTAINER
    )
    assert colour == theme.ACCOUNT.value
    assert "Link account" in buttons_of(invited)


async def test_an_item_is_found_by_a_name_with_one_typing_error(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    assert "## Straw Hat" in text_of(await look(world, "straw hat", catalog="1"))
    assert "## Wizard Hat" in text_of(await look(world, "Wiz", catalog="1"))
    assert "## Flower Wreath" in text_of(await look(world, "flowr wreath", catalog="1"))
    assert "Buy Straw Hat?" in text_of(await world.slash("shop buy", item="strw ha", catalog="1"))


async def test_an_item_is_found_in_any_named_catalog(rogue_world: World, shop: RogueShop) -> None:
    for command in ("shop item", "shop buy", "shop watch"):
        asked = await rogue_world.slash(command, item="18")
        assert "Nothing is set up here yet" in text_of(asked)
    assert "Nothing is set up here yet" in text_of(await rogue_world.slash("shop watch", name="a"))

    add = "setup catalog"
    await rogue_world.slash(add, rogue_world.moderator, id="5", name="Closed down")
    await rogue_world.slash(add, rogue_world.moderator, id="1", name="Season")

    assert "## Hat number 18" in text_of(await look(rogue_world, "18"))
    assert "## Hat number 19" in text_of(await look(rogue_world, "Hat number 19"))


async def test_catalogs_seen_lately_are_searched_without_names(rogue_world: World) -> None:
    await rogue_world.slash("shop browse", catalog="1")
    assert "## Hat number 18" in text_of(await look(rogue_world, "18"))


async def test_what_several_items_may_be_is_a_list_to_choose_from(rogue_world: World) -> None:
    assert "## Hat number 1\n" in text_of(await look(rogue_world, "Hat number 1", catalog="1"))

    asked = answer_of(await rogue_world.slash("shop buy", item="number 2", catalog="1"))
    assert "“number 2” matches several names: " in text_of(asked)
    (offered,) = selects_of(asked)
    assert [each["label"] for each in offered["options"]] == ["Hat number 2", "Hat number 20"]
    assert offered["options"][1]["description"] == "200 Acorns"
    await rogue_world.member.select(asked, [offered["options"][1]["value"]])

    assert "Buy Hat number 20?" in text_of(asked)


async def test_a_game_that_is_down_hides_no_item(rogue_world: World, shop: RogueShop) -> None:
    shop.failing_pages = {2}
    assert "The game isn't answering" in text_of(await look(rogue_world, "18", catalog="1"))


async def test_a_pause_is_one_members_alone(rogue_world: World, shop: RogueShop) -> None:
    world = rogue_world
    await world.settle(world.friend, "another-token")
    shop.busy_pages = {1}
    shop.pages_asked.clear()
    assert "The game is limiting requests" in text_of(await look(world, "3", catalog="1"))
    assert shop.pages_asked == [1]
    shop.busy_pages = set()

    others = await world.slash("shop browse", world.friend, catalog="1")
    assert "Hat number 1" in text_of(others)
    assert "The game is limiting requests" in text_of(await look(world, "3", catalog="1"))
    assert shop.pages_asked == [1, 1]


def offered(card: Any) -> dict[str, str]:
    """Give what the card's list offers: labels, and the values they stand for."""
    (listed,) = selects_of(card)
    return {each["label"]: each["value"] for each in listed["options"]}


async def test_linking_goes_on_with_a_named_item(rogue_world: World, shop: RogueShop) -> None:
    world, long_name = rogue_world, "Hat: with | 100% of " + "straw " * 20
    shop.items = [item(1, name=long_name.strip()), item(2)]
    await world.slash("setup catalog", world.moderator, id="1", name="Season")

    async def name_and_link(command: str, name: str, **options: str) -> Any:
        await world.link(world.friend, "any-token")
        await world.press_through(
            "account show", "Unlink account…", "Unlink account", actor=world.friend
        )
        refused = answer_of(await world.slash(command, world.friend, item=name, **options))
        form = await world.friend.click(refused, label="Link account")
        linked = await world.friend.submit_modal(form, {"token": "any-token"})
        return linked.followups[-1] if linked.followups else refused

    assert "Buy Hat number 2?" in text_of(await name_and_link("shop buy", "number 2"))
    assert "Hat number 2" in text_of(await name_and_link("shop item", "2", catalog="Season"))
    watched = await name_and_link("shop watch", "hat number 2")
    assert "🔔 You're watching this item." in text_of(watched)
    cut = await name_and_link("shop redeem", long_name)
    assert "Redeem Hat: with" in text_of(cut)
    several = await name_and_link("shop buy", "hat")
    assert len(offered(several)) == 2


Entries = dict[str, str]


COMING = "The list is loading: keep typing"


async def suggest(
    world: World, typed: str, command: str = "shop item", option: str = "item", **filled: str
) -> Entries:
    """Return the entries that are offered: their labels and their values.

    Keep typing while Kiosk says so, and until nothing is added any more.
    """
    before, offered = None, await offers(world, typed, command, option, **filled)
    while offered != before or COMING in offered:
        before, offered = offered, await offers(world, typed, command, option, **filled)
    return offered


async def offers(world: World, typed: str, command: str, option: str, **filled: str) -> Entries:
    found = await world.member.autocomplete(world.channel, command, option, typed, **filled)
    return {entry["name"]: entry["value"] for entry in found}


async def test_without_a_catalog_items_of_all_named_ones_are_offered(rogue_world: World) -> None:
    assert list(await suggest(rogue_world, "number 2")) == ["Nothing is set up here yet"]
    add = "setup catalog"
    await rogue_world.slash(add, rogue_world.moderator, id="1", name="Season")

    assert "Hat number 20 · 200 Acorns" in await suggest(rogue_world, "number 2")


async def test_owned_items_are_marked_or_left_out(rogue_world: World, shop: RogueShop) -> None:
    shop.items = [item(1), item(2)]
    shop.owned.add(1)

    looked_at = await suggest(rogue_world, "", catalog="1")
    bought = await suggest(rogue_world, "", "shop buy", catalog="1")

    assert list(looked_at) == ["Hat number 1 · 10 Acorns ✅", "Hat number 2 · 20 Acorns"]
    assert list(bought) == ["Hat number 2 · 20 Acorns"]


async def test_a_slow_game_is_not_waited_for(rogue_world: World, shop: RogueShop) -> None:
    shop.gate = asyncio.Event()

    assert list(await offers(rogue_world, "Hat", "shop item", "item", catalog="1")) == [COMING]
    shop.gate.set()
    assert "Hat number 1 · 10 Acorns" in await suggest(rogue_world, "Hat n", catalog="1")


async def test_known_items_are_offered_offline(rogue_world: World, shop: RogueShop) -> None:
    await rogue_world.slash("shop browse", catalog="1")
    shop.is_down = True
    assert "Hat number 7 · 70 Acorns" in await suggest(rogue_world, "number 7", catalog="1")


async def test_an_entry_for_a_game_down_is_answered(rogue_world: World, shop: RogueShop) -> None:
    shop.is_down = True

    offered = await suggest(rogue_world, "Hat", catalog="1")

    assert list(offered) == ["The game isn't answering: enter the item's number"]
    (chosen,) = offered.values()
    shown = await rogue_world.slash("shop buy", item=chosen, catalog="1")
    assert "You chose before the game had sent its items" in text_of(shown)


async def test_an_unknown_catalog_is_told_in_the_list(rogue_world: World) -> None:
    await rogue_world.slash("setup catalog", rogue_world.moderator, id="1", name="Season")
    (label,) = await suggest(rogue_world, "Hat", catalog="Nowhere")
    assert "pick one from the list first" in label


async def test_types_of_the_chosen_catalog_are_offered(rogue_world: World, shop: RogueShop) -> None:
    shop.items[3]["item_type"] = {"id": 9, "name": "Kite"}

    for command in ("shop browse", "shop watch"):
        offered = await suggest(rogue_world, "k", command, "type", catalog="1")
        assert offered == {"Kite": "9"}


@pytest.mark.parametrize("name", ["", " ", "\u200b"])
async def test_an_item_without_a_name_has_an_entry_in_every_list(
    rogue_world: World, shop: RogueShop, name: str
) -> None:
    shop.items[0]["name"] = name
    member = rogue_world.member
    shown = await rogue_world.slash("shop browse", catalog="1")
    labels = [option["label"] for option in selects_of(shown)[0]["options"]]
    deeds = [label for label in labels if "(no name)" in label]
    assert deeds == ["Open (no name)", "Buy (no name)", "Watch (no name)"]
    offered = await member.autocomplete(rogue_world.channel, "shop item", "item", "", catalog="1")
    assert offered[0]["name"] == "(no name) · 10 Acorns"
    await buy(rogue_world, "1")
    ordered = selects_of(await rogue_world.slash("shop orders"))[0]["options"]
    assert [option["label"] for option in ordered] == ["Open (no name)"]


@pytest.mark.parametrize(
    ("name", "described"),
    [("Straw Hat", "Straw Hat"), ("", "(no name)"), ("*Hat*\n" * 30, "*Hat* *Hat* ")],
)
async def test_every_picture_of_an_item_says_what_it_shows(
    rogue_world: World, shop: RogueShop, name: str, described: str
) -> None:
    shop.items[0]["name"] = name
    shown: list[Any] = [await rogue_world.slash("shop browse", catalog="1")]
    shown.append(await look(rogue_world, "1"))
    shown.append(await rogue_world.slash("shop buy", item="1", catalog="1"))
    await rogue_world.member.click(answer_of(shown[-1]), label="Buy item")
    shown.append(await rogue_world.slash("shop orders"))
    shown.append(await rogue_world.slash("shop buy", item="1", catalog="1"))
    for card in shown:
        (first, *_) = [
            part.get("items", [part])[0]
            for part in components(card)
            if part["type"] in (THUMBNAIL, MEDIA_GALLERY)
        ]
        assert first["description"].startswith(described)
