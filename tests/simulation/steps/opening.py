"""What most walks begin with: accounts are linked, and places have names."""

from collections.abc import Sequence
from random import Random

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.presses import fill_in
from tests.simulation.town import Town


@step(0.5, opens=4)
async def link(town: Town, draw: Random) -> None:
    """Link an account as members do: open the form, paste the token."""
    people = [person for person in town.people if person.token and person.actors]
    who = draw.choice(people)
    town.drawn["member"] = who.id
    guild_id = min(who.actors)
    opened = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account link")
    await fill_in(town, draw, opened, token=who.token)


@step(0.3, opens=2)
async def name_a_thread(town: Town, draw: Random) -> None:
    await _name(town, draw, "setup thread", town.game.threads())


@step(0.3, opens=2)
async def name_a_catalog(town: Town, draw: Random) -> None:
    await _name(town, draw, "setup catalog", town.game.catalogs())


async def _name(town: Town, draw: Random, command: str, ids: Sequence[int]) -> None:
    guild = draw.choice(town.guilds)
    who = next(person for person in town.people if person.is_staff)
    if guild.id not in who.actors:
        raise NotNow
    number = draw.choice(ids)
    channel = town.channels[guild.id]["staff"]
    await town.use(who, guild.id, channel, command, id=str(number), name=f"Place {number}")
