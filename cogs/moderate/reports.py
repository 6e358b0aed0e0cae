"""Members report comments, moderators decide on those and on what was held back; message menus."""

from collections.abc import Mapping, Sequence
from typing import Any

import discord
from discord import Permissions, app_commands

from bot.features.errors import CommentNotFound, NothingToRemove
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import Action
from bot.ui.answers import Interaction, answer
from bot.ui.cards import notice
from bot.ui.channels import guild_of, language_of_server
from bot.ui.commands import L
from bot.ui.comments import choose_card, comments_in
from bot.ui.router import Press, route
from bot.ui.shared_actions import OpenRemoveForm, OpenReportForm
from bot.ui.text import unescape
from cogs.moderate.actions import (
    NONE,
    Dismiss,
    LookThrough,
    PickToRemove,
    PickToReport,
    PostMore,
    SendReport,
    ShowHeldBack,
    reason_of,
    report_form,
)
from cogs.moderate.cases import MOST_POSTED, posting_more_card
from cogs.moderate.removing import Evidence, RemovalHandlers, require_moderator
from cogs.moderate.words import looking_card


class ReportHandlers:
    """Answers what reports a comment, and a message's menus, where one of several is chosen."""

    def __init__(self, bot: Kiosk, evidence: Evidence, removing: RemovalHandlers) -> None:
        self._bot = bot
        self._moderation = bot.features.moderation
        self._evidence = evidence
        self._removing = removing

    async def open_form(self, interaction: Interaction, action: OpenReportForm) -> None:
        """Open the form, where reports reach somebody."""
        await self._moderation.require_log(guild_of(interaction))
        await interaction.response.send_modal(report_form(action))

    @route(OpenReportForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenReportForm]) -> None:
        """Open the form from the card of a comment."""
        await self.open_form(press.interaction, press.action)

    @route(PickToReport, opens_form=True)
    async def on_pick(self, press: Press[PickToReport]) -> None:
        """Open the form for the comment that was chosen."""
        await self.open_form(press.interaction, OpenReportForm(NONE, press.number))

    @route(SendReport, in_place=False, keeps=True)
    async def on_send(self, press: Press[SendReport]) -> None:
        """Keep the report."""
        interaction, action = press.interaction, press.action
        guild_id = guild_of(interaction)
        subject = await self._evidence.of(interaction, action.comment_id, action.near)
        shown = self._bot.features.forum.shown
        if subject.text is None and not await shown.has_shown(guild_id, action.comment_id):
            raise CommentNotFound(name=str(action.comment_id))
        await self._moderation.report(
            guild_id,
            subject,
            press.member_id,
            reason_of(press.texts),
            language_of_server(interaction),
        )
        told = t("This server's moderators know of it now. They are not told who you are.")
        await answer(interaction, notice(t("Thank you"), told, colour=theme.GOOD))

    @route(Dismiss, in_place=False)
    async def on_dismiss(self, press: Press[Dismiss]) -> None:
        """Leave the comment as it is."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        await self._moderation.dismiss(guild_id, press.action.case_id, press.member_id)
        told = t("If somebody else reports it, it comes up again.")
        await answer(press.interaction, notice(t("The comment stays"), told))

    @route(ShowHeldBack, in_place=False)
    async def on_show_held_back(self, press: Press[ShowHeldBack]) -> None:
        """Let the comment be shown as it is, where its thread is followed, too."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        case_id = press.action.case_id
        await self._moderation.release(guild_id, case_id, press.member_id)
        case = await self._moderation.removals.reported(case_id)
        if case is not None and case.subject.comment_id is not None:
            await self._bot.features.announcing.draw_anew(guild_id, case.subject.comment_id)
        told = t("It stays visible in this server as long as its text stays the same.")
        card = notice(t("The comment is shown"), told, colour=theme.GOOD)
        await answer(press.interaction, card)

    @route(PostMore, in_place=False)
    async def on_post_more(self, press: Press[PostMore]) -> None:
        """Post the cards of the next comments that were held back."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        waiting = await self._moderation.cards.without_card(guild_id)
        for case_id in waiting[:MOST_POSTED]:
            await self._moderation.cards.owe_now(case_id)
        await answer(press.interaction, posting_more_card(len(waiting)))

    @route(LookThrough, in_place=False)
    async def on_look_through(self, press: Press[LookThrough]) -> None:
        """Look at what stands in the channels already."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        locale = language_of_server(press.interaction)
        count = await self._moderation.looks.owe(guild_id, locale)
        rules = await self._moderation.rules(guild_id)
        has_log = rules.log_channel_id is not None
        await answer(press.interaction, looking_card(count, has_log=has_log))

    async def remove_from_message(self, interaction: Interaction, message: discord.Message) -> None:
        """Remove a comment that a message of Kiosk's shows."""
        shown = await self._comments_shown(message)
        if len(shown) == 1:
            await self._removing.open_form(interaction, OpenRemoveForm(NONE, next(iter(shown))))
        else:
            question = t("Which comment do you want to remove?")
            await self._ask_which(interaction, PickToRemove(), question, shown)

    async def report_message(self, interaction: Interaction, message: discord.Message) -> None:
        """Report a comment that a message of Kiosk's shows."""
        await self._moderation.require_log(guild_of(interaction))
        shown = await self._comments_shown(message)
        if len(shown) == 1:
            await self.open_form(interaction, OpenReportForm(NONE, next(iter(shown))))
        else:
            question = t("Which comment do you want to report?")
            await self._ask_which(interaction, PickToReport(), question, shown)

    async def _ask_which(
        self, interaction: Interaction, pick: Action, question: str, shown: Mapping[int, str]
    ) -> None:
        labels = {comment_id: f"#{comment_id} {text}" for comment_id, text in shown.items()}
        await answer(interaction, choose_card(pick, question, labels, theme.PROBLEM))

    async def _comments_shown(self, message: discord.Message) -> dict[int, str]:
        """Return what a message shows, with the texts of what has a place of its own there."""
        shown: dict[int, str] = {}
        if message.author == self._bot.user:
            texts = comments_in([component.to_dict() for component in message.components])
            shown = {comment_id: unescape(text) for comment_id, text in texts.items()}
            for comment_id in await self._bot.features.forum.shown.shown_in(message.id):
                shown.setdefault(comment_id, "")
        if not shown:
            raise NothingToRemove
        for comment_id, text in shown.items():
            if text:
                self._evidence.seen.put(comment_id, text)
        return shown


def message_menus(
    handlers: ReportHandlers, moderators: Permissions
) -> Sequence[app_commands.ContextMenu]:
    """Return the menus; "Remove comment" is for those with the permissions of moderators."""
    return [
        _menu(L("Remove comment"), handlers.remove_from_message, moderators),
        _menu(L("Report comment"), handlers.report_message, None),
    ]


def _menu(
    name: app_commands.locale_str, callback: Any, permissions: Permissions | None
) -> app_commands.ContextMenu:
    """Return a message menu that works in servers which Kiosk is a member of."""
    menu = app_commands.ContextMenu(
        name=name,
        callback=callback,
        allowed_contexts=app_commands.AppCommandContext(
            guild=True, dm_channel=False, private_channel=False
        ),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )
    menu.default_permissions = permissions
    return menu
