"""Roles: managers set rules, and people give, take, move and change roles by hand."""

from random import Random
from typing import Any

import discord
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.presses import fill_in, press_on
from tests.simulation.steps.stories import guild_again, member_again
from tests.simulation.town import Deed, Person, Town

_GIVABLE = ("fan", "gold")
_RIGHTS = discord.Permissions(manage_messages=True).value
_LINKED = "linked"
_GIVES_BACK = 0.8
_MINUTE = 60.0
_HOUR_AND_MORE = 3700.0
_DAY = 86400.0


@step(0.6, opens=2)
async def set_a_role_rule(town: Town, draw: Random) -> None:
    """Let a manager set a role for members who linked an account, or own an item."""
    who, guild_id = _manager(town, draw)
    await set_rule(town, draw, who, guild_id, draw.choice((*_GIVABLE, *_GIVABLE, "moderator")))


@step(0.5)
async def a_rule_comes_and_goes(town: Town, draw: Random) -> None:
    """Give someone a role by a rule. Then the rule or their link goes, or the role changes."""
    manager, guild_id = _manager(town, draw)
    people = [one for one in town.people if one.token and guild_id in one.actors]
    if not people:
        raise NotNow
    who = draw.choice(people)
    name = draw.choice(_GIVABLE)
    await set_rule(town, draw, manager, guild_id, name, draw.choice((_LINKED, "")))
    talk, staff = town.channels[guild_id]["talk"], town.channels[guild_id]["staff"]
    opened = await town.use(who, guild_id, talk, "account link")
    await fill_in(town, draw, opened, token=who.token)
    await town.pass_time(draw.choice((1, 100)) * _MINUTE)
    match draw.randrange(4):
        case 0:
            deed = await town.use(manager, guild_id, staff, "setup show")
            ways = ("setup.roles", "setup.role", "setup.ask_role_off", "setup.role_off")
            await press_on(town, draw, deed, *ways)
        case 1:
            deed = await town.use(who, guild_id, talk, "account show")
            await press_on(town, draw, deed, "unlink", "unlink_now")
        case 2:
            town.tell(f"{name} is deleted, and made anew")
            town.env.backend.delete_role(guild_id, town.roles[guild_id][name].id)
            guild = next(each for each in town.guilds if each.id == guild_id)
            town.roles[guild_id][name] = guild.create_role(name.capitalize())
        case _:
            role = town.roles[guild_id][name]
            town.env.backend.edit_role(guild_id, role.id, {"permissions": _RIGHTS})
            town.tell(f"{name} may do what moderators do")


@step(0.4)
async def a_role_may_be_given_again(town: Town, draw: Random) -> None:
    """A role that a rule gives gets rights, and loses them again; a manager presses Try again."""
    manager, guild_id = _manager(town, draw)
    name = draw.choice(_GIVABLE)
    await set_rule(town, draw, manager, guild_id, name, draw.choice((_LINKED, "")))
    role_id = town.roles[guild_id][name].id
    town.env.backend.edit_role(guild_id, role_id, {"permissions": _RIGHTS})
    town.tell(f"{name} may do what moderators do")
    await town.pass_time(_MINUTE)
    if draw.random() < 0.5:
        # What waits for an hour is sent before it is a day old.
        await town.pass_time(_HOUR_AND_MORE)
        await town.pass_time(_DAY)
    deed = await town.use(manager, guild_id, town.channels[guild_id]["staff"], "setup show")
    deed = await press_on(town, draw, deed, "setup.roles")
    if draw.random() < _GIVES_BACK:
        town.env.backend.edit_role(guild_id, role_id, {"permissions": 0})
        town.tell(f"{name} may do nothing more")
    await press_on(town, draw, deed, "setup.role_again")


async def set_rule(
    town: Town,
    draw: Random,
    who: Person,
    guild_id: int,
    name: str,
    whose: str = "",
    item_id: int | None = None,
) -> None:
    """Set a rule for members who linked, or, without `whose`, often for an item's owners."""
    opened = await _press_through(town, who, guild_id, "setup.roles", "setup.role_form")
    values: dict[str, Any] = {
        "role": [town.roles[guild_id][name]],
        "who": [_LINKED],
        "item": None,
        "takes": draw.random() < 0.7,
    }
    catalogs = [value for value in _options(opened, "who") if value != _LINKED]
    if item_id is not None:
        of = [each for each in catalogs if item_id in {i.id for i in town.game.items(int(each))}]
        if not of:
            raise NotNow
        values |= {"who": of, "item": str(item_id)}
    elif catalogs and not whose and draw.random() < 0.6:
        catalog = draw.choice(catalogs)
        items = [item.id for item in town.game.items(int(catalog))]
        if not items:
            raise NotNow
        values |= {"who": [catalog], "item": str(draw.choice(items))}
    await fill_in(town, draw, opened, **values)


