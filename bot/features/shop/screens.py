"""Walking through a catalog, five items a screen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.features.shop.catalog_cache import Ending, Listing
from bot.features.shop.catalogs import Catalogs
from bot.features.shop.item_filter import EVERYTHING, CatalogItem, ItemFilter
from bot.game.models import Item, Page

PER_SCREEN = 5
# The largest page number that an address can carry.
LAST_PAGE = 9_999_999
# In place of an offset: the last screen of the page.
_LAST = -1


@dataclass(frozen=True)
class Address:
    """A screen: a page of the catalog and the place on it where the screen starts.

    Of what a filter lets through there is one long page, number 1.
    """

    catalog_id: int
    page: int = 1
    offset: int = 0
    item_filter: ItemFilter = EVERYTHING


@dataclass(frozen=True)
class Screen:
    """Five items and the ways on.

    `fitting` is how many items of the whole catalog were picked, None where pages are shown as
    they are; `ending` says how the reading of the whole catalog went.
    """

    address: Address
    items: Sequence[CatalogItem]
    previous: Address | None
    next: Address | None
    fitting: int | None = None
    ending: Ending = Ending.COMPLETE


async def page_screen(
    catalogs: Catalogs, member_id: int, address: Address, *, fresh: bool = False
) -> Screen:
    """Show a part of one page, for one request at most. Raises what reading raises."""
    page = await catalogs.page(member_id, address.catalog_id, address.page, fresh=fresh)
    offset = _screen_start(address.offset, len(page.entries))
    address = replace(address, offset=offset)
    items = [
        CatalogItem(address.catalog_id, address.page, item)
        for item in page.entries[offset : offset + PER_SCREEN]
    ]
    return Screen(address, items, _before(address), _after(address, page))


def filtered_screen(listing: Listing, address: Address) -> Screen:
    """Show a part of what a filter lets through from a catalog that was read."""
    picked = address.item_filter.apply(listing.items)
    offset = _screen_start(address.offset, len(picked))
    address = replace(address, page=1, offset=offset)
    following = offset + PER_SCREEN
    return Screen(
        address,
        picked[offset:following],
        replace(address, offset=offset - PER_SCREEN) if offset else None,
        replace(address, offset=following) if following < len(picked) else None,
        fitting=len(picked),
        ending=listing.ending,
    )


def _screen_start(offset: int, count: int) -> int:
    """Return where the screen starts, within what there is."""
    last = max(0, (count - 1) // PER_SCREEN * PER_SCREEN)
    return last if offset == _LAST else min(offset, last)


def _before(address: Address) -> Address | None:
    if address.offset:
        return replace(address, offset=max(0, address.offset - PER_SCREEN))
    if address.page > 1:
        return replace(address, page=address.page - 1, offset=_LAST)
    return None


def _after(address: Address, page: Page[Item]) -> Address | None:
    following = address.offset + PER_SCREEN
    if following < len(page.entries):
        return replace(address, offset=following)
    if page.has_next and address.page < LAST_PAGE:
        return replace(address, page=address.page + 1, offset=0)
    return None
