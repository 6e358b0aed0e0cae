"""The bot: it knows its features, and hands every press to its router."""

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.background import BackgroundTasks
from bot.features import Features
from bot.tree import KioskTree
from bot.ui.error_cards import answer_error
from bot.ui.router import Router
from bot.ui.sharing import SharedCards
from storage.facts import Facts

EXTENSIONS = ("cogs.account", "cogs.forum", "cogs.shop", "cogs.setup", "cogs.help")

# Of the ten seconds that Docker gives a program to end.
_SECONDS_TO_ANSWER = 8.0


class Kiosk(commands.AutoShardedBot):
    """Kiosk on Discord; enter it as a context before it is started, so that it is closed."""

    tree: KioskTree  # pyright: ignore[reportIncompatibleMethodOverride] - set by tree_cls below

    def __init__(self, features: Features, facts: Facts, tasks: BackgroundTasks) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=KioskTree,
            intents=discord.Intents(guilds=True),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self.features = features
        self.tasks = tasks
        self.router = Router(self.tree.incoming)
        self.router.add(SharedCards(features.sharing.forget))
        self._facts = facts

    async def setup_hook(self) -> None:
        """Load every cog, then give Discord the commands if they have changed."""
        self.tree.error(self._on_failure)
        for extension in EXTENSIONS:
            await self.load_extension(extension)
        await self.tree.sync_if_changed(self._facts)

    async def close(self) -> None:
        """Let members who wait for an answer have it, if it comes soon; then leave Discord."""
        if not self.is_closed():
            answering = self.tasks.start(self.tree.incoming.until_answered())
            await self.tasks.within(_SECONDS_TO_ANSWER, answering)
        await super().close()

    async def _on_failure(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError
    ) -> None:
        """Tell the member; cogs hear of a command that failed as `command_failed`."""
        self.tree.incoming.end(interaction)
        await answer_error(interaction, error)
        if interaction.type is discord.InteractionType.application_command:
            self.dispatch("command_failed", interaction)

    async def on_app_command_completion(
        self,
        interaction: discord.Interaction[Any],
        _command: app_commands.Command[Any, ..., Any] | app_commands.ContextMenu,
    ) -> None:
        """Note that a command is answered."""
        self.tree.incoming.end(interaction)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Route presses, choices and filled forms; commands are the tree's."""
        if interaction.type in (
            discord.InteractionType.component,
            discord.InteractionType.modal_submit,
        ):
            await self.router.dispatch(interaction)
