"""`/setup`: moderators name the threads and catalogs of their server."""

from collections.abc import Mapping
from typing import ClassVar

import discord
from discord import Permissions, app_commands
from discord.ext import commands

from bot.features.errors import ChannelClosed
from bot.features.names import LONGEST_NAME
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.channels import guild_of, may_post
from bot.ui.commands import ChannelOption, Choices, L, Option, choices, slash
from cogs.setup.check import CheckSetup
from cogs.setup.handlers import SetupHandlers
from cogs.setup.moderation import ModerationSetup
from cogs.setup.names import list_card
from cogs.setup.panels import PanelKind
from storage.names import PlaceKind

Name = app_commands.Range[str, 1, LONGEST_NAME]


PanelChannel = app_commands.Transform[
    int, ChannelOption(discord.ChannelType.text, discord.ChannelType.news)
]


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(Permissions(manage_guild=True))
class SetupCog(
    CheckSetup,
    ModerationSetup,
    commands.GroupCog,
    name=L("setup"),
    description=L("Name this server's threads and catalogs"),
):
    """Names of threads and catalogs, and how the server is moderated."""

    thread = app_commands.Group(name=L("thread"), description=L("Threads this server reads"))
    catalog = app_commands.Group(name=L("catalog"), description=L("Catalogs this server shops in"))

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._directory = bot.features.directory
        self._moderation = bot.features.moderation
        self._handlers = SetupHandlers(bot)
        bot.router.add(self._handlers)
        bot.dispatcher.add(PanelKind(bot))

    async def suggest_threads(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        return await self._suggest(interaction, PlaceKind.THREAD, typed)

    async def suggest_catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs."""
        return await self._suggest(interaction, PlaceKind.CATALOG, typed)

    async def _suggest(self, interaction: Interaction, kind: PlaceKind, typed: str) -> Choices:
        names = await self._directory.suggest(interaction.guild_id, kind, typed)
        return choices((named.name, str(named.game_id)) for named in names)

    _OPTIONS: ClassVar[Mapping[str, Option]] = {
        "channel": Option(L("channel"), L("Where to post it; leave it out to take it away")),
        "thread_id": Option(L("id"), L("The thread's number in the game")),
        "catalog_id": Option(L("id"), L("The catalog's number in the game")),
        "name": Option(L("name"), L("What members will call it")),
        "thread": Option(L("thread"), L("The thread's name, or its number"), suggest_threads),
        "catalog": Option(L("catalog"), L("The catalog's name, or its number"), suggest_catalogs),
    }

    @slash(L("show"), L("How this server is set up, and what is missing"))
    async def show(self, interaction: Interaction) -> None:
        """Show the setup card."""
        await self._handlers.show(interaction)

    @slash(L("panel"), L("A card for everybody that lists threads and catalogs"), _OPTIONS)
    async def panel(self, interaction: Interaction, channel: PanelChannel | None = None) -> None:
        """Post the panel in a channel, or take it away."""
        if channel is not None and not may_post(interaction, channel):
            raise ChannelClosed
        await self._handlers.move_panel(interaction, channel)

    @slash(L("add"), L("Give a thread of the game a name"), _OPTIONS, group=thread)
    async def add_thread(self, interaction: Interaction, thread_id: str, name: Name) -> None:
        """Name a thread."""
        await self._handlers.add(interaction, PlaceKind.THREAD, thread_id, name)

    @slash(L("add"), L("Give a catalog of the game a name"), _OPTIONS, group=catalog)
    async def add_catalog(self, interaction: Interaction, catalog_id: str, name: Name) -> None:
        """Name a catalog."""
        await self._handlers.add(interaction, PlaceKind.CATALOG, catalog_id, name)

    @slash(L("remove"), L("Remove a thread's name"), _OPTIONS, group=thread)
    async def remove_thread(self, interaction: Interaction, thread: str) -> None:
        """Forget a thread's name."""
        await self._handlers.remove(interaction, PlaceKind.THREAD, thread)

    @slash(L("remove"), L("Remove a catalog's name"), _OPTIONS, group=catalog)
    async def remove_catalog(self, interaction: Interaction, catalog: str) -> None:
        """Forget a catalog's name."""
        await self._handlers.remove(interaction, PlaceKind.CATALOG, catalog)

    @slash(L("list"), L("Show the threads that have a name"), group=thread)
    async def list_threads(self, interaction: Interaction) -> None:
        """List the named threads."""
        await self._list(interaction, PlaceKind.THREAD)

    @slash(L("list"), L("Show the catalogs that have a name"), group=catalog)
    async def list_catalogs(self, interaction: Interaction) -> None:
        """List the named catalogs."""
        await self._list(interaction, PlaceKind.CATALOG)

    async def _list(self, interaction: Interaction, kind: PlaceKind) -> None:
        names = await self._directory.all_of_kind(guild_of(interaction), kind)
        await answer(interaction, list_card(kind, names))


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(SetupCog(bot))
