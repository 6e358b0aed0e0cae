"""Finding the item that a command names, and doing with it what the command is for."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from bot.domain.announcing import NewWatch
from bot.domain.names import PlaceKind
from bot.features.errors import CatalogNeeded, NothingToWatch, WhichCatalog
from bot.features.names import STAND_IN, Place
from bot.features.shop import Address
from bot.features.shop.item_filter import CatalogItem, find_type
from bot.game.models import ItemType
from bot.kiosk import Kiosk
from bot.ui.actions import ListEntry, unquoted
from bot.ui.answers import Interaction
from bot.ui.next_steps import offer_again, offer_candidates
from bot.ui.router import Press, route
from bot.ui.shared_actions import AskPurchase, AskRedemption, OfItem, OpenItem, WatchItem
from cogs.shop.actions import NO_COST, FindItem, ShowScreen, WatchSearch
from cogs.shop.autocomplete import Autocomplete, item_entry
from cogs.shop.handlers.browsing import BrowsingHandlers
from cogs.shop.handlers.ordering import OrderHandlers
from cogs.shop.handlers.watching import WatchHandlers

_GOALS: dict[str, type[OfItem]] = {
    goal.kind: goal for goal in (OpenItem, AskPurchase, AskRedemption, WatchItem)
}


class FindingHandlers:
    """Finds items by what was typed; where a link is missing, it goes on after linking."""

    def __init__(
        self,
        bot: Kiosk,
        autocomplete: Autocomplete,
        browsing: BrowsingHandlers,
        ordering: OrderHandlers,
        watching: WatchHandlers,
    ) -> None:
        self._search = bot.features.shop.search
        self._directory = bot.features.directory
        self._autocomplete = autocomplete
        self._browsing = browsing
        self._ordering = ordering
        self._watching = watching

    async def find(
        self, interaction: Interaction, goal: type[OfItem], item: str, catalog: str | None
    ) -> None:
        """Do with an item what an action does; of several that fit, each is offered with it."""

        def entry_of(meant: Place | CatalogItem) -> ListEntry:
            return place_entry(meant) if isinstance(meant, Place) else item_entry(meant, goal)

        offer_candidates(interaction, entry_of)
        catalog_ids = await self._autocomplete.catalogs_meant(interaction, catalog)
        if item != STAND_IN:
            offer_again(interaction, FindItem.of(goal, item, catalog_ids))
        elif len(catalog_ids) == 1:
            offer_again(interaction, ShowScreen.at(Address(catalog_ids[0])))
        entry = await self._search.find(interaction.user.id, item, catalog_ids)
        if goal is OpenItem:
            await self._browsing.show_item(interaction, entry)
        elif goal is WatchItem:
            await self._watching.watch_item(interaction, entry)
        elif issubclass(goal, AskPurchase | AskRedemption):
            await self._ordering.ask(interaction, entry, goal.order_kind)

    async def watch_search(
        self, interaction: Interaction, wanted: WatchSearch, catalog_ids: Sequence[int]
    ) -> None:
        """Watch whatever fits a search; of several catalogs or types, each is offered with it."""
        guild_id, member_id = interaction.guild_id, interaction.user.id
        if wanted.is_anything:
            raise NothingToWatch
        if len(catalog_ids) != 1:
            places = [
                await self._directory.place(guild_id, PlaceKind.CATALOG, each, member_id=member_id)
                for each in catalog_ids
            ]
            if wanted.fits:
                offer_candidates(interaction, partial(_in_catalog, wanted))
            raise WhichCatalog(candidates=places) if places else CatalogNeeded
        wanted = replace(wanted, catalog_id=catalog_ids[0])
        if wanted.fits:
            offer_again(interaction, wanted)
            offer_candidates(interaction, partial(_of_type, wanted))
        found = None
        if wanted.item_type:
            listing = await self._browsing.listing(interaction, wanted.catalog_id)
            found = find_type(listing.items, unquoted(wanted.item_type))
        new = NewWatch(
            member_id,
            wanted.catalog_id,
            str(interaction.locale),
            name=unquoted(wanted.name),
            type_id=found and found.id,
            type_name=found and found.name,
            max_cost=None if wanted.max_cost == NO_COST else wanted.max_cost,
            is_clearance=wanted.is_clearance,
            named_in=guild_id,
        )
        await self._watching.watch(interaction, new)

    @route(WatchSearch)
    async def on_watch_search(self, press: Press[WatchSearch]) -> None:
        """Watch what was meant, or do it after linking."""
        await self.watch_search(press.interaction, press.action, [press.action.catalog_id])

    @route(FindItem)
    async def on_find(self, press: Press[FindItem]) -> None:
        """Do it once more, or after linking."""
        action = press.action
        catalog = str(action.catalog_id) if action.catalog_id else None
        await self.find(press.interaction, _GOALS[action.goal], action.name, catalog)


def _in_catalog(wanted: WatchSearch, place: Place) -> ListEntry:
    return ListEntry(place.name or str(place.game_id), replace(wanted, catalog_id=place.game_id))


def _of_type(wanted: WatchSearch, item_type: ItemType) -> ListEntry:
    return ListEntry(item_type.name, replace(wanted, item_type=str(item_type.id)))


def place_entry(place: Place, address: Address | None = None) -> ListEntry:
    """Return a catalog as an entry of a list of what may be meant, and the screen it leads to."""
    screen = ShowScreen.at(address or Address(place.game_id))
    return ListEntry(place.name or str(place.game_id), screen)