@step(0.2)
async def name_the_moderators_role(town: Town, draw: Random) -> None:
    who, guild_id = _manager(town, draw)
    opened = await _press_through(town, who, guild_id, "setup.form")
    name = draw.choice((*_GIVABLE, "moderator"))
    await fill_in(town, draw, opened, moderator_role_id=[town.roles[guild_id][name]])


@step(0.5)
async def a_role_is_given_or_taken_by_hand(town: Town, draw: Random) -> None:
    guild, role = _role(town, draw)
    here = [who for who in town.people if guild.id in who.actors]
    who = member_again(town, draw, here)
    backend = town.env.backend
    if role.id in backend.guilds[guild.id].members[who.id].role_ids:
        backend.remove_member_role(guild.id, who.id, role.id)
        town.tell(f"{who} loses {role.name} of {guild.name} by hand")
    else:
        backend.add_member_role(guild.id, who.id, role.id)
        town.tell(f"{who} is given {role.name} of {guild.name} by hand")


@step(0.2)
async def a_role_gets_rights(town: Town, draw: Random) -> None:
    """A role may do what moderators do, in the server or in a channel; or no more."""
    guild, role = _role(town, draw)
    backend = town.env.backend
    channel = town.channels[guild.id]["talk"]
    has_rights = backend.guilds[guild.id].roles[role.id].permissions != 0
    is_above = any(each.target_id == role.id for each in backend.channels[channel.id].overwrites)
    if has_rights or is_above:
        backend.edit_role(guild.id, role.id, {"permissions": 0})
        if is_above:
            backend.delete_overwrite(channel.id, role.id)
        town.tell(f"{role.name} of {guild.name} may do nothing more")
    elif draw.random() < 0.5:
        backend.edit_role(guild.id, role.id, {"permissions": _RIGHTS})
        town.tell(f"{role.name} of {guild.name} may do what moderators do")
    else:
        backend.set_overwrite(channel.id, Overwrite(role.id, OverwriteType.ROLE, _RIGHTS, 0))
        town.tell(f"{role.name} of {guild.name} may do what moderators do in {channel.name}")


@step(0.2)
async def a_role_goes_to_the_top(town: Town, draw: Random) -> None:
    """A role is moved above Kiosk's and the managers', or back to the bottom."""
    guild, role = _role(town, draw)
    roles = town.env.backend.guilds[guild.id].roles
    others = sorted(
        (each for each in roles.values() if each.id not in (guild.id, role.id)),
        key=lambda each: each.position,
    )
    is_top = roles[role.id].position > others[-1].position
    order = [role, *others] if is_top else [*others, role]
    positions = [{"id": str(each.id), "position": at} for at, each in enumerate(order, 1)]
    town.env.backend.reorder_roles(guild.id, positions)
    town.tell(f"{role.name} of {guild.name} is the {'last' if is_top else 'first'} of the roles")


def _guild(town: Town, draw: Random) -> Any:
    guilds = {guild.id: guild for guild in town.guilds}
    return guilds[guild_again(town, draw, [*guilds])]


def _role(town: Town, draw: Random) -> tuple[Any, Any]:
    guild = _guild(town, draw)
    return guild, town.roles[guild.id][draw.choice(_GIVABLE)]


def _manager(town: Town, draw: Random) -> tuple[Person, int]:
    guild = _guild(town, draw)
    staff = [who for who in town.people if who.is_staff and guild.id in who.actors]
    if not staff:
        raise NotNow
    return draw.choice(staff), guild.id


async def _press_through(town: Town, who: Person, guild_id: int, *kinds: str) -> Deed:
    """Open what is set up, and press what leads further, one after the other."""
    deed = await town.use(who, guild_id, town.channels[guild_id]["staff"], "setup show")
    for kind in kinds:
        found = [(card, control) for card in deed.answers if (control := card.control(kind))]
        if not found:
            raise NotNow
        deed = await town.press(who, *found[0])
    if deed.form is None:
        raise NotNow
    return deed


def _options(opened: Deed, name: str) -> list[str]:
    """Return what a form's list has to choose from."""
    assert opened.form is not None
    for label in opened.form["components"]:
        part = label.get("component") or label
        if part.get("custom_id") == name:
            return [str(option["value"]) for option in part.get("options") or ()]
    return []
