"""`/moderate`: remove comments from this server's chat, and keep a record of it."""

import discord
from discord import Permissions, app_commands
from discord.ext import commands

from bot.domain.moderation import LONGEST_REASON, Subject
from bot.errors import UnknownComment
from bot.features.names import read_id
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge
from bot.ui.commands import L, choices
from bot.ui.shared_actions import OpenRemoveForm
from cogs.moderate.actions import NONE, ShowLog
from cogs.moderate.automod import AutomodCommands, AutomodReader
from cogs.moderate.case_card import CaseCard, MoreHeldBack
from cogs.moderate.handlers.checks import guild_of
from cogs.moderate.handlers.evidence import Evidence
from cogs.moderate.handlers.log import LogHandlers
from cogs.moderate.handlers.players import PlayerHandlers
from cogs.moderate.handlers.removing import RemovalHandlers
from cogs.moderate.handlers.reports import ReportHandlers
from cogs.moderate.looking import LookForWords
from cogs.moderate.menus import MenuHandlers, message_menus
from cogs.moderate.messages import RemovedFromMessage
from cogs.moderate.posted import PostedMessages
from cogs.moderate.turns import Turns
from cogs.moderate.words import WordCommands

Choices = list[app_commands.Choice[str]]
Reason = app_commands.Range[str, 1, LONGEST_REASON]
Days = app_commands.Range[int, 1, 3650]

_USUAL_DAYS = 30
_MOST_OFFERED = 200
_PLAYER = L("The player's name in the game, or number")
_COMMENT = L("The comment's number, such as #123")
_MODERATORS = Permissions(manage_messages=True)


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(_MODERATORS)
class ModerateCog(
    WordCommands,
    AutomodCommands,
    commands.GroupCog,
    name=L("moderate"),
    description=L("Remove the game's comments from this server's chat"),
):
    """Removals, and their record."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._moderation = bot.features.moderation
        self._vetting = bot.features.moderation.vetting
        self._automod = AutomodReader(bot)
        self._evidence = Evidence(bot)
        self._removing = RemovalHandlers(bot, self._evidence)
        self._reporting = ReportHandlers(bot, self._evidence)
        self._players = PlayerHandlers(bot, self._removing)
        self._log = LogHandlers(bot)
        bot.router.add(self._removing, self._reporting, self._log)
        handlers = MenuHandlers(bot, self._evidence, self._removing, self._reporting)
        self._menus = message_menus(handlers, _MODERATORS)

    async def cog_load(self) -> None:
        """Add the message menus and what is owed in the background."""
        for menu in self._menus:
            self._bot.tree.add_command(menu)
        bot, posted = self._bot, PostedMessages(Turns())
        bot.dispatcher.add(
            RemovedFromMessage(bot, posted),
            CaseCard(bot, posted),
            MoreHeldBack(bot),
            LookForWords(bot, posted),
        )
        self._bot.worker.add("automod", self._automod.keep)

    async def cog_unload(self) -> None:
        """Take back the message menus."""
        for menu in self._menus:
            self._bot.tree.remove_command(menu.name, type=menu.type)

    @app_commands.command(
        name=L("remove"), description=L("Remove a comment from this server's chat")
    )
    @app_commands.rename(comment=L("comment"), reason=L("reason"))
    @app_commands.describe(
        comment=_COMMENT, reason=L("Why, for the log; leave it out to fill in a form")
    )
    async def remove(
        self, interaction: Interaction, comment: str, reason: Reason | None = None
    ) -> None:
        """Remove a comment, or ask for the reason."""
        comment_id = _comment_id(comment)
        if reason is None:
            await self._removing.open_form(interaction, OpenRemoveForm(NONE, comment_id))
            return
        acknowledge(interaction, keeps=True)
        await self._removing.remove(
            interaction, comment_id, near=None, reason=reason, in_game=False
        )

    @app_commands.command(name=L("restore"), description=L("Undo the removal of a comment"))
    @app_commands.rename(comment=L("comment"))
    @app_commands.describe(comment=_COMMENT)
    async def restore(self, interaction: Interaction, comment: str) -> None:
        """Show a comment in this server again."""
        acknowledge(interaction, keeps=True)
        await self._log.restore(interaction, Subject(_comment_id(comment)))

    @app_commands.command(
        name=L("mute"),
        description=L("Hide everything a player of the game writes from this server"),
    )
    @app_commands.rename(player=L("player"), reason=L("reason"), until=L("until"))
    @app_commands.describe(
        player=_PLAYER,
        reason=L("Why, for the log"),
        until=L("A day such as 2026-12-31, or a length such as 7d; for good if left out"),
    )
    async def mute(
        self,
        interaction: Interaction,
        player: str,
        reason: Reason = "",
        until: str | None = None,
    ) -> None:
        """Mute a player here."""
        acknowledge(interaction, keeps=True)
        await self._players.mute(interaction, player, reason, until)

    @app_commands.command(name=L("unmute"), description=L("End the mute of a player"))
    @app_commands.rename(player=L("player"))
    @app_commands.describe(player=_PLAYER)
    async def unmute(self, interaction: Interaction, player: str) -> None:
        """Show what a player writes again."""
        acknowledge(interaction, keeps=True)
        subject = await self._players.subject(interaction, player)
        await self._log.restore(interaction, subject)

    @app_commands.command(name=L("log"), description=L("What was removed, by whom and why"))
    @app_commands.rename(moderator=L("moderator"), player=L("player"), days=L("days"))
    @app_commands.describe(
        moderator=L("Only what this member removed"),
        player=L("Only what this player of the game wrote"),
        days=L("How many days to look back"),
    )
    async def log(
        self,
        interaction: Interaction,
        moderator: discord.User | None = None,
        player: str | None = None,
        days: Days = _USUAL_DAYS,
    ) -> None:
        """Page through the record."""
        acknowledge(interaction)
        player_id = None
        if player is not None:
            player_id = (await self._players.subject(interaction, player)).player_id
        player_id = NONE if player_id is None else player_id
        moderator_id = 0 if moderator is None else moderator.id
        await self._log.show(interaction, ShowLog(days, moderator_id, player_id))

    @restore.autocomplete("comment")
    async def suggest_removed(self, interaction: Interaction, typed: str) -> Choices:
        """Offer what is removed here, to those who may use the command."""
        removals = await self._moderation.removals.all_in_force(
            guild_of(interaction), _MOST_OFFERED
        )
        labels = {
            one.subject.comment_id: f"{one.subject.player_name}: {one.subject.text or '…'}"
            for one in removals
            if one.subject.comment_id is not None
        }
        wanted = typed.strip().removeprefix("#").casefold()
        return choices(
            (f"#{comment_id} {label}", str(comment_id))
            for comment_id, label in labels.items()
            if wanted in label.casefold() or str(comment_id).startswith(wanted)
        )

    @log.autocomplete("player")
    @unmute.autocomplete("player")
    @mute.autocomplete("player")
    async def suggest_players(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the players that are in the log, and those who wrote what is at hand."""
        wanted = typed.strip().casefold()
        players = await self._players.known(interaction)
        return choices(
            (name, str(player_id))
            for player_id, name in players.items()
            if wanted in name.casefold() or wanted == str(player_id)
        )


def _comment_id(text: str) -> int:
    comment_id = read_id(text)
    if comment_id is None:
        raise UnknownComment(name=text)
    return comment_id
