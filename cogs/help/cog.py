"""`/help`: the commands at a glance, and where a member stands."""

from discord import app_commands
from discord.ext import commands

from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.commands import L
from cogs.help import views


class HelpCog(commands.Cog):
    """Help."""

    def __init__(self, bot: Kiosk) -> None:
        self._tree = bot.tree
        self._accounts = bot.features.accounts

    @app_commands.command(name=L("help"), description=L("What Kiosk can do for you"))
    async def help(self, interaction: Interaction) -> None:
        """List every command the tree holds."""
        acknowledge(interaction)
        link = await self._accounts.find(interaction.user.id)
        may_set_up = interaction.guild_id is not None and interaction.permissions.manage_guild
        await answer(
            interaction,
            views.help_card(
                self._tree.get_commands(),
                self._tree.ids,
                is_linked=link is not None,
                may_set_up=may_set_up,
            ),
        )
