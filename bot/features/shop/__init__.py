"""Browsing the game's catalogs in screens, and finding items in them."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.features.accounts import Accounts
from bot.features.paging import Position, cut_screen
from bot.features.shop.catalogs import (
    EVERYTHING,
    CatalogItem,
    Catalogs,
    Ending,
    ItemFilter,
    Listing,
    Report,
    tell_nobody,
    types_of,
    with_bought,
)
from bot.features.shop.item_search import ItemSearch
from bot.features.writing.rules import COUNTS_FOR
from bot.game.client import GameClient
from bot.game.models import Item, ItemType, Page
from storage.links import Link
from storage.names import ItemRef
from storage.writes import Writes

_NOTHING_READ = Listing((), 0, Ending.FAILED)
# The largest page number that an address can carry.
LAST_PAGE = 9_999_999


class Refresh(StrEnum):
    """How a catalog is come by."""

    SHOW = "s"
    # From the game, not from memory.
    REFRESH = "r"
    # Read whole: the pages that are missing.
    READ_ON = "c"


class Address(Struct, frozen=True):
    """Where a screen starts: what a filter lets through is one long page, number 1."""

    catalog_id: int
    page: int = 1
    offset: int = 0
    item_filter: ItemFilter = EVERYTHING

    def at(self, position: Position) -> "Address":
        """Return the address of another screen of the same."""
        return replace(self, page=position.page, offset=position.offset)


class Screen(Struct, frozen=True):
    """Up to five items, and where to go from here.

    `first` is the number of the first item, and `total` how many the catalog has, or the filter
    lets through, if known; `types` are those that occur in the catalog, as far as it
    `has_all_types`; `ending` says how the reading went.
    """

    address: Address
    items: Sequence[CatalogItem]
    previous: Address | None
    next: Address | None
    first: int = 1
    total: int | None = None
    types: Sequence[ItemType] = ()
    has_all_types: bool = True
    ending: Ending = Ending.COMPLETE


class Shop:
    """The shop as members look at it: what was bought here minutes ago counts as owned.

    `on_items` hears of items that were seen. Every method may raise AccountError and GameError.
    """

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        writes: Writes,
        tasks: BackgroundTasks,
        clock: Callable[[], datetime],
        on_items: Callable[[Iterable[Item]], None] = lambda _: None,
    ) -> None:
        self._accounts = accounts
        self._on_items = on_items
        self._writes = writes
        self._clock = clock
        self.catalogs = Catalogs(client, tasks)
        self.search = ItemSearch(self.catalogs, accounts, self._bought, tasks)

    async def item(self, member_id: int, ref: ItemRef, *, fresh: bool = False) -> CatalogItem:
        """Return an item where it was seen, or where it has moved to since. Raises ItemGone."""
        link = await self._accounts.require(member_id)
        async with self._accounts.using(link) as caller:
            entry = await self.catalogs.find_again(caller, ref, fresh=fresh)
        (entry,) = with_bought([entry], await self._bought(link))
        return entry

    async def screen(self, member_id: int, address: Address, *, fresh: bool = False) -> Screen:
        """Return a screen, for one request at most; filtered, of what `read` came to before."""
        link = await self._accounts.require(member_id)
        bought = await self._bought(link)
        async with self._accounts.using(link) as caller:
            if address.item_filter.is_everything:
                page = await self.catalogs.page(
                    caller, address.catalog_id, address.page, fresh=fresh
                )
                self._on_items(page.entries)
                listing = self.catalogs.listing(caller, address.catalog_id)
                known = self.catalogs.known(member_id, address.catalog_id)
                screen = _page_screen(page, address, listing, types_of(known))
                return replace(screen, items=with_bought(screen.items, bought))
            listing = self.catalogs.listing(caller, address.catalog_id) or _NOTHING_READ
            items = with_bought(listing.items, bought)
            picked = address.item_filter.apply(items)
            return replace(
                _screen(picked, replace(address, page=1)),
                total=len(picked),
                types=types_of(items),
                ending=listing.ending,
            )

    async def _bought(self, link: Link) -> frozenset[int]:
        """Return the ids of the items that were bought here and count as owned."""
        return await self._writes.bought(link.token_key, self._clock() - COUNTS_FOR)

    async def read(
        self,
        member_id: int,
        catalog_id: int,
        mode: Refresh = Refresh.SHOW,
        *,
        report: Report = tell_nobody,
        stop: asyncio.Timeout | None = None,
    ) -> Listing:
        """Return all items of a catalog; to SHOW, what a reading came to minutes ago will do."""
        link = await self._accounts.require(member_id)
        async with self._accounts.using(link) as caller:
            kept = self.catalogs.listing(caller, catalog_id)
            if kept and (
                mode is Refresh.SHOW or (mode is Refresh.READ_ON and not kept.ending.is_early)
            ):
                return kept
            return await self.catalogs.read(
                caller, catalog_id, report=report, stop=stop, fresh=mode is Refresh.REFRESH
            )


def _page_screen(
    page: Page[Item], address: Address, listing: Listing | None, types: Sequence[ItemType]
) -> Screen:
    """Return a screen of one page as it is; `listing` is the whole catalog, if it was read."""
    items = tuple(CatalogItem(address.catalog_id, address.page, item) for item in page.entries)
    before, total = (page.number - 1) * page.per_page, None
    if items and not page.has_next and not page.unreadable:
        # Whatever a reading came to before.
        total = before + len(items)
    elif items and listing is not None and listing.ending is Ending.COMPLETE:
        total = len(listing.items)
    return replace(
        _screen(items, address, before, has_next=page.has_next and address.page < LAST_PAGE),
        total=total,
        types=types,
        has_all_types=not (page.has_next or address.page > 1)
        or (listing is not None and not listing.ending.is_early),
        ending=Ending.UNREADABLE if page.unreadable else Ending.COMPLETE,
    )


def _screen(
    items: tuple[CatalogItem, ...], address: Address, before: int = 0, *, has_next: bool = False
) -> Screen:
    """Return a screen of some items, `before` which there are so many."""
    cut = cut_screen(items, Position(address.page, address.offset), has_next=has_next)
    return Screen(
        address.at(cut.position),
        cut.entries,
        cut.previous and address.at(cut.previous),
        cut.next and address.at(cut.next),
        before + cut.position.offset + 1,
    )
