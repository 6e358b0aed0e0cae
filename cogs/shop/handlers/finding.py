"""Finding the item that a command names, and doing with it what the command is for."""

from bot.features.names import STAND_IN, Place
from bot.features.shop.item_filter import CatalogItem
from bot.features.shop.screens import Address
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction
from bot.ui.candidates import offer_candidates
from bot.ui.choices import ListEntry
from bot.ui.error_cards import offer_again
from bot.ui.router import Press, route
from bot.ui.shared_actions import AskPurchase, AskRedemption, OfItem, OpenItem, WatchItem
from cogs.shop.actions import FindItem, ShowScreen
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
            way = ShowScreen(entry.catalog_id, entry.page)
            await self._browsing.show_item(interaction, entry, way)
        elif goal is WatchItem:
            await self._watching.watch_item(interaction, entry)
        elif issubclass(goal, AskPurchase | AskRedemption):
            await self._ordering.ask(interaction, entry, goal.order_kind)

    @route(FindItem)
    async def on_find(self, press: Press[FindItem]) -> None:
        """Do it once more, or after linking."""
        action = press.action
        catalog = str(action.catalog_id) if action.catalog_id else None
        await self.find(press.interaction, _GOALS[action.goal], action.name, catalog)


def place_entry(place: Place, address: Address | None = None) -> ListEntry:
    """Return a catalog as an entry of a list of what may be meant, and the screen it leads to."""
    screen = ShowScreen.at(address or Address(place.game_id))
    return ListEntry(place.name or str(place.game_id), screen)
