"""`/account`: link a game account, look at the link, take it away."""

from discord import app_commands
from discord.ext import commands
from pydantic import SecretStr

from bot.app import Kiosk
from bot.domain.names import Kind
from bot.ui.actions import Given, Interaction
from bot.ui.commands import L
from bot.ui.linking import LinkToken, OpenLinkForm
from bot.ui.respond import respond, think
from cogs.account import views


class AccountCog(commands.GroupCog, name=L("account"), description=L("Your game account")):
    """Linking a game account to a member."""

    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        self._writing = bot.features.forum.writing
        bot.router.handle(OpenLinkForm, self.on_open_form)
        bot.router.handle(LinkToken, self.on_token)
        bot.router.handle(views.Unlink, self.on_unlink)

    @app_commands.command(
        name=L("link"), description=L("Link your game account with an access token")
    )
    async def link(self, interaction: Interaction) -> None:
        """Ask for the token in a form: a command's options would be seen and kept by Discord."""
        await interaction.response.send_modal(views.link_form())

    @app_commands.command(name=L("show"), description=L("Show which game account is linked"))
    async def show(self, interaction: Interaction) -> None:
        """Show the state of the link, never the token."""
        await think(interaction)
        link = await self._accounts.find(interaction.user.id)
        await respond(interaction, views.link_card(link))

    @app_commands.command(name=L("unlink"), description=L("Forget your game account"))
    async def unlink(self, interaction: Interaction) -> None:
        """Forget the token."""
        await think(interaction)
        await self._unlink(interaction)

    async def on_open_form(
        self, interaction: Interaction, action: OpenLinkForm, _given: Given
    ) -> None:
        """Open the form from a button."""
        await interaction.response.send_modal(views.link_form(action.then))

    async def on_token(self, interaction: Interaction, action: LinkToken, given: Given) -> None:
        """Check the token against the game, and keep it."""
        await think(interaction)
        catalogs = await self._directory.all_of_kind(interaction.guild_id, Kind.CATALOG)
        await self._accounts.link(
            interaction.user.id,
            SecretStr(given.texts["token"].strip()),
            [catalog.game_id for catalog in catalogs],
        )
        unsent = await self._writing.waiting(interaction.user.id)
        await respond(interaction, views.linked_card(action.then, len(unsent)))

    async def on_unlink(
        self, interaction: Interaction, _action: views.Unlink, _given: Given
    ) -> None:
        """Forget the token from a button."""
        await think(interaction)
        await self._unlink(interaction)

    async def _unlink(self, interaction: Interaction) -> None:
        was_linked = await self._accounts.unlink(interaction.user.id)
        await respond(interaction, views.unlinked_card(was_linked=was_linked))
