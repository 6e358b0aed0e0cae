"""Who may moderate, and where, as Discord says with each interaction: nothing else is asked."""

import discord

from bot.errors import MayNotWrite, NotAManager, ServerOnly
from bot.ui.answers import Interaction


def may_moderate(interaction: Interaction, role_id: int | None) -> bool:
    """Return whether whoever pressed may remove comments: in this channel, or by a role."""
    if interaction.guild_id is None:
        return False
    return interaction.permissions.manage_messages or role_id in roles_of(interaction)


def is_member_here(interaction: Interaction) -> bool:
    """Return whether Kiosk can take back what it posts: not where only its user installed it."""
    return interaction.is_guild_integration() or not interaction.is_user_integration()


def require_may_write(interaction: Interaction) -> None:
    """Raise MayNotWrite where Discord lets whoever pressed send nothing in the channel."""
    may = interaction.permissions
    is_thread = isinstance(interaction.channel, discord.Thread)
    is_allowed = may.send_messages_in_threads if is_thread else may.send_messages
    if interaction.guild_id is not None and not is_allowed:
        raise MayNotWrite


def roles_of(interaction: Interaction) -> frozenset[int]:
    """Return the ids of the member's roles."""
    # The roles need the server to be at hand; their ids are in every interaction.
    return frozenset(getattr(interaction.user, "_roles", ()))


def channels_of(interaction: Interaction) -> frozenset[int]:
    """Return the ids of the channel, and of the one that it is a thread of."""
    ids = (interaction.channel_id, getattr(interaction.channel, "parent_id", None))
    return frozenset(each for each in ids if each is not None)


def server_of(interaction: Interaction) -> int | None:
    """Return the server whose names hold where something is used, None where Kiosk is in none."""
    return interaction.guild_id if is_member_here(interaction) else None


def guild_of(interaction: Interaction) -> int:
    """Return the server. Raises ServerOnly."""
    if interaction.guild_id is None:
        raise ServerOnly
    return interaction.guild_id


def require_manager(interaction: Interaction) -> int:
    """Return the server that whoever pressed may set up. Raises ServerOnly, NotAManager."""
    guild_id = server_of(interaction)
    if guild_id is None:
        raise ServerOnly
    if not interaction.permissions.manage_guild:
        raise NotAManager
    return guild_id
