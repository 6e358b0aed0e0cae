"""`/shop`: browse catalogs, look at items, buy and redeem them."""

from functools import partial

from discord import app_commands
from discord.ext import commands
from msgspec.structs import replace

from bot.features.items import type_named, types_in
from bot.features.matching import NUMBER_SIGN
from bot.features.names import Place
from bot.features.reading.catalogs import ItemSort
from bot.features.reading.paging import SCREEN_SIZE
from bot.features.reading.shop import LAST_PAGE, Address
from bot.game.models import ItemType
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.actions import ListEntry
from bot.ui.commands import Cost, L, slash
from bot.ui.here import Here
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import AskPurchase, AskRedemption, OpenItem, WatchItem
from cogs.shop.actions import SHOWN, Show, ShowScreen
from cogs.shop.browsing import OPTIONS, BrowsingHandlers, place_entry
from cogs.shop.ordering import OrderHandlers, OrderNews
from cogs.shop.watching import WatchCommands, WatchNews
from storage.names import PlaceKind
from storage.writes import WriteKind


class ShopCog(WatchCommands, commands.GroupCog, name=L("shop"), description=L("The game's shop")):
    def __init__(self, bot: Kiosk) -> None:
        open_cards = OpenCards()
        self._browsing = BrowsingHandlers(bot, open_cards)
        self._ordering = OrderHandlers(bot, open_cards, self._browsing)
        self.item_commands = {
            OpenItem: self._browsing.show_item,
            AskPurchase: partial(self._ordering.ask, kind=WriteKind.PURCHASE),
            AskRedemption: partial(self._ordering.ask, kind=WriteKind.REDEEM),
            WatchItem: self.watch_item,
        }
        bot.router.add(self, self._browsing, self._ordering)
        bot.dispatcher.add(OrderNews(bot, self._ordering), WatchNews(bot))

    @slash(L("browse"), L("Browse a catalog's items"), OPTIONS)
    async def browse(
        self,
        here: Here,
        browsed: str | None = None,
        show: str = Show.ALL.value,
        item_type: str | None = None,
        max_cost: Cost | None = None,
        sort: str = ItemSort.CATALOG.value,
        page: app_commands.Range[int, 1, LAST_PAGE] = 1,
    ) -> None:
        query = replace(SHOWN[Show(show)], max_cost=max_cost)

        def address_in(place: Place, item_type: ItemType | None = None) -> Address:
            types = frozenset([f"{NUMBER_SIGN}{item_type.id}"] if item_type else [])
            offset = (page - 1) * SCREEN_SIZE
            asked = replace(query, types=types)
            return Address(place.game_id, 1, offset, asked, ItemSort(sort))

        asked = "" if browsed else t("Browse a catalog…")
        here.offer_candidates(lambda place: place_entry(place, address_in(place)), asked)
        place = await here.find_by_name(PlaceKind.CATALOG, browsed or "")
        address = address_in(place)
        if item_type is not None:
            here.offer_candidates(
                lambda meant: ListEntry(meant.name, ShowScreen.at(address_in(place, meant)))
            )
            items = await self._browsing.read(here, place.game_id)
            address = address_in(place, type_named(item_type, types_in(items)))
        await self._browsing.show_screen(here, address)

    @slash(L("item"), L("Look at one item closely"), OPTIONS)
    async def item(self, here: Here, item: str, catalog: str | None = None) -> None:
        await self.find(here, OpenItem, item, catalog)

    @slash(L("buy"), L("Buy an item"), OPTIONS)
    async def buy(self, here: Here, buyable: str, catalog: str | None = None) -> None:
        await self.find(here, AskPurchase, buyable, catalog)

    @slash(L("redeem"), L("Redeem an item at your current park"), OPTIONS)
    async def redeem(self, here: Here, item: str, catalog: str | None = None) -> None:
        await self.find(here, AskRedemption, item, catalog)

    @slash(L("orders"), L("What you bought and redeemed here"))
    async def orders(self, here: Here) -> None:
        await self._ordering.show_orders(here)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ShopCog(bot))
