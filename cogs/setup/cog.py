"""`/setup`: moderators name the threads and catalogs of their server."""

from discord import Permissions, app_commands
from discord.ext import commands

from bot.domain.names import Kind
from bot.errors import BadId, ServerOnly
from bot.features.names import LONGEST_NAME, read_id
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.choices import choices
from bot.ui.commands import L
from cogs.setup import views
from cogs.setup.check import CheckSetup
from cogs.setup.moderation import ModerationSetup

Choices = list[app_commands.Choice[str]]
Name = app_commands.Range[str, 1, LONGEST_NAME]


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

    thread = app_commands.Group(name=L("thread"), description=L("Threads this server can read"))
    catalog = app_commands.Group(name=L("catalog"), description=L("Catalogs this server can shop"))

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._directory = bot.features.directory
        self._moderation = bot.features.moderation

    @thread.command(name=L("add"), description=L("Give a thread of the game a name"))
    @app_commands.rename(game_id=L("id"), name=L("name"))
    @app_commands.describe(
        game_id=L("The thread's number in the game"), name=L("What members will call it")
    )
    async def add_thread(self, interaction: Interaction, game_id: str, name: Name) -> None:
        """Name a thread."""
        await self._add(interaction, Kind.THREAD, game_id, name)

    @catalog.command(name=L("add"), description=L("Give a catalog of the game a name"))
    @app_commands.rename(game_id=L("id"), name=L("name"))
    @app_commands.describe(
        game_id=L("The catalog's number in the game"), name=L("What members will call it")
    )
    async def add_catalog(self, interaction: Interaction, game_id: str, name: Name) -> None:
        """Name a catalog."""
        await self._add(interaction, Kind.CATALOG, game_id, name)

    @thread.command(name=L("remove"), description=L("Take a thread's name away"))
    @app_commands.rename(text=L("thread"))
    @app_commands.describe(text=L("The thread's name, or its number"))
    async def remove_thread(self, interaction: Interaction, text: str) -> None:
        """Forget a thread's name."""
        await self._remove(interaction, Kind.THREAD, text)

    @catalog.command(name=L("remove"), description=L("Take a catalog's name away"))
    @app_commands.rename(text=L("catalog"))
    @app_commands.describe(text=L("The catalog's name, or its number"))
    async def remove_catalog(self, interaction: Interaction, text: str) -> None:
        """Forget a catalog's name."""
        await self._remove(interaction, Kind.CATALOG, text)

    @thread.command(name=L("list"), description=L("Show the threads that have a name"))
    async def list_threads(self, interaction: Interaction) -> None:
        """List the named threads."""
        await self._list(interaction, Kind.THREAD)

    @catalog.command(name=L("list"), description=L("Show the catalogs that have a name"))
    async def list_catalogs(self, interaction: Interaction) -> None:
        """List the named catalogs."""
        await self._list(interaction, Kind.CATALOG)

    @remove_thread.autocomplete("text")
    async def suggest_threads(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        return await self._suggest(interaction, Kind.THREAD, typed)

    @remove_catalog.autocomplete("text")
    async def suggest_catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs."""
        return await self._suggest(interaction, Kind.CATALOG, typed)

    async def _add(self, interaction: Interaction, kind: Kind, game_id: str, name: str) -> None:
        acknowledge(interaction)
        number = read_id(game_id)
        if number is None:
            raise BadId(name=game_id)
        place = await self._directory.add(_guild_id(interaction), kind, number, name)
        await answer(interaction, views.added_card(place))

    async def _remove(self, interaction: Interaction, kind: Kind, text: str) -> None:
        acknowledge(interaction)
        place = await self._directory.remove(_guild_id(interaction), kind, text)
        await answer(interaction, views.removed_card(place))

    async def _suggest(self, interaction: Interaction, kind: Kind, typed: str) -> Choices:
        names = await self._directory.suggest(interaction.guild_id, kind, typed)
        return choices((named.name, str(named.game_id)) for named in names)

    async def _list(self, interaction: Interaction, kind: Kind) -> None:
        acknowledge(interaction)
        names = await self._directory.all_of_kind(_guild_id(interaction), kind)
        await answer(interaction, views.list_card(kind, names))


def _guild_id(interaction: Interaction) -> int:
    if interaction.guild_id is None:
        raise ServerOnly
    return interaction.guild_id
