"""What each member has seen of the catalogs, from the client's memory."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.features.shop.item_filter import CatalogItem
from bot.game.client import Caller, GameClient
from bot.game.models import Item, ItemPageKey, Page

# For how long, in seconds, walking through what was read costs no request.
FRESH = 300.0
# Of what readings came to, in bytes: a few thousand of them.
_MOST_BYTES = 2 * 2**20


class Ending(StrEnum):
    """Why the reading of a catalog came to its end."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    FAILED = "failed"
    TOO_LONG = "too long"


@dataclass(frozen=True)
class Listing:
    """The items of a catalog's first pages, each once, in the catalog's order."""

    items: tuple[CatalogItem, ...]
    pages: int
    ending: Ending


@dataclass(frozen=True)
class _Reading:
    """How far a reading of the whole catalog came, and with whose token."""

    caller: Caller
    pages: int
    ending: Ending


class CatalogCache:
    """A view on the client's pages of items, and what the readings of whole catalogs came to."""

    def __init__(self, client: GameClient, tasks: BackgroundTasks) -> None:
        self._pages = client.items
        self._readings = TtlCache[tuple[int, int], _Reading](
            tasks, lifetime=FRESH, most_bytes=_MOST_BYTES
        )

    def note_reading(self, caller: Caller, catalog_id: int, pages: int, ending: Ending) -> None:
        """Note that the first pages were read one after the other, and why no more of them."""
        self._readings.put((caller.member_id, catalog_id), _Reading(caller, pages, ending))

    def listing(self, caller: Caller, catalog_id: int) -> Listing | None:
        """Return what a reading of the last minutes came to."""
        reading = self._readings.known((caller.member_id, catalog_id))
        if reading is None or reading.caller != caller:
            return None
        pages: list[Page[Item]] = []
        for number in range(1, reading.pages + 1):
            key = ItemPageKey(caller.member_id, catalog_id, number)
            page = self._pages.known(key)
            if page is None:
                return None
            pages.append(page)
        return Listing(each_once(catalog_id, enumerate(pages, 1)), reading.pages, reading.ending)

    def known(self, member_id: int, catalog_id: int) -> tuple[CatalogItem, ...]:
        """Return every item that is still kept, however old, such as for choosing by name."""
        pages = {
            key.page: page
            for key, page in self._pages.items()
            if (key.member_id, key.catalog_id) == (member_id, catalog_id)
        }
        return each_once(catalog_id, sorted(pages.items()))

    def catalogs(self, member_id: int) -> list[int]:
        """Return the ids of the catalogs of which something is kept, the last used first."""
        keys = (key for key, _ in self._pages.items())
        return list(dict.fromkeys(key.catalog_id for key in keys if key.member_id == member_id))

    def mark_owned(self, member_id: int, item_id: int) -> None:
        """Let every page show that the member has bought an item."""
        self._pages.change(
            lambda key: key.member_id == member_id, lambda page: _with_owned(page, item_id)
        )


def each_once(catalog_id: int, pages: Iterable[tuple[int, Page[Item]]]) -> tuple[CatalogItem, ...]:
    """Return the items of numbered pages: one may have moved to another page between two reads."""
    found: dict[int, CatalogItem] = {}
    for number, page in pages:
        for item in page.entries:
            found.setdefault(item.id, CatalogItem(catalog_id, number, item))
    return tuple(found.values())


def _with_owned(page: Page[Item], item_id: int) -> Page[Item]:
    entries = tuple(
        item.model_copy(update={"has_purchased": True}) if item.id == item_id else item
        for item in page.entries
    )
    return replace(page, entries=entries)
