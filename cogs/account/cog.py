"""`/account`: link a game account, look at the link, take it away; one's own records."""

import io

import discord
from discord import app_commands
from discord.ext import commands
from pydantic import SecretStr

from bot.domain.names import Kind
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer, answer_with_file
from bot.ui.commands import L
from bot.ui.router import Press, route
from bot.ui.shared_actions import LinkToken, OpenLinkForm
from cogs.account import records, views


class AccountCog(commands.GroupCog, name=L("account"), description=L("Your game account")):
    """Linking a game account to a member."""

    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        self._records = bot.features.records
        self._writing = bot.features.forum.drafts
        bot.router.add(self)

    @app_commands.command(
        name=L("link"), description=L("Link your game account with an access token")
    )
    async def link(self, interaction: Interaction) -> None:
        """Ask for the token in a form: a command's options would be seen and kept by Discord."""
        await interaction.response.send_modal(views.link_form())

    @app_commands.command(name=L("show"), description=L("Show which game account is linked"))
    async def show(self, interaction: Interaction) -> None:
        """Show the state of the link, never the token."""
        acknowledge(interaction)
        link = await self._accounts.find(interaction.user.id)
        await answer(interaction, views.link_card(link))

    @app_commands.command(name=L("unlink"), description=L("Forget your game account"))
    async def unlink(self, interaction: Interaction) -> None:
        """Forget the token."""
        acknowledge(interaction)
        await self._unlink(interaction)

    @app_commands.command(
        name=L("export"), description=L("Get a file with everything Kiosk keeps about you")
    )
    async def export(self, interaction: Interaction) -> None:
        """Hand the member's records over, to them alone."""
        acknowledge(interaction)
        content = await self._records.export(interaction.user.id, discord.utils.utcnow())
        file = discord.File(io.BytesIO(content), records.FILE_NAME)
        await answer_with_file(interaction, records.export_card(), file)

    @app_commands.command(name=L("erase"), description=L("Erase everything Kiosk keeps about you"))
    async def erase(self, interaction: Interaction) -> None:
        """Ask first."""
        acknowledge(interaction)
        await answer(interaction, records.question_card())

    @route(OpenLinkForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenLinkForm]) -> None:
        """Open the form from a button."""
        await press.interaction.response.send_modal(views.link_form(press.action.then))

    @route(LinkToken, in_place=False)
    async def on_token(self, press: Press[LinkToken]) -> None:
        """Check the token against the game, and keep it."""
        catalogs = await self._directory.all_of_kind(press.interaction.guild_id, Kind.CATALOG)
        await self._accounts.link(
            press.member_id,
            SecretStr(press.texts["token"].strip()),
            [catalog.game_id for catalog in catalogs],
        )
        unsent = await self._writing.unsent(press.member_id)
        await answer(press.interaction, views.linked_card(press.action.then, len(unsent)))

    @route(views.Unlink, in_place=False)
    async def on_unlink(self, press: Press[views.Unlink]) -> None:
        """Forget the token from a button."""
        await self._unlink(press.interaction)

    @route(records.Erase)
    async def on_erase(self, press: Press[records.Erase]) -> None:
        """Erase what was asked for."""
        erased = await self._records.erase(press.member_id)
        await answer(press.interaction, records.erased_card(erased.removed, erased.left))

    async def _unlink(self, interaction: Interaction) -> None:
        was_linked = await self._accounts.unlink(interaction.user.id)
        await answer(interaction, views.unlinked_card(was_linked=was_linked))
