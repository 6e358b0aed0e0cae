"""Whatever can be used and pressed, what was used least the likeliest; and forms, filled in."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from simcord.components import walk_components

from tests.simulation.faults import NotNow
from tests.simulation.seen import Card, Control
from tests.simulation.steps import step
from tests.simulation.steps.words import word_for
from tests.simulation.town import Deed, Person, Town

# Discord's numbers of the types of options and of fields.
_STRING, _INTEGER, _BOOLEAN, _USER, _CHANNEL, _ROLE = 3, 4, 5, 6, 7, 8
_TEXT_INPUT, _USERS, _ROLES, _CHANNELS, _RADIO, _CHECKBOXES, _CHECKBOX = 4, 5, 6, 8, 21, 22, 23
_ENTRIES = (3, _RADIO, _CHECKBOXES)
_MENUS = ("Reply to comment", "Report comment", "Remove comment")
_SUBCOMMANDS = (1, 2)
_LEFT_OPEN = 0.1
_LEFT_OUT = 0.4
_IN_DIRECT_MESSAGES = 0.1
_FOR_STAFF = ("/setup", "/announce", "/moderate")
# Commands whose cards lead on to others.
_LEADS_ON = ("account", "announce", "forum", "help", "moderate", "setup", "shop")
_DEPTHS = (2, 4, 6)
# How often someone tries what they may not.
_UNFIT = 0.1


@step(3)
async def use_a_command(town: Town, draw: Random) -> None:
    """Use a command, what was used least the likeliest."""
    names = _commands(town)
    name = rarest(town, draw, [f"/{name}" for name in names])
    staff = [who for who in town.people if who.is_staff]
    is_for_staff = name.split()[0] in _FOR_STAFF and draw.random() > _UNFIT
    who = draw.choice(staff if is_for_staff else town.people)
    guild_id, channel = some_place(town, draw, who)
    options = {
        option["name"]: value
        for option in names[name[1:]].get("options") or ()
        if option.get("required") or draw.random() > _LEFT_OUT
        if (value := _option(town, draw, who, guild_id, option)) is not None
    }
    deed = await town.use(who, guild_id, channel, name[1:], **options)
    await fill_in(town, draw, deed)


@step(10)
async def press_something(town: Town, draw: Random) -> None:
    """Press something on a card that someone sees."""
    people = [who for who in town.people if _places_with_cards(town, who)]
    if not people:
        raise NotNow
    who = draw.choice(people)
    cards = cards_seen(town, draw, who)
    controls = [(card, control) for card in cards for control in card.controls]
    if not controls:
        raise NotNow
    kind = rarest(town, draw, sorted({control.kind for _, control in controls}))
    card, control = draw.choice([each for each in controls if each[1].kind == kind])
    await press(town, draw, who, card, control)


@step(3)
async def go_deeper(town: Town, draw: Random) -> None:
    """Use a command, and press on through what its answers lead to."""
    who = draw.choice(town.people)
    names = _commands(town)
    name = rarest(town, draw, [f"/{name}" for name in names if name.split()[0] in _LEADS_ON])
    guild_id, channel = some_place(town, draw, who)
    options = {
        option["name"]: value
        for option in names[name[1:]].get("options") or ()
        if (option.get("required") or draw.random() < _LEFT_OUT)
        and (value := _option(town, draw, who, guild_id, option)) is not None
    }
    deed = await town.use(who, guild_id, channel, name[1:], **options)
    for _ in range(draw.choice(_DEPTHS)):
        deed = await fill_in(town, draw, deed)
        controls = [(card, control) for card in deed.answers for control in card.controls]
        if not controls:
            return
        kind = rarest(town, draw, sorted({control.kind for _, control in controls}))
        card, control = draw.choice([each for each in controls if each[1].kind == kind])
        deed = await press(town, draw, who, card, control)


@step(0.8)
async def use_a_menu(town: Town, draw: Random) -> None:
    """Use the menu of a public message that shows a comment."""
    shown = [
        card
        for guild in town.guilds
        for card in town.sight.public(guild.id)
        if card.control("forum.comment")
    ]
    if not shown:
        raise NotNow
    card = draw.choice(shown)
    guild_id = card.guild_id or 0
    who = draw.choice([person for person in town.people if guild_id in person.actors])
    channels = {each.id: each for each in town.channels[guild_id].values()}
    if card.channel_id not in channels:
        raise NotNow
    name = rarest(town, draw, [f"menu {name}" for name in _MENUS]).removeprefix("menu ")
    deed = await town.use_menu(who, guild_id, channels[card.channel_id], name, card)
    await fill_in(town, draw, deed)


async def press(town: Town, draw: Random, who: Person, card: Card, control: Control) -> Deed:
    """Press, choose what there is to choose, and fill in the form that opens."""
    chosen: Sequence[Any] = ()
    if control.select is not None:
        chosen = _chosen(town, draw, card.guild_id, control.select)
    deed = await town.press(who, card, control, chosen)
    return await fill_in(town, draw, deed)


async def fill_in(town: Town, draw: Random, deed: Deed, /, **wanted: Any) -> Deed:
    """Send the form that a deed opened, if it did, with what is wanted or drawn; or leave it."""
    if deed.form is None or (not wanted and draw.random() < _LEFT_OPEN):
        return deed
    values: dict[str, Any] = {}
    for label in deed.form["components"]:
        for part in walk_components([label.get("component") or label]):
            name = part.get("custom_id")
            if name is None:
                continue
            value = wanted[name] if name in wanted else _field(town, draw, deed, part)
            if value is not None:
                values[name] = value
    return await town.fill(deed.who, deed, values)


async def press_on(town: Town, draw: Random, deed: Deed, *kinds: str, **wanted: Any) -> Deed:
    """Press one thing after the other, each on an answer to the one before; forms are sent."""
    for kind in kinds:
        ways = [
            (card, control)
            for card in deed.answers
            for control in card.controls
            if control.kind == kind
        ]
        if not ways:
            raise NotNow
        deed = await fill_in(town, draw, await town.press(deed.who, *draw.choice(ways)), **wanted)
    return deed


def some_person(town: Town, draw: Random) -> Person:
    return draw.choice(town.people)


def some_place(town: Town, draw: Random, who: Person) -> tuple[int | None, Any]:
    """Return a channel that someone sees, with its server, or their direct messages."""
    if not who.actors or draw.random() < _IN_DIRECT_MESSAGES:
        return None, who.user.dm_channel
    guild_id = draw.choice(sorted(who.actors))
    return guild_id, town.channels[guild_id][draw.choice(("talk", "talk", "staff"))]


def cards_seen(town: Town, draw: Random, who: Person) -> list[Card]:
    """Return what someone sees in one channel, or in their direct messages."""
    places = _places_with_cards(town, who)
    if not places:
        raise NotNow
    return town.sight.looked_at(draw.choice(places), who.id)


def _places_with_cards(town: Town, who: Person) -> list[int]:
    return [
        channel_id
        for channel_id in town.readable_channels(who)
        if town.sight.looked_at(channel_id, who.id)
    ]


def rarest(town: Town, draw: Random, kinds: Sequence[str]) -> str:
    """Draw one, by 1/(1 + how often it was used)."""
    weights = [1 / (1 + town.pressed[kind]) for kind in kinds]
    return draw.choices(kinds, weights)[0]


def _commands(town: Town) -> dict[str, Mapping[str, Any]]:
    """Return the commands that can be used, by their whole names."""
    found: dict[str, Mapping[str, Any]] = {}

    def add(name: str, command: Mapping[str, Any]) -> None:
        below = [one for one in command.get("options") or () if one["type"] in _SUBCOMMANDS]
        for one in below:
            add(f"{name} {one['name']}", one)
        if not below:
            found[name] = command

    for command in town.commands:
        if command.get("type", 1) == 1:
            add(command["name"], command)
    return dict(sorted(found.items()))


def _option(
    town: Town, draw: Random, who: Person, guild_id: int | None, option: Mapping[str, Any]
) -> Any:
    if option.get("choices"):
        return draw.choice([choice["value"] for choice in option["choices"]])
    match option["type"]:
        case 5:
            return draw.random() < 0.5
        case 4:
            return draw.randint(option.get("min_value", 1), 5)
        case 7:
            return draw.choice(_channels(town, guild_id)) if guild_id else None
        case 8:
            return draw.choice(_roles(town, guild_id)) if guild_id else None
        case _:
            text = word_for(town, draw, who, option["name"])
            return text[: option.get("max_length", 6000)] or None


def _channels(town: Town, guild_id: int) -> list[Any]:
    return [town.channels[guild_id][name] for name in sorted(town.channels[guild_id])]


def _roles(town: Town, guild_id: int) -> list[Any]:
    return [town.roles[guild_id][name] for name in sorted(town.roles[guild_id])]


def _field(town: Town, draw: Random, deed: Deed, part: Mapping[str, Any]) -> Any:
    name = part["custom_id"]
    is_optional = not part.get("required", True)
    kind = part["type"]
    if kind == _TEXT_INPUT:
        if part.get("value") and draw.random() < 0.5:
            return part["value"]
        if is_optional and draw.random() < _LEFT_OUT:
            return None
        text = word_for(town, draw, deed.who, name)[: part.get("max_length", 4000)]
        return text.ljust(part.get("min_length", 0), "x") or None
    if kind == _CHECKBOX:
        return draw.random() < 0.5
    if is_optional and draw.random() < _LEFT_OUT:
        return None
    chosen = _chosen(town, draw, deed.guild_id, part)
    return (chosen[0] if kind == _RADIO else chosen) if chosen else None


def _chosen(
    town: Town, draw: Random, guild_id: int | None, part: Mapping[str, Any]
) -> Sequence[Any]:
    """Choose so many values of a list as it takes."""
    match part["type"]:
        case 3 | 21 | 22:
            values: list[Any] = [option["value"] for option in part.get("options") or ()]
        case 8 if guild_id:
            kinds = part.get("channel_types")
            values = [
                channel
                for channel in _channels(town, guild_id)
                if not kinds or town.channel_type(channel.id) in kinds
            ]
        case 6 if guild_id:
            values = _roles(town, guild_id)
        case 5:
            values = [person.user for person in town.people]
        case _:
            values = []
    least = part.get("min_values", 1)
    most = min(part.get("max_values", 1), len(values))
    if most < least:
        raise NotNow
    return draw.sample(values, draw.randint(least, most))
