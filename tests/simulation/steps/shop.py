"""What members do in the shop: look, order once or twice, and watch."""

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.simulation.door import Fault as GameFault
from tests.simulation.door import Kind, On
from tests.simulation.faults import NotNow
from tests.simulation.filled_game import KIOSK_TOKEN, MANY, TOKENS
from tests.simulation.game import Item
from tests.simulation.seen import Card, Control
from tests.simulation.steps import step
from tests.simulation.steps.makers import add_item
from tests.simulation.steps.presses import fill_in, press_on
from tests.simulation.steps.stories import drawn_again, member_again
from tests.simulation.steps.words import some_item
from tests.simulation.town import Deed, Person, Town

_CONFIRMS = ("buy", "redeem")
_MAX_CATALOGS = 4
_SOME_PAGES = 35
# With which the game does what it is asked but doesn't answer, or doesn't do it.
_LOST = (Kind.LOSES, Kind.LOSES_BEFORE, Kind.LOSES, Kind.CUTS, Kind.FAILS)


def _member(town: Town, draw: Random) -> Person:
    people = [person for person in town.people if person.token and person.actors]
    return member_again(town, draw, people)


async def _use(town: Town, who: Person, name: str, item_id: int, **options: Any) -> Deed:
    """Use a command about an item in a server that someone is in."""
    guild_id = min(who.actors)
    channel = town.channels[guild_id]["talk"]
    catalogs = [n for n in town.game.catalogs() if item_id in {i.id for i in town.game.items(n)}]
    if not catalogs:
        raise NotNow
    return await town.use(
        who, guild_id, channel, name, item=str(item_id), catalog=str(catalogs[0]), **options
    )


async def _ask(
    town: Town, draw: Random, who: Person, item_id: int, command: str
) -> tuple[Card, Control]:
    """Return a card that asks whether to order, and its button."""
    deed = await _use(town, who, command, item_id)
    for card in deed.answers:
        for control in card.controls:
            if control.kind in _CONFIRMS:
                return card, control
    raise NotNow


def _command(draw: Random) -> str:
    return draw.choice(("shop buy", "shop buy", "shop redeem"))


def _suffer(town: Town, draw: Random) -> Sequence[GameFault]:
    """Let the game lose its answer to the next order, or fail at it, one of two times."""
    if draw.random() < 0.5:
        return ()
    return (town.game.door.suffer(GameFault(draw.choice(_LOST), on=On.WRITES, times=1)),)


@step(1.2)
async def order(town: Town, draw: Random) -> None:
    """Ask, and confirm."""
    who = _member(town, draw)
    card, control = await _ask(town, draw, who, some_item(town, draw), _command(draw))
    _suffer(town, draw)
    await town.press(who, card, control)


@step(0.6)
async def confirm_twice(town: Town, draw: Random) -> None:
    """Confirm on one card, and on another device that still shows it as it was."""
    who = _member(town, draw)
    card, control = await _ask(town, draw, who, some_item(town, draw), _command(draw))
    _suffer(town, draw)
    message = town.env.backend.messages[card.channel_id][card.message_id]
    before = message.components
    await town.press(who, card, control)
    message.components = before
    await town.press(who, card, control)


@step(0.6)
async def confirm_two_cards(town: Town, draw: Random) -> None:
    """Ask twice, on one account or on two, and confirm both."""
    who, other = _member(town, draw), _member(town, draw)
    item_id, command = some_item(town, draw), _command(draw)
    who_else = draw.choice((who, who, other))
    asked = [(each, *await _ask(town, draw, each, item_id, command)) for each in (who, who_else)]
    _suffer(town, draw)
    for each in asked:
        await town.press(*each)


@step(0.3)
async def order_what_is_dearer_by_now(town: Town, draw: Random) -> None:
    """The game's makers raise a price while a card asks."""
    who = _member(town, draw)
    item_id = some_item(town, draw)
    card, control = await _ask(town, draw, who, item_id, "shop buy")
    if item_id in town.touched:
        raise NotNow
    town.touched.add(item_id)
    await town.game.set_item(item_id, cost=draw.choice((1, 41, 77)))
    await town.press(who, card, control)


@step(0.3)
async def look_at_orders(town: Town, draw: Random) -> None:
    who = _member(town, draw)
    guild_id = min(who.actors)
    await town.use(who, guild_id, town.channels[guild_id]["talk"], "shop orders")


@step(0.3, opens=1)
async def two_share_an_account(town: Town, draw: Random) -> None:
    """Let someone link another member's account, too."""
    who, other = _member(town, draw), _member(town, draw)
    guild_id = min(who.actors)
    opened = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account link")
    await fill_in(town, draw, opened, token=other.token)


@step(0.4, opens=1)
async def get_coins(town: Town, draw: Random) -> None:
    """A player is given what most items cost."""
    player = draw.choice(town.game.players())
    await town.game.give_coins(player.id, draw.choice((50, 500)), draw.choice(("Acorns", "Gems")))


