"""Where a screen of a catalog is, and what it shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.features.paging import Position, cut_screen
from bot.features.shop.catalogs import Ending, Listing
from bot.features.shop.item_filter import EVERYTHING, CatalogItem, ItemFilter, types_of
from bot.game.models import Item, Page

# The largest page number that an address can carry.
LAST_PAGE = 9_999_999


@dataclass(frozen=True)
class Address:
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


@dataclass(frozen=True)
class Screen:
    """Up to five items, and where to go from here.

    `fitting` is how many items of the whole catalog the filter lets through, None where pages are
    shown as they are; `type_name` names the filter's type; `ending` says how the reading of the
    page or of the whole catalog went.
    """

    address: Address
    items: Sequence[CatalogItem]
    previous: Address | None
    next: Address | None
    fitting: int | None = None
    type_name: str | None = None
    ending: Ending = Ending.COMPLETE


def page_screen(page: Page[Item], address: Address) -> Screen:
    """Return a screen of one page as it is."""
    items = tuple(CatalogItem(address.catalog_id, address.page, item) for item in page.entries)
    return replace(
        _screen(items, address, has_next=page.has_next and address.page < LAST_PAGE),
        ending=Ending.UNREADABLE if page.unreadable else Ending.COMPLETE,
    )


def filtered_screen(listing: Listing, address: Address) -> Screen:
    """Return a screen of what the address's filter lets through."""
    items, type_id = address.item_filter.apply(listing.items), address.item_filter.type_id
    names = {each.id: each.name for each in types_of(listing.items)}
    return replace(
        _screen(items, replace(address, page=1)),
        fitting=len(items),
        type_name=None if type_id is None else names.get(type_id, f"#{type_id}"),
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
