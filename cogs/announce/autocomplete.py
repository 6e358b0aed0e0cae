"""What is offered while a member types an option of `/announce`."""

from collections.abc import Sequence

from discord import app_commands

from bot.domain.announcing import Subscription
from bot.domain.names import PlaceKind
from bot.errors import KioskError
from bot.features.shop.item_filter import types_of
from bot.kiosk import Kiosk
from bot.ui.actions import MOST_CHOICES
from bot.ui.answers import Interaction
from bot.ui.channels import guild_of
from bot.ui.commands import choices
from cogs.announce.wording import news_words

Choices = list[app_commands.Choice[str]]


class Autocomplete:
    """Offers a server's announcements, and what they can be about, from what is at hand."""

    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._directory = bot.features.directory
        self._search = bot.features.shop.search

    async def catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs."""
        names = await self._directory.suggest(interaction.guild_id, PlaceKind.CATALOG, typed)
        return choices((named.name, str(named.game_id)) for named in names)

    async def types(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the types of the catalog's items, as far as they are at hand."""
        try:
            catalog_id = await self._catalog_meant(interaction)
            items, _ = await self._search.suggest(interaction.user.id, "", [catalog_id])
        except KioskError:
            return []
        names = [each.name for each in types_of(items)]
        return choices((name, name) for name in names if typed.casefold() in name.casefold())

    async def items(self, interaction: Interaction, typed: str) -> Choices:
        """Offer items that were seen."""
        found = await self._announcing.histories.suggest(guild_of(interaction), typed, MOST_CHOICES)
        return choices((each.name, str(each.item_id)) for each in found)

    async def subscriptions(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the server's announcements."""
        guild_id = guild_of(interaction)
        found = await self._announcing.subscriptions.of_guild(guild_id)
        names = await self.names(guild_id, [one.catalog_id for one in found])
        entries = [(_label(one, names[one.catalog_id]), str(one.id)) for one in found]
        return choices(entry for entry in entries if typed.casefold() in entry[0].casefold())

    async def names(self, guild_id: int, catalog_ids: Sequence[int]) -> dict[int, str | None]:
        """Return what a server calls catalogs, None for those without a name."""
        return {
            each: (await self._directory.place(guild_id, PlaceKind.CATALOG, each)).name
            for each in catalog_ids
        }

    async def _catalog_meant(self, interaction: Interaction) -> int:
        """Return the catalog that is chosen, or whose announcement is. Raises KioskError."""
        chosen = getattr(interaction.namespace, "announcement", None)
        if chosen:
            one = await self._announcing.find(guild_of(interaction), str(chosen))
            return one.catalog_id
        catalog = str(getattr(interaction.namespace, "catalog", None) or "")
        guild_id = interaction.guild_id
        return (await self._directory.resolve(guild_id, PlaceKind.CATALOG, catalog)).game_id


def _label(one: Subscription, catalog: str | None) -> str:
    where = f"{catalog or one.catalog_id} → #{one.channel_name}"
    return f"{one.id} · {where} · {news_words(one.news)}"
