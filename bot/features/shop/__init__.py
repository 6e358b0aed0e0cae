"""Browsing the game's catalogs and finding items in them."""

import asyncio
from collections.abc import Callable, Iterable
from enum import StrEnum

from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.domain.names import ItemRef
from bot.features.accounts import Accounts
from bot.features.shop.catalogs import Catalogs, Ending, Listing, Report
from bot.features.shop.item_filter import CatalogItem, types_of, with_bought
from bot.features.shop.item_search import ItemSearch
from bot.features.shop.screens import Address, Screen, filtered_screen, page_screen
from bot.game.client import GameClient
from bot.game.models import Item
from storage.orders import Orders

_NOTHING_READ = Listing((), 0, Ending.FAILED)


class Mode(StrEnum):
    """How a catalog is come by."""

    SHOW = "s"
    # From the game, not from memory.
    REFRESH = "r"
    # Read the pages that are missing.
    READ_ON = "c"
    # Read it whole, so that all types are known.
    TYPES = "t"


class Shop:
    """The shop as members look at it; what they order is `bot.features.orders`'s.

    What was bought here counts as owned, before the game says so. `on_items` hears of items that
    were seen.

    Every method may raise AccountError and GameError.
    """

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        orders: Orders,
        tasks: BackgroundTasks,
        on_items: Callable[[Iterable[Item]], None] = lambda _: None,
    ) -> None:
        self._accounts = accounts
        self._on_items = on_items
        self._orders = orders
        self.catalogs = Catalogs(client, tasks)
        self.search = ItemSearch(self.catalogs, accounts, orders, tasks)

    async def item(self, member_id: int, ref: ItemRef, *, fresh: bool = False) -> CatalogItem:
        """Return an item where it was seen, or where it has moved to since. Raises ItemGone."""
        link = await self._accounts.require(member_id)
        async with self._accounts.using(link) as caller:
            entry = await self.catalogs.find_again(caller, ref, fresh=fresh)
        (entry,) = with_bought([entry], await self._orders.bought(link))
        return entry

    async def screen(self, member_id: int, address: Address, *, fresh: bool = False) -> Screen:
        """Return a screen, for one request at most; filtered, of what `read` came to before.

        Raises CatalogNotInGame.
        """
        link = await self._accounts.require(member_id)
        bought = await self._orders.bought(link)
        async with self._accounts.using(link) as caller:
            if address.item_filter.is_everything:
                page = await self.catalogs.page(
                    caller, address.catalog_id, address.page, fresh=fresh
                )
                self._on_items(page.entries)
                listing = self.catalogs.listing(caller, address.catalog_id)
                known = self.catalogs.known(member_id, address.catalog_id)
                screen = page_screen(page, address, listing, types_of(known))
                return replace(screen, items=with_bought(screen.items, bought))
            listing = self.catalogs.listing(caller, address.catalog_id) or _NOTHING_READ
            listing = replace(listing, items=with_bought(listing.items, bought))
            return filtered_screen(listing, address)

    async def read(
        self,
        member_id: int,
        catalog_id: int,
        mode: Mode = Mode.SHOW,
        *,
        report: Report | None = None,
        stop: asyncio.Event | None = None,
    ) -> Listing:
        """Return all items of a catalog; see `Catalogs.read`. Raises CatalogNotInGame.

        To SHOW, what a reading came to minutes ago will do, whole or not.
        """
        async with self._accounts.acting_as(member_id) as caller:
            kept = self.catalogs.listing(caller, catalog_id)
            if kept and (mode is Mode.SHOW or (mode is Mode.TYPES and not kept.ending.is_early)):
                return kept
            return await self.catalogs.read(
                caller, catalog_id, report=report, stop=stop, fresh=mode is Mode.REFRESH
            )
