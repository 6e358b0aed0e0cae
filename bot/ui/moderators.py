"""Who may moderate, and where, as Discord says with each interaction: nothing else is asked."""

from bot.ui.answers import Interaction


def may_moderate(interaction: Interaction, role_id: int | None) -> bool:
    """Return whether whoever pressed may remove comments: in this channel, or by a role."""
    if interaction.guild_id is None:
        return False
    # A member's roles need the server to be at hand; their ids are in every interaction.
    roles = getattr(interaction.user, "_roles", ())
    return interaction.permissions.manage_messages or (role_id is not None and role_id in roles)


def is_member_here(interaction: Interaction) -> bool:
    """Return whether Kiosk can take back what it posts: not where only its user installed it."""
    return interaction.is_guild_integration() or not interaction.is_user_integration()


def server_of(interaction: Interaction) -> int | None:
    """Return the server whose names hold where something is used, None where Kiosk is in none."""
    return interaction.guild_id if is_member_here(interaction) else None
