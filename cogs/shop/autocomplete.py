"""What is offered while a member types an option of `/shop`."""

from discord import app_commands

from bot.domain.names import Kind
from bot.errors import AccountError, KioskError
from bot.features.names import read_id
from bot.features.shop.item_filter import CatalogItem, types_of
from bot.features.shop.item_search import STAND_IN, Lists, Suggestions
from bot.game.models import ItemType
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction
from bot.ui.choices import choices
from cogs.shop.views.wording import price_of

Choices = list[app_commands.Choice[str]]


class Autocomplete:
    """Offers catalogs, types and items, from what is at hand."""

    def __init__(self, bot: Kiosk) -> None:
        self._finder = bot.features.shop.search
        self._directory = bot.features.directory

    async def catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs, and the one of a number that is typed."""
        names = await self._directory.suggest(interaction.guild_id, Kind.CATALOG, typed)
        entries = [(named.name, str(named.game_id)) for named in names]
        number = read_id(typed)
        if number is not None and str(number) not in {value for _, value in entries}:
            entries.append((t("Catalog %(number)s", number=number), str(number)))
        return choices(entries)

    async def items(self, interaction: Interaction, typed: str, *, owned: bool = True) -> Choices:
        """Offer items of the chosen catalog, or of all that have a name; else say why none."""
        try:
            found = await self._suggestions(interaction, typed)
        except KioskError as error:
            return choices([_stand_in(error)])
        entries = [
            (_label(entry), str(entry.item.id))
            for entry in found.items
            if owned or not entry.item.has_purchased
        ]
        return choices(entries or _reason_for_none(found))

    async def types(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the types of the chosen catalog's items."""
        try:
            found = await self._suggestions(interaction, "")
        except KioskError as error:
            return choices([_stand_in(error)])
        fitting = [
            each for each in types_of(found.items) if typed.casefold() in each.name.casefold()
        ]
        entries = [_type_entry(each) for each in fitting]
        return choices(entries or _reason_for_none(found))

    async def catalogs_meant(self, interaction: Interaction, catalog: str | None) -> list[int]:
        """Return the catalog that is chosen, else all that have a name. Raises UnknownCatalog."""
        if catalog:
            place = await self._directory.resolve(interaction.guild_id, Kind.CATALOG, catalog)
            return [place.game_id]
        names = await self._directory.all_of_kind(interaction.guild_id, Kind.CATALOG)
        return [named.game_id for named in names]

    async def _suggestions(self, interaction: Interaction, typed: str) -> Suggestions:
        catalog = getattr(interaction.namespace, "catalog", None)
        catalog_ids = await self.catalogs_meant(interaction, catalog)
        return await self._finder.suggest(interaction.user.id, typed, catalog_ids)


def _type_entry(item_type: ItemType) -> tuple[str, str]:
    return item_type.name, str(item_type.id)


def _label(entry: CatalogItem) -> str:
    item = entry.item
    mark = " ✅" if item.has_purchased else ""
    return f"{item.name} · {price_of(item)}{mark}"


def _stand_in(error: KioskError) -> tuple[str, str]:
    if isinstance(error, AccountError):
        return t("Link your game account with /account link to see items here"), STAND_IN
    return t("I don't know that catalog: pick one from the list first"), STAND_IN


def _reason_for_none(found: Suggestions) -> list[tuple[str, str]]:
    match found.lists:
        case Lists.UNREACHABLE:
            return [(t("The game can't be reached just now: type the item's number"), STAND_IN)]
        case Lists.COMING:
            return [(t("The list is on its way: keep typing"), STAND_IN)]
        case Lists.HERE:
            return []
