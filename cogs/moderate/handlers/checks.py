"""Who may moderate, asked at the moment of each press."""

from bot.features.errors import NotAModerator
from bot.features.moderation import ModerationService
from bot.ui.answers import Interaction
from bot.ui.channels import guild_of, may_moderate


def language_of_server(interaction: Interaction) -> str:
    """Return the language of what Kiosk says to everybody in this server."""
    return str(interaction.guild_locale or interaction.locale)


async def require_moderator(interaction: Interaction, moderation: ModerationService) -> int:
    """Return the server, for whoever may moderate here now. Raises NotAModerator, ServerOnly."""
    guild_id = guild_of(interaction)
    rules = await moderation.rules(guild_id)
    if not may_moderate(interaction, rules.moderator_role_id):
        raise NotAModerator(moderators=rules.moderator_role_id)
    return guild_id
