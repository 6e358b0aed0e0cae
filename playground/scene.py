"""A server to play in, with a filled channel and three people."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import discord
import simcord

from bot.app import open_bot
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.settings import Settings
from game_service.app import KIOSK_TOKEN, Service, open_service
from playground.pictures import PICTURES_URL
from playground.simulation import simulate
from storage.vault import new_key

MODERATOR = discord.Permissions(manage_guild=True, manage_messages=True, manage_roles=True)
THREADS = {"1": "Park life", "2": "Patch notes", "3": "Quiet corner"}
CATALOGS = {"1": "Season", "2": "Outlet", "3": "Attic"}


@dataclass(frozen=True)
class Scene:
    """The people and things in the server."""

    game: Service
    database_url: str
    bot: Kiosk
    env: simcord.Env
    channel: simcord.ChannelHandle
    member: simcord.MemberActor
    moderator: simcord.MemberActor
    newcomer: simcord.MemberActor

    @property
    def people(self) -> list[simcord.MemberActor]:
        """Everyone, the member first."""
        return [self.member, self.moderator, self.newcomer]


@asynccontextmanager
async def open_scene() -> AsyncGenerator[Scene]:
    """Start the demo game and Kiosk, and make a server with a channel and people."""
    with tempfile.TemporaryDirectory(prefix="kiosk-playground-") as folder:
        database_url = f"sqlite:///{folder}/game.db"
        async with (
            open_service(database_url, demo=True, pictures_url=PICTURES_URL) as game,
            set_scene(game, database_url, folder) as scene,
        ):
            yield scene


@asynccontextmanager
async def set_scene(game: Service, database_url: str, folder: str) -> AsyncGenerator[Scene]:
    """Start Kiosk on a game, with its own database in a folder. Make the server.

    `database_url` is the game's database.
    """
    settings = Settings.model_validate(
        {
            "game_base_url": game.base_url,
            "game_token": KIOSK_TOKEN,
            "database_url": f"sqlite:///{folder}/kiosk.db",
            "kiosk_keys": new_key(),
            "poll_interval": 2,
            "token_help": "In the playground, paste `demo-newcomer`.",
        }
    )
    async with open_bot(settings) as bot, simulate(bot, clock=datetime.now(UTC)) as env:
        scene = _build(game, database_url, bot, env)
        await _name_places(scene)
        await _link(scene, scene.member, "demo-subscriber")
        await _link(scene, scene.moderator, "demo-visitor")
        yield scene


def _build(game: Service, database_url: str, bot: Kiosk, env: simcord.Env) -> Scene:
    guild = env.create_guild("Acorn Park Fans")
    role = guild.create_role("Moderator", permissions=MODERATOR)
    guild.create_role("Collector")
    return Scene(
        game=game,
        database_url=database_url,
        bot=bot,
        env=env,
        channel=guild.create_text_channel("game-talk"),
        member=guild.add_member(env.create_user("hazel", global_name="Hazel (member)")),
        moderator=guild.add_member(
            env.create_user("rowan", global_name="Rowan (moderator)"), roles=[role]
        ),
        newcomer=guild.add_member(env.create_user("clover", global_name="Clover (not linked)")),
    )


async def _name_places(scene: Scene) -> None:
    for kind, names in {"thread": THREADS, "catalog": CATALOGS}.items():
        for game_id, name in names.items():
            options: dict[str, Any] = {"id": game_id, "name": name}
            await scene.moderator.slash(scene.channel, f"setup {kind}", **options)


async def _link(scene: Scene, actor: simcord.MemberActor, token: str) -> None:
    form = await actor.slash(scene.channel, "account link")
    await actor.submit_modal(form, {"token": token})


async def open_conversation(scene: Scene) -> None:
    """Fill the channel with something to see."""
    await scene.moderator.send(
        scene.channel, "Welcome! Kiosk brings the park's forum and shop in here. Try `/help`."
    )
    await scene.newcomer.send(scene.channel, "What is everyone talking about in the game?")
    await scene.member.slash(scene.channel, "forum read", thread="1", public=True)
    shown = await scene.moderator.slash(scene.channel, "setup show")
    card = shown.response or shown.followups[-1]
    form = await scene.moderator.click(card, label=t("Panel"))
    await scene.moderator.submit_modal(form, {"panel_channel_id": [scene.channel]})
    shown = await scene.moderator.slash(scene.channel, "setup show")
    card = shown.response or shown.followups[-1]
    await scene.moderator.click(card, label=t("Roles"))
    form = await scene.moderator.click(card, label=t("Add rule"))
    role = scene.moderator.guild.roles["Collector"]
    rule: dict[str, Any] = {"role": [role], "who": ["1"], "item": "Straw Hat", "takes": True}
    await scene.moderator.submit_modal(form, rule)
