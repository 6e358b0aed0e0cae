"""Where a screen of a catalog is, and what it shows."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from bot.features.paging import Position, cut_screen
from bot.features.shop.catalogs import Ending, Listing
from bot.features.shop.item_filter import EVERYTHING, CatalogItem, ItemFilter, types_of
from bot.game.models import Item, ItemType, Page

# The largest page number that an address can carry.
LAST_PAGE = 9_999_999


class Address(Struct, frozen=True):
    """The screen that starts at `offset` of a page, or LAST for the page's last one.

    Of what a filter lets through there is one long page, number 1.
    """

    catalog_id: int
    page: int = 1
    offset: int = 0
    item_filter: ItemFilter = EVERYTHING

    def at(self, position: Position) -> "Address":
        """Return the address of another screen of the same."""
        return replace(self, page=position.page, offset=position.offset)


class Screen(Struct, frozen=True):
    """Up to five items, and where to go from here.

    `first` is the number of the first item, and `total` how many there are, None where that is not
    known: of the whole catalog, or of what the filter lets through. `types` are those that occur
    in the catalog, as far as it `has_all_types`; `ending` says how the reading of the page or of
    the whole catalog went.
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


def page_screen(
    page: Page[Item], address: Address, listing: Listing | None, types: Sequence[ItemType]
) -> Screen:
    """Return a screen of one page as it is; `listing` is the whole catalog, if it was read."""
    items = tuple(CatalogItem(address.catalog_id, address.page, item) for item in page.entries)
    has_next = page.has_next and address.page < LAST_PAGE
    screen = _screen(items, address, has_next=has_next)
    first = (page.number - 1) * page.per_page + screen.address.offset + 1
    total = None
    if listing is not None and listing.ending is Ending.COMPLETE:
        total = len(listing.items)
    elif screen.next is None and items and not page.unreadable:
        total = first + len(screen.items) - 1
    return replace(
        screen,
        first=first,
        total=total,
        types=types,
        has_all_types=not (page.has_next or address.page > 1)
        or (listing is not None and not listing.ending.is_early),
        ending=Ending.UNREADABLE if page.unreadable else Ending.COMPLETE,
    )


def filtered_screen(listing: Listing, address: Address) -> Screen:
    """Return a screen of what the address's filter lets through."""
    items = address.item_filter.apply(listing.items)
    screen = _screen(items, replace(address, page=1))
    return replace(
        screen,
        first=screen.address.offset + 1,
        total=len(items),
        types=types_of(listing.items),
        ending=listing.ending,
    )


def _screen(items: tuple[CatalogItem, ...], address: Address, *, has_next: bool = False) -> Screen:
    cut = cut_screen(items, Position(address.page, address.offset), has_next=has_next)
    return Screen(
        address.at(cut.position),
        cut.entries,
        cut.previous and address.at(cut.previous),
        cut.next and address.at(cut.next),
    )
