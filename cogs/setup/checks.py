"""Where, by whom and in which channel a server is set up, as an interaction says."""

from collections.abc import Mapping
from typing import Any, cast

import discord

from bot.errors import NotAManager, ServerOnly
from bot.ui.answers import Interaction


def guild_of(interaction: Interaction) -> int:
    """Return the server. Raises ServerOnly."""
    if interaction.guild_id is None:
        raise ServerOnly
    return interaction.guild_id


def require_manager(interaction: Interaction) -> int:
    """Return the server that whoever pressed may set up. Raises ServerOnly, NotAManager."""
    guild_id = guild_of(interaction)
    if not interaction.permissions.manage_guild:
        raise NotAManager
    return guild_id


def may_post(interaction: Interaction, channel_id: int) -> bool:
    """Return whether Kiosk may post in a channel, as Discord says with the interaction."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    channel = data.get("resolved", {}).get("channels", {}).get(str(channel_id), {})
    allowed = channel.get("app_permissions")
    if allowed is None:
        return True
    permissions = discord.Permissions(int(allowed))
    return permissions.view_channel and permissions.send_messages
