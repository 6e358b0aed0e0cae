"""How the world that walks go through begins: Kiosk runs, and two servers have people in them."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import discord
from pydantic import SecretStr

from playground.simulation import simulate
from tests.simulation.death import forget_lives
from tests.simulation.filled_game import KIOSK_TOKEN, TOKENS
from tests.simulation.game import SimulatedGame
from tests.simulation.town import ErrorLog, Person, Town, start
from tests.support.clock import SteppedClock
from tests.support.world import settings_for

LOCALES = ("en-US", "de", "es-ES", "fr", "ja", "pl", "pt-BR")
_POLL_SECONDS = 300.0
_MODERATORS = discord.Permissions(
    manage_guild=True, manage_messages=True, manage_roles=True, moderate_members=True
)
_NAMES = ("Mona", "Max", "Ida", "Tomek", "Yuki", "Zoé")
# Those who come first are moderators and managers.
_STAFF = 2
_IN_BOTH = 0.6


async def populate(town: Town, draw: Random) -> None:
    """Let two servers have channels, roles and people, as the seed says."""
    env = town.env
    for name in ("Acorn Park", "Pond Watchers"):
        guild = env.create_guild(name)
        town.guilds.append(guild)
        town.channels[guild.id] = {}
        for channel in ("talk", "news", "board", "staff"):
            town.make_channel(guild, channel)
        town.roles[guild.id] = {
            "moderator": guild.create_role("Moderator", permissions=_MODERATORS),
            "fan": guild.create_role("Fan"),
            "gold": guild.create_role("Gold"),
        }
    tokens = list(TOKENS)
    draw.shuffle(tokens)
    for number, name in enumerate(_NAMES):
        is_staff = number < _STAFF
        person = Person(
            name,
            env.create_user(name),
            locale=draw.choice(LOCALES) if number else LOCALES[0],
            token=tokens[number] if number < len(tokens) else "",
            is_staff=is_staff,
        )
        for guild in town.guilds:
            if is_staff or guild is town.guilds[0] or draw.random() < _IN_BOTH:
                roles = [town.roles[guild.id]["moderator"]] if is_staff else []
                person.actors[guild.id] = guild.add_member(person.user, roles=roles)
        town.people.append(person)


def _speak(people: Sequence[Person]) -> Any:
    """Let each member have Discord in their language."""
    locales = {str(person.id): person.locale for person in people}

    def speak(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            user = (payload.get("member") or payload)["user"]
            payload |= {"locale": locales[user["id"]], "guild_locale": "en-US"}

    return speak


@asynccontextmanager
async def open_town(
    folder: Path, game: SimulatedGame, clock: SteppedClock, seed: int
) -> AsyncGenerator[Town]:
    """Open a world on a game; what it is like comes from the seed."""
    draw = Random(f"world {seed}")
    log = ErrorLog()
    root = logging.getLogger()
    root.addHandler(log)
    try:
        async with AsyncExitStack() as stack:
            settings = settings_for(folder, game.base_url).model_copy(
                update={"poll_interval": _POLL_SECONDS, "game_token": SecretStr(KIOSK_TOKEN)}
            )
            running = await stack.enter_async_context(AsyncExitStack())
            bot, life = await start(running, settings, clock)
            env = await stack.enter_async_context(simulate(bot, clock=clock.now()))
            town = Town(env, bot, life, settings, clock, game, log, running=running)
            await populate(town, draw)
            env.backend.subscribers.insert(0, _speak(town.people))
            yield town
    finally:
        forget_lives()
        root.removeHandler(log)
