"""Turning a catalog's pages while items come and go: each that stays is shown exactly once."""

import re
from typing import Any

import pytest

from tests.support.cards import answer_of, text_of
from tests.support.forum import can_press
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World

# Picked items are one long page, which is read whole. Refresh reads that page again.
PICKED: list[dict[str, str]] = [{"sort": "cost"}, {"show": "not owned"}, {"type": "Hat"}]
# How often Next was pressed before something happens: within a page, and at its end.
MOMENTS = (0, 1, 2, 3)


def shown_on(card: Any) -> list[int]:
    return [int(number) for number in re.findall(r"Hat number (\d+)\*\*", text_of(card))]


async def turn(
    world: World, card: Any, seen: list[int], *, label: str = "Next", most: int = 99
) -> None:
    """Press a button as often as it can be pressed, or so often."""
    for _ in range(most):
        if not can_press(card, label):
            break
        await world.member.click(card, label=label)
        seen += shown_on(card)


async def browse(world: World, **options: Any) -> tuple[Any, list[int]]:
    card = answer_of(await world.slash("shop browse", catalog="1", **options))
    return card, shown_on(card)


@pytest.mark.parametrize("moment", MOMENTS)
async def test_new_items_show_none_again(rogue_world: World, shop: RogueShop, moment: int) -> None:
    shop.stock(40)
    card, seen = await browse(rogue_world)
    await turn(rogue_world, card, seen, most=moment)
    shop.items[:0] = [item(number) for number in (101, 102, 103)]
    await turn(rogue_world, card, seen)

    assert seen == list(range(1, 41))


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("which", ["first", "last", "every other", "all of a screen"])
async def test_items_that_are_gone_hide_none(
    rogue_world: World, shop: RogueShop, moment: int, which: str
) -> None:
    shop.stock(40)
    card, seen = await browse(rogue_world)
    await turn(rogue_world, card, seen, most=moment)
    gone = {"first": seen[:3], "last": seen[-3:], "every other": seen[-8::2]}
    shop.items = [each for each in shop.items if each["id"] not in gone.get(which, shown_on(card))]
    there = [each["id"] for each in shop.items]
    await turn(rogue_world, card, seen)

    assert [number for number in seen if number in there] == there


async def test_previous_leads_back_past_each_once(rogue_world: World, shop: RogueShop) -> None:
    shop.stock(40)
    # The pages before it are not at hand.
    card, seen = await browse(rogue_world, page=5)
    shop.items = [item(101), item(102), item(103), *shop.items[:10], *shop.items[11:]]
    await turn(rogue_world, card, seen, label="Previous")

    assert len(seen) == len(set(seen))
    assert set(seen) >= {each["id"] for each in shop.items[3:-2]}


@pytest.mark.parametrize("options", PICKED)
async def test_what_is_picked_is_turned_past_each_once(
    rogue_world: World, shop: RogueShop, options: dict[str, str]
) -> None:
    shop.stock(30)
    card, seen = await browse(rogue_world, **options)
    other, _ = await browse(rogue_world, **options)
    for count, change in enumerate((shop.items[3:], [item(1, name="Cheap"), *shop.items[3:]])):
        shop.items = change
        await rogue_world.member.click(other, label="Refresh")
        await turn(rogue_world, card, seen, most=count + 1)
    await turn(rogue_world, card, seen)

    assert seen == list(range(1, 31))


async def test_next_is_tried_again_where_the_game_was_down(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(40)
    card, _ = await browse(rogue_world, page=2)
    shop.is_down = True
    refused = await rogue_world.member.click(card, label="Next")
    shop.is_down = False
    await rogue_world.member.click(answer_of(refused), label="Try again")

    assert shown_on(refused) == list(range(16, 24))
