"""Roles: managers set rules, and people give, take, move and change roles by hand."""

from random import Random
from typing import Any

import discord
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.presses import fill_in
from tests.simulation.town import Deed, Person, Town

_GIVABLE = ("fan", "gold")
_RIGHTS = discord.Permissions(manage_messages=True).value
_LINKED = "linked"


@step(0.6, opens=2)
async def set_a_role_rule(town: Town, draw: Random) -> None:
    """A manager has a role given to whoever linked an account, or owns an item."""
    who, guild_id = _manager(town, draw)
    opened = await _press_through(town, who, guild_id, "setup.roles", "setup.role_form")
    name = draw.choice((*_GIVABLE, *_GIVABLE, "moderator"))
    values: dict[str, Any] = {
        "role": [town.roles[guild_id][name]],
        "who": [_LINKED],
        "item": None,
        "takes": draw.random() < 0.7,
    }
    catalogs = [value for value in _options(opened, "who") if value != _LINKED]
    if catalogs and draw.random() < 0.6:
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
    who = draw.choice(here)
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


def _role(town: Town, draw: Random) -> tuple[Any, Any]:
    guild = draw.choice(town.guilds)
    return guild, town.roles[guild.id][draw.choice(_GIVABLE)]


def _manager(town: Town, draw: Random) -> tuple[Person, int]:
    guild = draw.choice(town.guilds)
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
