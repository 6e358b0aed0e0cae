"""`/shop watch`, `/shop unwatch` and `/shop watching`."""

from discord import app_commands
from discord.ext import commands

from bot.features.watching import Watching
from bot.ui.answers import Interaction, acknowledge
from bot.ui.commands import L, choices
from bot.ui.shared_actions import WatchItem
from cogs.shop.actions import WatchSearch
from cogs.shop.autocomplete import Autocomplete, Choices
from cogs.shop.handlers.finding import FindingHandlers
from cogs.shop.handlers.watching import WatchHandlers
from cogs.shop.views.watching import watch_words

_LONGEST_NAME = 100
# More than any item costs, and few enough digits for a button to carry.
HIGHEST_COST = 10**12


class WatchCommands(commands.Cog):
    """The part of `/shop` that is about watching; the cog brings what it stands on."""

    _watching: Watching
    _autocomplete: Autocomplete
    _finding: FindingHandlers
    _watch_handlers: WatchHandlers

    @app_commands.command(
        name=L("watch"), description=L("Hear of an item, or of all that fit, by direct message")
    )
    @app_commands.rename(
        item=L("item"),
        name=L("name"),
        item_type=L("type"),
        max_cost=L("max_cost"),
        clearance=L("clearance"),
        catalog=L("catalog"),
    )
    @app_commands.describe(
        item=L("The item's name, or its number"),
        name=L("Or: items whose name contains this"),
        item_type=L("Only items of this type"),
        max_cost=L("Only items that cost at most this"),
        clearance=L("Only items on clearance"),
        catalog=L("The catalog it is in"),
    )
    async def watch(
        self,
        interaction: Interaction,
        item: str | None = None,
        name: app_commands.Range[str, 1, _LONGEST_NAME] | None = None,
        item_type: str | None = None,
        max_cost: app_commands.Range[int, 0, HIGHEST_COST] | None = None,
        clearance: bool = False,
        catalog: str | None = None,
    ) -> None:
        """Watch an item, or what fits a search."""
        acknowledge(interaction)
        if item is not None:
            await self._finding.find(interaction, WatchItem, item, catalog)
            return
        wanted = WatchSearch.of(max_cost, item_type or "", name or "", is_clearance=clearance)
        catalog_ids = await self._autocomplete.catalogs_meant(interaction, catalog)
        await self._finding.watch_search(interaction, wanted, catalog_ids)

    @app_commands.command(name=L("unwatch"), description=L("Stop watching something"))
    @app_commands.rename(watch=L("watched"))
    @app_commands.describe(watch=L("What you watch"))
    async def unwatch(self, interaction: Interaction, watch: str) -> None:
        """End a watch."""
        acknowledge(interaction)
        await self._watch_handlers.end(interaction, watch)

    @app_commands.command(name=L("watching"), description=L("See what you watch"))
    async def watching(self, interaction: Interaction) -> None:
        """List what the member watches."""
        acknowledge(interaction)
        await self._watch_handlers.show(interaction)

    @watch.autocomplete("item")
    async def suggest_watched_items(self, interaction: Interaction, typed: str) -> Choices:
        """Offer items."""
        return await self._autocomplete.items(interaction, typed)

    @watch.autocomplete("catalog")
    async def suggest_watched_catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs."""
        return await self._autocomplete.catalogs(interaction, typed)

    @watch.autocomplete("item_type")
    async def suggest_watched_types(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the types that are known of the chosen catalog."""
        return await self._autocomplete.types(interaction, typed)

    @unwatch.autocomplete("watch")
    async def suggest_watches(self, interaction: Interaction, typed: str) -> Choices:
        """Offer what the member watches."""
        watches = await self._watching.of_member(interaction.user.id)
        entries = [(watch_words(each, plain=True), str(each.id)) for each in watches]
        return choices(each for each in entries if typed.casefold() in each[0].casefold())
