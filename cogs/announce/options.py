"""The options of `/announce`: what they are called, and what is offered for them."""

from collections.abc import Sequence

from discord import app_commands
from discord.ext import commands

from bot.domain.announcing import Subscription
from bot.domain.names import PlaceKind
from bot.errors import KioskError
from bot.features.shop.item_filter import types_of
from bot.kiosk import Kiosk
from bot.ui.actions import MOST_CHOICES
from bot.ui.answers import Interaction
from bot.ui.channels import guild_of
from bot.ui.commands import ChannelOption, Choices, L, Option, choices
from cogs.announce.wishes import news_words, offer_news

Channel = app_commands.Transform[int, ChannelOption]
# More than any item costs, and few enough digits for a database.
Cost = app_commands.Range[int, 0, 10**12]


class AnnounceOptions(commands.Cog):
    """Offers a server's announcements, and what they can be about, from what is at hand."""

    _bot: Kiosk

    async def suggest_catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs."""
        names = await self._bot.features.directory.suggest(
            interaction.guild_id, PlaceKind.CATALOG, typed
        )
        return choices((named.name, str(named.game_id)) for named in names)

    async def suggest_news(self, interaction: Interaction, typed: str) -> Choices:
        """Offer kinds of news, and what can follow those that are typed."""
        del interaction
        return choices(offer_news(typed))

    async def suggest_types(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the types of the catalog's items, as far as they are at hand."""
        try:
            catalog_id = await self._catalog_meant(interaction)
            items, _ = await self._bot.features.shop.search.suggest(
                interaction.user.id, "", [catalog_id]
            )
        except KioskError:
            return []
        names = [each.name for each in types_of(items)]
        return choices((name, name) for name in names if typed.casefold() in name.casefold())

    async def suggest_items(self, interaction: Interaction, typed: str) -> Choices:
        """Offer items that were seen."""
        found = await self._bot.features.announcing.histories.suggest(
            guild_of(interaction), typed, MOST_CHOICES
        )
        return choices((each.name, str(each.item_id)) for each in found)

    async def suggest_subscriptions(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the server's announcements."""
        guild_id = guild_of(interaction)
        found = await self._bot.features.announcing.subscriptions.of_guild(guild_id)
        names = await self.catalog_names(guild_id, [one.catalog_id for one in found])
        entries = [(_label(one, names[one.catalog_id]), str(one.id)) for one in found]
        return choices(entry for entry in entries if typed.casefold() in entry[0].casefold())

    async def catalog_names(
        self, guild_id: int, catalog_ids: Sequence[int]
    ) -> dict[int, str | None]:
        """Return what a server calls catalogs, None for those without a name."""
        return {
            each: (await self._bot.features.directory.place(guild_id, PlaceKind.CATALOG, each)).name
            for each in catalog_ids
        }

    async def _catalog_meant(self, interaction: Interaction) -> int:
        """Return the catalog that is chosen, or whose announcement is. Raises KioskError."""
        chosen = getattr(interaction.namespace, "announcement", None)
        if chosen:
            one = await self._bot.features.announcing.find(guild_of(interaction), str(chosen))
            return one.catalog_id
        catalog = str(getattr(interaction.namespace, "catalog", None) or "")
        guild_id = interaction.guild_id
        return (
            await self._bot.features.directory.resolve(guild_id, PlaceKind.CATALOG, catalog)
        ).game_id


OPTIONS = {
    "subscription": Option(
        L("announcement"),
        L("Which announcement, by its number"),
        AnnounceOptions.suggest_subscriptions,
    ),
    "role": Option(L("role"), L("A role to ping each time")),
    "what": Option(
        L("what"), L("Which news; separate several with commas"), AnnounceOptions.suggest_news
    ),
    "item_type": Option(L("type"), L("Only items of this type"), AnnounceOptions.suggest_types),
    "max_cost": Option(L("max_cost"), L("Only items that cost at most this")),
    "channel": Option(L("channel"), L("The channel, forum or thread to announce in")),
    "catalog": Option(
        L("catalog"), L("The catalog's name, or its number"), AnnounceOptions.suggest_catalogs
    ),
    "without": Option(
        L("without"),
        L("What to leave out from now on"),
        choices=[
            app_commands.Choice(name=L("role"), value="role"),
            app_commands.Choice(name=L("type"), value="type"),
            app_commands.Choice(name=L("max_cost"), value="max_cost"),
        ],
    ),
    "item": Option(L("item"), L("The item's name, or its number"), AnnounceOptions.suggest_items),
}


def _label(one: Subscription, catalog: str | None) -> str:
    where = f"{catalog or one.catalog_id} → #{one.channel_name}"
    return f"{one.id} · {where} · {news_words(one.news)}"
