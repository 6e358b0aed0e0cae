"""`/account`: link a game account, look at the link, take it away; one's own records."""

import asyncio
import io
from contextlib import suppress

import discord
from discord.ext import commands
from pydantic import SecretStr

from bot.errors import AccountError, LinkUnreadable
from bot.features.accounts import bare_token, zipped
from bot.game.errors import GameError
from bot.kiosk import Kiosk
from bot.ui.actions import ActionForm
from bot.ui.answers import Interaction, answer, tell
from bot.ui.commands import L, slash
from bot.ui.error_cards import error_card, note
from bot.ui.next_steps import TOKEN_FIELD, offer_again
from bot.ui.router import Press, route
from bot.ui.shared_actions import LinkToken, OpenLinkForm
from cogs.account import views
from storage.errors import DatabaseError
from storage.names import PlaceKind


class AccountCog(commands.GroupCog, name=L("account"), description=L("Your game account")):
    """Linking a game account to a member."""

    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        self._records = bot.features.records
        self._texts = bot.features.texts
        self._router = bot.router
        self._now = bot.now
        bot.router.add(self)

    @slash(L("link"), L("Link your game account with an access token"), acknowledges=False)
    async def link(self, interaction: Interaction) -> None:
        """Ask for the token in a form: a command's options would be seen and kept by Discord."""
        await interaction.response.send_modal(await self._form(interaction.user.id))

    async def _form(self, member_id: int, then: str = "") -> ActionForm:
        linked = None
        with suppress(LinkUnreadable, DatabaseError):
            linked = await self._accounts.find(member_id)
        return views.link_form(self._accounts.source, linked, then)

    @slash(L("show"), L("Show which game account is linked"))
    async def show(self, interaction: Interaction) -> None:
        """Show the state of the link, never the token."""
        await self.on_show(Press(interaction, interaction.user.id, views.ShowLink()))

    @slash(L("unlink"), L("Forget your game account"))
    async def unlink(self, interaction: Interaction) -> None:
        """Ask first, where there is something to forget."""
        await self.on_ask_to_unlink(Press(interaction, interaction.user.id, views.AskToUnlink()))

    @slash(L("export"), L("Get a file with everything Kiosk keeps about you"))
    async def export(self, interaction: Interaction) -> None:
        """Hand the member's records over, to them alone."""
        content = await self._records.export(interaction.user.id, self._now())
        name = views.FILE_NAME
        if len(content) > interaction.filesize_limit:
            content, name = await asyncio.to_thread(zipped, name, content), views.ZIPPED_NAME
        if len(content) > interaction.filesize_limit:
            await answer(interaction, views.too_large_card())
            return
        file = discord.File(io.BytesIO(content), name)
        await tell(interaction, views.export_card(name), file=file)

    @slash(L("erase"), L("Erase everything Kiosk keeps about you"))
    async def erase(self, interaction: Interaction) -> None:
        """Ask first."""
        await answer(interaction, views.question_card())

    @route(OpenLinkForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenLinkForm]) -> None:
        """Open the form from a button."""
        form = await self._form(press.member_id, press.action.then)
        await press.interaction.response.send_modal(form)

    @route(LinkToken)
    async def on_token(self, press: Press[LinkToken]) -> None:
        """Check the token against the game and keep it; then do what led here."""
        interaction, then = press.interaction, press.action.then
        offer_again(interaction, OpenLinkForm(then))
        try:
            catalogs = await self._directory.all_of_kind(interaction.guild_id, PlaceKind.CATALOG)
            may_shop = await self._accounts.link(
                press.member_id,
                SecretStr(bare_token(press.text(TOKEN_FIELD))),
                [catalog.game_id for catalog in catalogs],
            )
        except (AccountError, GameError) as error:
            # The form again, by the same way.
            retry = views.retry_buttons(self._accounts.source, then)
            await answer(interaction, error_card(error, note(error), buttons=retry))
            return
        unsent = await self._texts.unsent(press.member_id)
        needs_press = not then or self._router.opens_form(then)
        card = views.linked_card(then if needs_press else "", len(unsent), may_shop=may_shop)
        await answer(interaction, card)
        if not needs_press:
            offer_again(interaction, then)
            await self._router.go_on(interaction, then)

    @route(views.AskToUnlink)
    async def on_ask_to_unlink(self, press: Press[views.AskToUnlink]) -> None:
        """Ask first, where there is something to forget."""
        is_linked = await self._accounts.is_linked(press.member_id)
        card = views.unlink_question_card() if is_linked else views.unlinked_card(was_linked=False)
        await answer(press.interaction, card)

    @route(views.ShowLink)
    async def on_show(self, press: Press[views.ShowLink]) -> None:
        """Show the state of the link, never the token."""
        link = await self._accounts.find(press.member_id)
        await answer(press.interaction, views.link_card(link, self._accounts.source))

    @route(views.Unlink)
    async def on_unlink(self, press: Press[views.Unlink]) -> None:
        """Forget the token."""
        was_linked = await self._accounts.unlink(press.member_id)
        await answer(press.interaction, views.unlinked_card(was_linked=was_linked))

    @route(views.Erase)
    async def on_erase(self, press: Press[views.Erase]) -> None:
        """Erase what was asked for."""
        erased = await self._records.erase(press.member_id)
        await answer(press.interaction, views.erased_card(erased.removed, erased.left))


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(AccountCog(bot))
