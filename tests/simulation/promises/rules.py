"""What a server's rules for roles say, and which roles no one may be given by them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import discord
from simcord.backend.permissions import compute
from simcord.enums import OverwriteType

from tests.simulation.town import Town

MANAGE_ROLES = discord.Permissions.manage_roles.flag
# What a role may have that Kiosk gives, as docs/moderators.md lists it.
_HARMLESS = discord.Permissions(
    view_channel=True,
    read_message_history=True,
    create_instant_invite=True,
    change_nickname=True,
    use_application_commands=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    create_private_threads=True,
    create_polls=True,
    send_voice_messages=True,
    send_tts_messages=True,
    embed_links=True,
    attach_files=True,
    add_reactions=True,
    external_emojis=True,
    external_stickers=True,
    use_external_apps=True,
    connect=True,
    speak=True,
    stream=True,
    use_voice_activation=True,
    use_soundboard=True,
    use_external_sounds=True,
    use_embedded_activities=True,
    set_voice_channel_status=True,
    request_to_speak=True,
    create_expressions=True,
    create_events=True,
).value
# A server, a member, and a role.
Key = tuple[int, int, int]


@dataclass
class Rule:
    role_id: int
    catalog_id: int
    # None if the role is for everyone who has linked an account.
    item_id: int | None
    takes_away: bool


@dataclass(frozen=True)
class State:
    """What is promised to a member of a role: whether they fulfil each rule, None for unsure."""

    holds: tuple[bool | None, ...]
    rules: tuple[int, ...]
    is_taken: bool
    trouble: str | None

    @property
    def is_promised(self) -> bool:
        return True in self.holds and self.trouble is None

    @property
    def is_lost(self) -> bool:
        return not {True, None}.intersection(self.holds) and self.is_taken


@dataclass
class Claim:
    state: State
    since: datetime
    # Whether Kiosk has looked at the member since then, as it does when they link or unlink.
    is_looked_at: bool


def trouble_with(
    town: Town, guild_id: int, role_id: int, moderator_role_id: int | None
) -> str | None:
    """Return why no one may be given a role."""
    guild = town.env.backend.guilds[guild_id]
    bot_id = town.env.backend.bot_user.id
    role = guild.roles.get(role_id)
    if role is None:
        return "it is gone"
    may_give = compute(guild, bot_id, now=town.env.now()) & MANAGE_ROLES
    troubles = {
        "it is the moderators'": moderator_role_id == role_id,
        "it is a bot's": role.managed,
        "it may do what moderators do": _rights(town, guild_id, role) & ~_HARMLESS,
        "Kiosk may give no role": not may_give,
        "it is above Kiosk": role.position >= guild.top_role_position(bot_id),
    }
    return next((why for why, is_so in troubles.items() if is_so), None)


def _rights(town: Town, guild_id: int, role: Any) -> int:
    """Return what a role may do in a server, and what any channel allows it."""
    backend = town.env.backend
    rights = role.permissions
    for channel_id in backend.guilds[guild_id].channel_ids:
        for overwrite in backend.channels[channel_id].overwrites:
            if overwrite.type == OverwriteType.ROLE and overwrite.target_id == role.id:
                rights |= overwrite.allow
    return rights