@step(1, opens=2)
async def watch_an_item(town: Town, draw: Random) -> None:
    await _use(town, _member(town, draw), "shop watch", some_item(town, draw))


@step(0.6, opens=1)
async def watch_a_catalog(town: Town, draw: Random) -> None:
    """Watch whatever comes in a catalog, or what costs little or is on clearance."""
    who = _member(town, draw)
    guild_id = min(who.actors)
    channel = town.channels[guild_id]["talk"]
    catalog = str(draw.choice(town.game.catalogs()))
    wanted = draw.choice((None, {"max_cost": 100}, {"clearance": True}))
    if wanted is not None:
        await town.use(who, guild_id, channel, "shop watch", catalog=catalog, **wanted)
        return
    deed = await town.use(who, guild_id, channel, "shop browse", catalog=catalog)
    for card in deed.answers:
        if control := card.control("watch.all"):
            await town.press(who, card, control)


@step(1)
async def a_watched_price_falls(town: Town, draw: Random) -> None:
    """An item gets cheaper than it ever was."""
    item = _again(town, draw, [item for item in _untouched(town) if item.cost > 1])
    await town.game.set_item(item.id, cost=item.cost - 1)
    town.tell(f"item {item.id} costs {item.cost - 1}")


@step(0.4)
async def an_item_is_hidden(town: Town, draw: Random) -> None:
    """The game shows an item to some accounts alone, or to all again."""
    item = _again(town, draw, _untouched(town))
    if town.game.shown_to.pop(item.id, None) is None:
        shown = {token for token in TOKENS if draw.random() < 0.5}
        shown |= {KIOSK_TOKEN} if draw.random() < 0.7 else set[str]()
        town.game.shown_to[item.id] = frozenset(shown)
    town.tell(f"item {item.id} is shown to {sorted(town.game.shown_to.get(item.id, ('all',)))}")


@step(0.4)
async def redeem_what_was_bought(town: Town, draw: Random) -> None:
    """Buy something, and redeem it from the list of what is bought and not redeemed."""
    who = _member(town, draw)
    card, control = await _ask(town, draw, who, some_item(town, draw), "shop buy")
    await town.press(who, card, control)
    guild_id = min(who.actors)
    deed = await town.use(who, guild_id, town.channels[guild_id]["talk"], "shop orders")
    await press_on(town, draw, deed, "orders", "redeem.ordered", "redeem")


@step(0.3)
async def makers_open_a_catalog(town: Town, draw: Random) -> None:
    """Add a catalog: an empty one that someone watches, or one whose end someone reads."""
    if len(town.game.catalogs()) >= _MAX_CATALOGS:
        raise NotNow
    who = _member(town, draw)
    number = await town.game.add_catalog(f"Catalog {len(town.game.catalogs()) + 1}")
    town.tell(f"catalog {number} comes")
    is_empty = draw.random() < 0.5
    for _ in range(0 if is_empty else _SOME_PAGES):
        await add_item(town, draw, number)
    guild_id = min(who.actors)
    channel = town.channels[guild_id]["talk"]
    deed = await town.use(who, guild_id, channel, "shop browse", catalog=str(number))
    await press_on(town, draw, deed, "watch.all" if is_empty else "last")


@step(0.3)
async def stop_a_reading(town: Town, draw: Random) -> None:
    """Look through a catalog for what fits, and stop that after a page."""
    who = _member(town, draw)
    guild_id = min(who.actors)
    channel = town.channels[guild_id]["talk"]
    deed = await town.use(who, guild_id, channel, "shop browse", catalog=str(MANY))
    deed = await press_on(town, draw, deed, "filter", name="hat", max_cost=None, types=None)
    refreshing = [(card, one) for card in deed.answers for one in card.controls][-1:]
    if not refreshing or refreshing[0][1].kind != "screen":
        raise NotNow
    fault = town.game.door.suffer(GameFault(Kind.SILENT, on=On.READS))
    town.is_held = True
    pressing = asyncio.create_task(town.press(who, *refreshing[0]))
    try:
        await town.until_waiting()
        for request in list(fault.held):
            request.set_result(False)
        await town.until_waiting()
        for card in town.sight.looked_at(channel.id, who.id):
            if control := card.control("stop"):
                await town.press(who, card, control)
                return
    finally:
        town.is_held = False
        town.game.door.recover(fault)
        await pressing


def _untouched(town: Town) -> list[Item]:
    """Return the items that no step has changed."""
    items = (item for number in town.game.catalogs() for item in town.game.items(number))
    return [item for item in items if item.id not in town.touched]


def _again(town: Town, draw: Random, items: Sequence[Item]) -> Item:
    """Draw an item that is changed now, the one that was drawn last the likeliest."""
    by_id = {item.id: item for item in items}
    number = drawn_again(town, draw, "item", draw.choice([*by_id]), by_id.__contains__)
    town.touched.add(number)
    return by_id[number]
