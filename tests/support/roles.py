"""Roles that Kiosk gives: made, ruled about, and looked for."""

from typing import Any

import simcord

from cogs.roles.service import RoleService
from tests.support.owed import tried
from tests.support.steps import Steps
from tests.support.world import World


def givable(world: World, name: str) -> simcord.RoleHandle:
    """Make a role that stands below Kiosk's own."""
    role = world.guild.create_role(name)
    put(world, own_role(world), 50)
    return role


def own_role(world: World) -> Any:
    own = next(role for role in world.guild.roles.values() if role.name == "Kiosk")
    return world.env.backend.get_role(world.guild.id, own.id)


def put(world: World, role: Any, position: int) -> None:
    world.env.backend.get_role(world.guild.id, role.id).position = position


async def add_rule(world: World, role: Any, **filled: Any) -> Steps:
    """Set a rule as a manager does, from the card of the setup."""
    steps = Steps(world, world.moderator)
    await steps.use("setup show")
    await steps.press("Roles")
    await steps.press("Add rule")
    await steps.send(role=[role], **filled)
    return steps


async def settle_collectors(world: World) -> simcord.RoleHandle:
    """Link accounts of a member and a moderator, who use the server, and make a role to give."""
    await world.name_demo_places()
    for actor in (world.member, world.moderator):
        await world.settle(actor, f"token-of-{actor.id}")
    return givable(world, "Collector")


async def age(world: World, days: float = 1.1) -> None:
    """Let days pass since roles were given, and since members were looked at."""
    await tried(world)
    await world.pass_time(days * 24 * 3600)


async def look_at_all(world: World) -> None:
    """Look at everyone who was not looked at for a day."""
    await tried(world)
    while await world.bot.services[RoleService].look_at_due():
        pass


async def has(world: World, role: Any, actor: simcord.MemberActor | None = None) -> bool:
    await tried(world)
    member = world.env.backend.get_member(world.guild.id, (actor or world.member).id)
    return role.id in member.role_ids
