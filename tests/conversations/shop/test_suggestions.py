"""Choosing items, types and catalogs while typing, as members meet it."""

import asyncio

from tests.support.cards import buttons_of, text_of
from tests.support.rogue_shop import RogueShop, item
from tests.support.world import World

Entries = dict[str, str]


COMING = "The list is on its way: keep typing"


async def suggest(
    world: World, typed: str, command: str = "shop item", option: str = "item", **filled: str
) -> Entries:
    """Give the entries that are offered: their labels and the values they stand for.

    Whoever is told to keeps typing, and until nothing is added any more.
    """
    before, offered = None, await look(world, typed, command, option, **filled)
    while offered != before or COMING in offered:
        before, offered = offered, await look(world, typed, command, option, **filled)
    return offered


async def look(world: World, typed: str, command: str, option: str, **filled: str) -> Entries:
    found = await world.member.autocomplete(world.channel, command, option, typed, **filled)
    return {entry["name"]: entry["value"] for entry in found}


async def test_items_of_the_chosen_catalog_are_offered_with_their_costs(
    rogue_world: World,
) -> None:
    offered = await suggest(rogue_world, "number 2", catalog="1")

    assert offered == {"Hat number 2 · 20 Acorns": "2", "Hat number 20 · 200 Acorns": "20"}


async def test_without_a_catalog_items_of_all_named_ones_are_offered(rogue_world: World) -> None:
    assert await suggest(rogue_world, "number 2") == {}
    add = "setup catalog add"
    await rogue_world.slash(add, rogue_world.moderator, id="1", name="Season")

    assert "Hat number 20 · 200 Acorns" in await suggest(rogue_world, "number 2")


async def test_at_most_25_items_are_offered_those_that_start_so_first(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(60)
    shop.items[50]["name"] = "umber cap"

    offered = await suggest(rogue_world, "umber", catalog="1")

    assert len(offered) == 25
    assert next(iter(offered)).startswith("umber cap")


async def test_an_item_is_offered_by_its_number(rogue_world: World) -> None:
    assert await suggest(rogue_world, "#14", catalog="1") == {"Hat number 14 · 140 Acorns": "14"}


async def test_owned_items_are_marked_and_left_out_where_something_is_to_be_bought(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items = [item(1), item(2)]
    shop.owned.add(1)

    looked_at = await suggest(rogue_world, "", catalog="1")
    bought = await suggest(rogue_world, "", "shop buy", catalog="1")

    assert list(looked_at) == ["Hat number 1 · 10 Acorns ✅", "Hat number 2 · 20 Acorns"]
    assert list(bought) == ["Hat number 2 · 20 Acorns"]


async def test_a_slow_game_is_not_waited_for(rogue_world: World, shop: RogueShop) -> None:
    shop.gate = asyncio.Event()

    assert list(await look(rogue_world, "Hat", "shop item", "item", catalog="1")) == [COMING]
    shop.gate.set()
    assert "Hat number 1 · 10 Acorns" in await suggest(rogue_world, "Hat n", catalog="1")


async def test_what_is_known_is_offered_while_the_game_is_down(
    rogue_world: World, shop: RogueShop
) -> None:
    await rogue_world.slash("shop browse", catalog="1")
    shop.is_down = True

    assert "Hat number 7 · 70 Acorns" in await suggest(rogue_world, "number 7", catalog="1")


async def test_a_game_that_is_down_is_said_so_and_choosing_that_entry_is_answered(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.is_down = True

    offered = await suggest(rogue_world, "Hat", catalog="1")

    assert list(offered) == ["The game can't be reached just now: type the item's number"]
    (chosen,) = offered.values()
    shown = await rogue_world.slash("shop buy", item=chosen, catalog="1")
    assert "The items had not arrived from the game when you chose" in text_of(shown)


async def test_whoever_has_no_link_is_told_in_the_list(world: World) -> None:
    offered = await suggest(world, "Hat", catalog="1")

    ((label, value),) = offered.items()
    assert label == "No game account is linked: choose this to link yours"
    assert "Link account" in buttons_of(await world.slash("shop item", item=value, catalog="1"))


async def test_an_unknown_catalog_is_told_in_the_list(rogue_world: World) -> None:
    (label,) = await suggest(rogue_world, "Hat", catalog="Nowhere")

    assert "pick one from the list first" in label


async def test_types_of_the_chosen_catalog_are_offered(rogue_world: World, shop: RogueShop) -> None:
    shop.items[3]["item_type"] = {"id": 9, "name": "Kite"}

    for command in ("shop browse", "shop watch"):
        offered = await suggest(rogue_world, "k", command, "type", catalog="1")
        assert offered == {"Kite": "9"}


async def test_catalogs_are_offered_by_name_and_by_number(world: World) -> None:
    await world.name_demo_places()

    assert (await suggest(world, "sea", "shop browse", "catalog")).keys() == {"Season"}
    assert await suggest(world, "77", "shop browse", "catalog") == {"Catalog 77": "77"}
