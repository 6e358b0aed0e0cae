"""A server to play in: a channel with something to see, and three people."""

from dataclasses import dataclass
from typing import Any

import discord
import simcord

MODERATOR = discord.Permissions(manage_guild=True, manage_messages=True)
THREADS = {"1": "Park life", "2": "Patch notes", "3": "Quiet corner"}
CATALOGS = {"1": "Season", "2": "Outlet", "3": "Attic"}


@dataclass(frozen=True)
class Scene:
    """Who and what is there."""

    channel: simcord.ChannelHandle
    member: simcord.MemberActor
    moderator: simcord.MemberActor
    newcomer: simcord.MemberActor

    @property
    def people(self) -> list[simcord.MemberActor]:
        """Everyone, the member first."""
        return [self.member, self.moderator, self.newcomer]


def build_scene(env: simcord.Env) -> Scene:
    """Make the server, its channel and its people."""
    guild = env.create_guild("Acorn Park Fans")
    role = guild.create_role("Moderator", permissions=MODERATOR)
    return Scene(
        channel=guild.create_text_channel("game-talk"),
        member=guild.add_member(env.create_user("hazel", global_name="Hazel (member)")),
        moderator=guild.add_member(
            env.create_user("rowan", global_name="Rowan (moderator)"), roles=[role]
        ),
        newcomer=guild.add_member(env.create_user("clover", global_name="Clover (not linked)")),
    )


async def name_places(scene: Scene) -> None:
    """Let the moderator name the demo's threads and catalogs."""
    for kind, names in {"thread": THREADS, "catalog": CATALOGS}.items():
        for game_id, name in names.items():
            options: dict[str, Any] = {"id": game_id, "name": name}
            await scene.moderator.slash(scene.channel, f"setup {kind} add", **options)


async def link(scene: Scene, actor: simcord.MemberActor, token: str) -> None:
    """Link an account as a member does."""
    form = await actor.slash(scene.channel, "account link")
    await actor.submit_modal(form, {"token": token})


async def open_conversation(scene: Scene) -> None:
    """Fill the channel with something to see."""
    await link(scene, scene.member, "demo-subscriber")
    await link(scene, scene.moderator, "demo-visitor")
    await scene.moderator.send(
        scene.channel, "Welcome! Kiosk brings the park's forum and shop in here. Try `/help`."
    )
    await scene.newcomer.send(scene.channel, "What is everyone talking about in the game?")
    await scene.member.slash(scene.channel, "forum read", thread="1", public=True)
