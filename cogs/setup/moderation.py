"""How a server is moderated, as its managers set it up."""

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.features.errors import ChannelClosed
from bot.features.moderation import ModerationService
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.channels import guild_of, may_post
from bot.ui.commands import L
from cogs.setup.views import moderation as views

MOST_REASONS, LONGEST_USUAL = 20, 100
Reasons = app_commands.Range[str, 1, 1000]
Days = app_commands.Range[int, 1, 3650]


class ModerationSetup(commands.Cog):
    """The part of `/setup` that is about moderators."""

    _moderation: ModerationService

    @app_commands.command(
        name=L("moderators"), description=L("Let a role remove comments of the game here")
    )
    @app_commands.rename(role=L("role"))
    @app_commands.describe(role=L("The role; leave it out to take it away"))
    async def moderators(self, interaction: Interaction, role: discord.Role | None = None) -> None:
        """Name the role, beside whoever may manage messages."""
        acknowledge(interaction)
        role_id = None if role is None else role.id
        await self._moderation.change_rules(guild_of(interaction), moderator_role_id=role_id)
        await answer(interaction, views.moderators_card(role_id))

    @app_commands.command(
        name=L("moderation"), description=L("How removals of comments work in this server")
    )
    @app_commands.rename(reasons=L("reasons"), reason_required=L("reason_required"), days=L("days"))
    @app_commands.describe(
        reasons=L("The usual reasons to pick from, separated by commas"),
        reason_required=L("Whether a removal needs a reason"),
        days=L("How many days the log keeps what removed comments said"),
    )
    async def moderation(
        self,
        interaction: Interaction,
        reasons: Reasons | None = None,
        reason_required: bool | None = None,
        days: Days | None = None,
    ) -> None:
        """Change what is given, and show all of it."""
        acknowledge(interaction)
        changes: dict[str, Any] = {"needs_reason": reason_required, "kept_days": days}
        if reasons is not None:
            changes["reasons"] = _read_reasons(reasons)
        given = {name: value for name, value in changes.items() if value is not None}
        rules = await self._moderation.change_rules(guild_of(interaction), **given)
        await answer(interaction, views.moderation_card(rules))

    @app_commands.command(
        name=L("log"), description=L("The channel where removals and reports are posted")
    )
    @app_commands.rename(channel=L("channel"))
    @app_commands.describe(channel=L("The channel; leave it out to post them nowhere"))
    async def log(
        self, interaction: Interaction, channel: app_commands.AppCommandChannel | None = None
    ) -> None:
        """Name the log channel, if Kiosk may post there."""
        acknowledge(interaction)
        if channel is not None and not may_post(interaction, channel.id):
            raise ChannelClosed
        channel_id = None if channel is None else channel.id
        await self._moderation.change_rules(guild_of(interaction), log_channel_id=channel_id)
        await answer(interaction, views.log_channel_card(channel_id))


def _read_reasons(text: str) -> list[str]:
    """Return the reasons that are typed, each once; commas alone take all away."""
    reasons = (" ".join(part.split())[:LONGEST_USUAL] for part in text.split(","))
    return list(dict.fromkeys(filter(None, reasons)))[:MOST_REASONS]
