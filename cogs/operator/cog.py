"""`/operator`: what the owner of the application alone is told."""

import discord
from discord import Permissions, app_commands
from discord.ext import commands

from bot.errors import OperatorOnly
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.commands import L
from cogs.operator.views import Report, status_card


@app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=True)
@app_commands.default_permissions(Permissions(administrator=True))
class OperatorCog(
    commands.GroupCog,
    name=L("operator"),
    description=L("For whoever runs this bot"),
):
    """For the owner, who need not be anybody in a server."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._features = bot.features
        self._started_at = discord.utils.utcnow()

    @app_commands.command(
        name=L("status"), description=L("How this bot is doing: version, queues and last errors")
    )
    async def status(self, interaction: Interaction) -> None:
        """Show it, privately."""
        acknowledge(interaction)
        await self._require_owner(interaction)
        operating = self._features.operating
        now = discord.utils.utcnow()
        report = Report(
            started_at=self._started_at,
            process=self._bot.process_status(),
            processes=await self._bot.count_processes(),
            numbers=await operating.figures.count(now),
            catalogs=await self._features.announcing.followed(),
            operating=operating,
        )
        await answer(interaction, status_card(report))

    async def _require_owner(self, interaction: Interaction) -> None:
        """Raise OperatorOnly for anybody but the owner, or a member of the owning team."""
        application = await self._bot.application_info()
        owners = {application.owner.id}
        if application.team is not None:
            owners = {member.id for member in application.team.members}
        if interaction.user.id not in owners:
            raise OperatorOnly
