"""The menus of a message: remove or report a comment that it shows."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import Permissions, app_commands

from bot.features.errors import NothingToRemove
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.commands import L
from bot.ui.comments import comments_in
from bot.ui.shared_actions import OpenRemoveForm, OpenReportForm
from cogs.moderate.actions import NONE, PickToRemove, PickToReport
from cogs.moderate.handlers.checks import guild_of
from cogs.moderate.handlers.evidence import Evidence
from cogs.moderate.handlers.removing import RemovalHandlers
from cogs.moderate.handlers.reports import ReportHandlers
from cogs.moderate.views.forms import choose_card


class MenuHandlers:
    """Answers the menus; of several comments that a message shows, one is chosen first."""

    def __init__(
        self,
        bot: Kiosk,
        evidence: Evidence,
        removing: RemovalHandlers,
        reporting: ReportHandlers,
    ) -> None:
        self._bot = bot
        self._evidence = evidence
        self._removing = removing
        self._reporting = reporting

    async def remove_from_message(self, interaction: Interaction, message: discord.Message) -> None:
        """Remove a comment that a message of Kiosk's shows."""
        shown = await self._comments_shown(message)
        if len(shown) == 1:
            await self._removing.open_form(interaction, OpenRemoveForm(NONE, next(iter(shown))))
        else:
            question = t("Which comment do you want to remove?")
            await answer(interaction, choose_card(PickToRemove(), question, shown))

    async def report_message(self, interaction: Interaction, message: discord.Message) -> None:
        """Report a comment that a message of Kiosk's shows."""
        await self._bot.features.moderation.require_log(guild_of(interaction))
        shown = await self._comments_shown(message)
        if len(shown) == 1:
            await self._reporting.open_form(interaction, OpenReportForm(NONE, next(iter(shown))))
        else:
            question = t("Which comment do you want to report?")
            await answer(interaction, choose_card(PickToReport(), question, shown))

    async def _comments_shown(self, message: discord.Message) -> dict[int, str]:
        """Return what a message shows, with the texts of what has a place of its own there."""
        shown: dict[int, str] = {}
        if message.author == self._bot.user:
            shown = comments_in([component.to_dict() for component in message.components])
            for comment_id in await self._bot.features.forum.shown.shown_in(message.id):
                shown.setdefault(comment_id, "")
        if not shown:
            raise NothingToRemove
        self._evidence.remember({each: text for each, text in shown.items() if text})
        return shown


def message_menus(
    handlers: MenuHandlers, moderators: Permissions
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
