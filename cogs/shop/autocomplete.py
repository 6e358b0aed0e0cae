"""What is offered while a member types an option of `/shop`."""

from collections.abc import Sequence

from discord import app_commands

from bot.domain.names import PlaceKind
from bot.errors import AccountError, KioskError, SeveralFit
from bot.features.matching import holding
from bot.features.names import STAND_IN, Place, read_id
from bot.features.shop.item_filter import CatalogItem, types_of
from bot.features.shop.item_search import Lists
from bot.i18n import N_, t
from bot.kiosk import Kiosk
from bot.ui.actions import ListEntry
from bot.ui.answers import Interaction
from bot.ui.channels import server_of
from bot.ui.commands import choices
from bot.ui.items import plain_price
from bot.ui.shared_actions import OfItem

Choices = list[app_commands.Choice[str]]

_STAND_INS = {
    Lists.UNREACHABLE: N_("The game can't be reached just now: type the item's number"),
    Lists.COMING: N_("The list is on its way: keep typing"),
}


class Autocomplete:
    """Offers catalogs, types and items, from what is at hand."""

    def __init__(self, bot: Kiosk) -> None:
        self._finder = bot.features.shop.search
        self._directory = bot.features.directory

    async def catalogs(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named catalogs, and the one of a number that is typed."""
        names = await self._directory.suggest(
            server_of(interaction), PlaceKind.CATALOG, typed, member_id=interaction.user.id
        )
        if not names and not typed:
            return choices([(t("Nothing is set up here yet"), STAND_IN)])
        entries = [(named.name, str(named.game_id)) for named in names]
        number = read_id(typed)
        if number is not None and str(number) not in {value for _, value in entries}:
            entries.append((t("Catalog %(number)s", number=number), str(number)))
        return choices(entries)

    async def items(self, interaction: Interaction, typed: str, *, owned: bool = True) -> Choices:
        """Offer items of the chosen catalog, or of all that have a name; else say why none."""
        items, stand_in = await self._suggestions(interaction, typed)
        entries = [
            (_label(entry), str(entry.item.id))
            for entry in items
            if owned or not entry.item.has_purchased
        ]
        return choices(entries or stand_in)

    async def types(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the types of the chosen catalog's items."""
        items, stand_in = await self._suggestions(interaction, "")
        entries = [
            (each.name, str(each.id))
            for each in holding(typed, types_of(items), lambda each: each.name)
        ]
        return choices(entries or stand_in)

    async def catalogs_meant(self, interaction: Interaction, catalog: str | None) -> list[int]:
        """Return the catalogs that may be meant, else all that have a name.

        Raises UnknownCatalog.
        """
        if catalog:
            try:
                return [(await self.catalog_meant(interaction, catalog)).game_id]
            except SeveralFit as error:
                return [place.game_id for place in error.candidates if isinstance(place, Place)]
        names = await self._directory.all_of_kind(
            server_of(interaction), PlaceKind.CATALOG, member_id=interaction.user.id
        )
        return list(dict.fromkeys(named.game_id for named in names))

    async def catalog_meant(self, interaction: Interaction, catalog: str) -> Place:
        """Return the catalog that is typed. Raises UnknownCatalog, SeveralFit."""
        return await self._directory.resolve(
            server_of(interaction), PlaceKind.CATALOG, catalog, member_id=interaction.user.id
        )

    async def _suggestions(
        self, interaction: Interaction, typed: str
    ) -> tuple[Sequence[CatalogItem], list[tuple[str, str]]]:
        """Return the items that fit, and the entry that says why where none does."""
        try:
            catalog = getattr(interaction.namespace, "catalog", None)
            catalog_ids = await self.catalogs_meant(interaction, catalog)
            items, lists = await self._finder.suggest(interaction.user.id, typed, catalog_ids)
        except AccountError:
            why = t("No game account is linked: choose this to link yours")
            return [], [(why, STAND_IN)]
        except KioskError:
            return [], [(t("I don't know that catalog: pick one from the list first"), STAND_IN)]
        why = _STAND_INS.get(lists)
        return items, [(t(why), STAND_IN)] if why else []


def item_entry(entry: CatalogItem, action: type[OfItem]) -> ListEntry:
    """Return an item as an entry of a list of what may be meant."""
    return ListEntry(entry.item.name, action(*entry.ref), plain_price(entry.item))


def _label(entry: CatalogItem) -> str:
    mark = " ✅" if entry.item.has_purchased else ""
    return f"{entry.item.name} · {plain_price(entry.item)}{mark}"
