"""`/help`: the commands at a glance, and where a member stands."""

from discord import app_commands
from discord.ext import commands

from bot.domain.names import PlaceKind
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.channels import server_of
from bot.ui.commands import L
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowHelp
from cogs.help import views


class HelpCog(commands.Cog):
    """Help."""

    def __init__(self, bot: Kiosk) -> None:
        self._tree = bot.tree
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        bot.router.add(self)

    @app_commands.command(name=L("help"), description=L("What Kiosk can do for you"))
    async def help(self, interaction: Interaction) -> None:
        """List what a member can use."""
        acknowledge(interaction)
        await self._show(interaction, "")

    @route(ShowHelp)
    async def on_help(self, press: Press[ShowHelp]) -> None:
        """Show a page of it."""
        await self._show(press.interaction, press.action.command)

    async def _show(self, interaction: Interaction, command: str) -> None:
        member_id, server = interaction.user.id, server_of(interaction)
        standing = views.Standing(
            is_linked=await self._accounts.is_linked(member_id),
            is_set_up=any(
                [
                    await self._directory.all_of_kind(server, kind, member_id=member_id)
                    for kind in PlaceKind
                ]
            ),
            permissions=None if interaction.guild_id is None else interaction.permissions,
            source=self._accounts.source,
        )
        pages = views.Pages(self._tree.get_commands(), self._tree.ids, standing)
        await answer(interaction, pages.card(command))
