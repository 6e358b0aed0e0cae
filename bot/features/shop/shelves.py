"""What each member has seen of the catalogs, kept in memory for a while."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.features.shop.selection import Shelved
from bot.game.client import Caller
from bot.game.models import Item, Page

# For how long, in seconds, walking through what was read costs no request.
FRESH = 300.0
# About 60 MB when all of it is in use.
_MOST_ITEMS = 30_000


class Ending(StrEnum):
    """Why the reading of a catalog came to its end."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    FAILED = "failed"
    TOO_LONG = "too long"


@dataclass(frozen=True)
class Listing:
    """The items of a catalog's first pages, each once, in the catalog's order."""

    items: tuple[Shelved, ...]
    pages: int
    ending: Ending


@dataclass
class _Shelf:
    pages: dict[int, tuple[float, Page[Item]]] = field(
        default_factory=dict[int, tuple[float, Page[Item]]]
    )
    # What a reading of the whole catalog came to: when, how far, and why no further.
    reading: tuple[float, int, Ending] | None = None

    @property
    def size(self) -> int:
        return sum(len(page.entries) for _, page in self.pages.values())


class Shelves:
    """Pages by member and catalog; the shelf that was longest unused leaves when it is full.

    A shelf belongs to a member's token, so that a newly linked account starts with none.
    """

    def __init__(
        self, most_items: int = _MOST_ITEMS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_items = most_items
        self._clock = clock
        self._shelves: OrderedDict[tuple[Caller, int], _Shelf] = OrderedDict()
        self._size = 0

    def keep(self, caller: Caller, catalog_id: int, number: int, page: Page[Item]) -> None:
        """Put a page that was just read on its shelf."""
        shelf = self._shelves.setdefault((caller, catalog_id), _Shelf())
        self._shelves.move_to_end((caller, catalog_id))
        _, before = shelf.pages.get(number, (0.0, None))
        self._size += len(page.entries) - (len(before.entries) if before else 0)
        shelf.pages[number] = (self._clock(), page)
        while self._size > self._most_items and len(self._shelves) > 1:
            _, dropped = self._shelves.popitem(last=False)
            self._size -= dropped.size

    def page(self, caller: Caller, catalog_id: int, number: int) -> Page[Item] | None:
        """Give a page that was read in the last minutes."""
        shelf = self._shelves.get((caller, catalog_id))
        read_at, page = (shelf.pages.get(number) if shelf else None) or (0.0, None)
        return page if self._is_fresh(read_at) else None

    def note_reading(self, caller: Caller, catalog_id: int, pages: int, ending: Ending) -> None:
        """Note that the first pages were read one after the other, and why no more of them."""
        shelf = self._shelves.get((caller, catalog_id))
        if shelf:
            shelf.reading = (self._clock(), pages, ending)

    def listing(self, caller: Caller, catalog_id: int) -> Listing | None:
        """Give what a reading of the last minutes came to."""
        shelf = self._shelves.get((caller, catalog_id))
        if shelf is None or shelf.reading is None:
            return None
        read_at, pages, ending = shelf.reading
        if not self._is_fresh(read_at) or any(n not in shelf.pages for n in range(1, pages + 1)):
            return None
        numbers = range(1, pages + 1)
        return Listing(tuple(_once(catalog_id, shelf, numbers)), pages, ending)

    def known(self, caller: Caller, catalog_id: int) -> list[Shelved]:
        """Give every item that is still kept, however old, such as for choosing by name."""
        shelf = self._shelves.get((caller, catalog_id))
        return list(_once(catalog_id, shelf, sorted(shelf.pages))) if shelf else []

    def catalogs(self, caller: Caller) -> list[int]:
        """Give the catalogs of which something is kept, the most recently used first."""
        return [catalog for owner, catalog in reversed(self._shelves) if owner == caller]

    def mark_owned(self, member_id: int, item_id: int) -> None:
        """Let every page show that the member has bought an item."""
        for (caller, _), shelf in self._shelves.items():
            if caller.member_id != member_id:
                continue
            for number, (read_at, page) in shelf.pages.items():
                shelf.pages[number] = (read_at, _with_owned(page, item_id))

    def _is_fresh(self, read_at: float) -> bool:
        return self._clock() - read_at < FRESH


def _once(catalog_id: int, shelf: _Shelf, numbers: Iterable[int]) -> Iterable[Shelved]:
    """Give each item once: an item may have moved to another page between two reads."""
    seen: set[int] = set()
    for number in numbers:
        for item in shelf.pages[number][1].entries:
            if item.id not in seen:
                seen.add(item.id)
                yield Shelved(catalog_id, number, item)


def _with_owned(page: Page[Item], item_id: int) -> Page[Item]:
    entries = tuple(
        item.model_copy(update={"has_purchased": True}) if item.id == item_id else item
        for item in page.entries
    )
    return Page(entries, page.number, page.per_page, page.has_next)
