"""In which channels Kiosk may post, as an interaction says."""

from collections.abc import Mapping
from typing import Any, cast

import discord

from bot.ui.answers import Interaction


def may_post(interaction: Interaction, channel_id: int) -> bool:
    """Return whether Kiosk may post in a channel, as Discord says with the interaction."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    channel = data.get("resolved", {}).get("channels", {}).get(str(channel_id), {})
    allowed = channel.get("app_permissions")
    if allowed is None:
        return True
    permissions = discord.Permissions(int(allowed))
    return permissions.view_channel and permissions.send_messages
