"""What the game's makers do with the items of its catalogs."""

from random import Random
from typing import Any

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.stories import drawn_again
from tests.simulation.town import Town

_COSTS = (0, 5, 20, 40, 90, 120, 999)
_NAMES = ("Acorn Cap", "Шляпа", "どんぐり帽", "قبعة", "**Bold** @everyone", "🎩", "Long " * 30)
_TYPES = ("Hat", "Balloon", "Плащ")


@step(1.5)
async def add_items(town: Town, draw: Random) -> None:
    """Add one, or as many as a season brings."""
    for _ in range(draw.choice((1, 1, 1, 2, 4, 12))):
        await add_item(town, draw, draw.choice(list(town.game.catalogs())))


@step(1)
async def change_a_price(town: Town, draw: Random) -> None:
    item = _untouched(town, draw)
    await town.game.set_item(item.id, cost=draw.choice(_COSTS))


@step(0.5)
async def change_a_mark(town: Town, draw: Random) -> None:
    """Let an item be on clearance, or for subscribers alone, or no more."""
    item = _untouched(town, draw)
    if draw.random() < 0.6:
        await town.game.set_item(item.id, is_clearance=not item.is_clearance)
    else:
        await town.game.set_item(item.id, is_member_item=not item.is_member_item)


@step(0.3)
async def rename_an_item(town: Town, draw: Random) -> None:
    item = _untouched(town, draw)
    await town.game.name_item(item.id, _new_name(town, draw))


@step(0.7)
async def take_an_item_away(town: Town, draw: Random) -> None:
    item = _untouched(town, draw, of_ours=True)
    await town.game.set_item(item.id, is_gone=True)
    town.taken_away.append(item.id)


@step(0.5)
async def bring_an_item_back(town: Town, draw: Random) -> None:
    away = [number for number in town.taken_away if number not in town.touched]
    if not away:
        raise NotNow
    number = drawn_again(town, draw, "item", draw.choice(away), away.__contains__)
    town.taken_away.remove(number)
    town.touched.add(number)
    await town.game.set_item(number, is_gone=False)


async def add_item(town: Town, draw: Random, catalog: int) -> None:
    number = await town.game.add_item(
        catalog,
        name=_new_name(town, draw),
        cost=draw.choice(_COSTS),
        currency=draw.choice(("Acorns", "Acorns", "Gems")),
        item_type=draw.choice(_TYPES),
        is_clearance=draw.random() < 0.2,
        is_member_item=draw.random() < 0.2,
    )
    town.touched.add(number)


def _new_name(town: Town, draw: Random) -> str:
    town.texts += 1
    return f"qi{town.texts}z {draw.choice(_NAMES)}"


def _untouched(town: Town, draw: Random, *, of_ours: bool = False) -> Any:
    """Return an item that is as it was at the last rest: of two changes at once, Kiosk sees one."""
    items = town.game.items(draw.choice(list(town.game.catalogs())))
    # New ones are likelier: members have met them.
    left = [
        item
        for item in items
        if item.id not in town.touched and (item.name.startswith("qi") or not of_ours)
    ]
    if not left:
        raise NotNow
    numbers = {item.id: item for item in left}
    number = draw.choice(left[-8:] if draw.random() < 0.7 else left).id
    number = drawn_again(town, draw, "item", number, numbers.__contains__)
    town.touched.add(number)
    return numbers[number]
