"""Catalogs as members see them: a page, all pages, or one item; and which items are wanted."""

import asyncio
import dataclasses
import re
import unicodedata
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Set
from contextlib import aclosing
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.errors import SeveralFit
from bot.features.errors import CatalogNotInGame, ItemGone, UnknownChoice, UnknownCost
from bot.features.matching import find_by_name
from bot.features.names import read_id
from bot.game.client import Caller, GameClient
from bot.game.errors import GameError, MalformedResponse, NotFound, Unauthorized, Unavailable
from bot.game.models import Item, ItemPageKey, ItemType, Page
from storage.names import ItemRef

# For how long, in seconds, walking through what was read costs no request.
FRESH = 300.0
# Of what readings came to, in bytes: a few thousand of them.
_MOST_BYTES = 2 * 2**20
# How many pages of one catalog are asked for at the same time.
_AT_ONCE = 4
# A longer catalog is taken to be one that never ends.
_MOST_PAGES = 399
_MOST_ITEMS = 10_000
# A game that ignores the page number sends pages of nothing new; one alone may be items that were
# pushed on by others.
MOST_REPETITIONS = 2
_MOST_COST = 10**12
_FACTORS = {"k": 10**3, "tsd": 10**3, "m": 10**6, "mio": 10**6}
_FACTOR = rf"(?:{'|'.join(_FACTORS)})(?![^\W\d_])"
# Such as 2.5k, or digits in groups of three, and whatever is no digit behind them.
_COST = re.compile(
    rf"""(?:
      (?P<whole>\d+) (?:[.,](?P<part>\d\d?))? \s* (?P<factor>{_FACTOR}) \.?
      | (?P<digits>\d{{1,3}} (?P<gap>[.,'\u02bc\u2018\u2019 ]) \d{{3}} (?:(?P=gap)\d{{3}})* | \d+)
        (?! \s* {_FACTOR})
    )(?P<currency>\D*)""",
    re.IGNORECASE | re.VERBOSE,
)

# Hears how many pages were read.
Report = Callable[[int], Awaitable[None]]


async def tell_nobody(_pages: int) -> None:
    """Report nothing."""


class Ending(StrEnum):
    COMPLETE = "complete"
    # Read to its end, but for items that make no sense.
    UNREADABLE = "unreadable"
    STOPPED = "stopped"
    FAILED = "failed"
    TOO_LONG = "too long"

    @property
    def is_early(self) -> bool:
        return self in (Ending.STOPPED, Ending.FAILED)


class Show(StrEnum):
    ALL = "all"
    NOT_OWNED = "not owned"
    CLEARANCE = "clearance"
    MEMBERS = "members"


class ItemSort(StrEnum):
    CATALOG = "catalog"
    COST = "cost"
    NAME = "name"


class CatalogItem(Struct, frozen=True):
    catalog_id: int
    page: int
    item: Item

    @property
    def ref(self) -> ItemRef:
        return ItemRef(self.catalog_id, self.page, self.item.id)


class ItemFilter(Struct, frozen=True):
    """A filter of a catalog; costs are compared as numbers, whatever the currency."""

    show: Show = Show.ALL
    type_id: int | None = None
    max_cost: int | None = None
    sort: ItemSort = ItemSort.CATALOG

    @property
    def is_everything(self) -> bool:
        return self == EVERYTHING

    def apply(self, items: Iterable[CatalogItem]) -> tuple[CatalogItem, ...]:
        wanted: list[CatalogItem] = []
        for entry in items:
            item = entry.item
            is_left_out = (
                (self.show is Show.NOT_OWNED and item.has_purchased)
                or (self.show is Show.CLEARANCE and not item.is_clearance)
                or (self.show is Show.MEMBERS and not item.is_member_item)
                or self.type_id not in (None, item.item_type.id)
                or (self.max_cost is not None and item.cost > self.max_cost)
            )
            if not is_left_out:
                wanted.append(entry)
        if self.sort is ItemSort.COST:
            # Costs in different currencies say nothing about each other.
            wanted.sort(key=lambda entry: (entry.item.currency.id, entry.item.cost))
        elif self.sort is ItemSort.NAME:
            wanted.sort(key=lambda entry: entry.item.name.casefold())
        return tuple(wanted)


EVERYTHING = ItemFilter()


def with_bought(items: Iterable[CatalogItem], bought: Set[int]) -> tuple[CatalogItem, ...]:
    """Return the items with those as owned that were bought here, by their ids."""
    return tuple(
        replace(entry, item=dataclasses.replace(entry.item, has_purchased=True))
        if entry.item.id in bought
        else entry
        for entry in items
    )


def types_of(items: Iterable[CatalogItem]) -> list[ItemType]:
    by_id = {entry.item.item_type.id: entry.item.item_type for entry in items}
    by_id.pop(None, None)
    return sorted(by_id.values(), key=lambda each: each.name.casefold())


def read_cost(typed: str) -> tuple[int, str]:
    """Return a cost and the currency that is typed behind it, if any. Raises UnknownCost."""
    found = _COST.fullmatch(unicodedata.normalize("NFKC", typed).strip())
    if found is None:
        raise UnknownCost(text=typed)
    cost = int(re.sub(r"\D", "", found["digits"] or found["whole"]))
    if factor := found["factor"]:
        cost *= _FACTORS[factor.casefold()]
        if part := found["part"]:
            cost += int(part) * _FACTORS[factor.casefold()] // 10 ** len(part)
    currency = found["currency"].strip()
    begins = unicodedata.category(currency[0]) if currency else "L"
    if cost > _MOST_COST or not begins.startswith(("L", "Sc", "So")):
        raise UnknownCost(text=typed)
    return cost, currency


def find_type(items: Iterable[CatalogItem], text: str) -> ItemType:
    """Return the type that is typed, by number or name. Raises UnknownChoice, SeveralFit."""
    types, number = types_of(items), read_id(text)
    fitting = [each for each in types if each.id == number] or find_by_name(
        text, types, lambda each: each.name
    )
    if len(fitting) == 1:
        return fitting[0]
    error = SeveralFit if fitting else UnknownChoice
    known = [each.name for each in fitting or types] or ["-"]
    raise error(name=text, known=known, candidates=fitting or types)


class Listing(Struct, frozen=True):
    items: tuple[CatalogItem, ...]
    ending: Ending


class Catalogs:
    """The catalogs as members see them, from the client's memory or the game (GameError)."""

    def __init__(self, client: GameClient, tasks: BackgroundTasks) -> None:
        self._client = client
        # How many pages a reading of a whole catalog came to, and how it ended, by the hash of the
        # caller: what another token has read is not this one's.
        self._readings = TtlCache[tuple[int, int], tuple[int, Ending]](
            tasks, lifetime=FRESH, most_bytes=_MOST_BYTES
        )

    async def page(
        self, caller: Caller, catalog_id: int, number: int, *, fresh: bool = False
    ) -> Page[Item]:
        """Return a page, the one read minutes ago unless a fresh one is wanted."""
        max_age = 0.0 if fresh else FRESH
        try:
            return await self._client.list_items(caller, catalog_id, page=number, max_age=max_age)
        except NotFound as error:
            raise CatalogNotInGame(number=str(catalog_id)) from error

    async def read(
        self,
        caller: Caller,
        catalog_id: int,
        *,
        report: Report = tell_nobody,
        stop: asyncio.Timeout | None = None,
        fresh: bool = False,
    ) -> Listing:
        """Return the items of every page; `stop`, or a failure after the first, ends it early."""
        pages, ids, ending = list[Page[Item]](), set[int](), Ending.COMPLETE
        repetitions = 0
        reading = self._pages(caller, catalog_id, fresh=fresh)
        try:
            async with stop or asyncio.timeout(None), aclosing(reading):
                async for page in reading:
                    pages.append(page)
                    new = {item.id for item in page.entries} - ids
                    repetitions = 0 if new else repetitions + 1
                    if not page.has_next or repetitions == MOST_REPETITIONS:
                        break
                    ids |= new
                    if len(pages) == _MOST_PAGES or len(ids) > _MOST_ITEMS:
                        ending = Ending.TOO_LONG
                        break
                    await report(len(pages))
        except TimeoutError:
            ending = Ending.STOPPED
        except GameError as error:
            if not pages or isinstance(error, Unauthorized):
                raise
            ending = Ending.FAILED
        if ending is Ending.COMPLETE and any(page.unreadable for page in pages):
            ending = Ending.UNREADABLE
        self._readings.put((hash(caller), catalog_id), (len(pages), ending))
        # Pages that a purchase has outdated meanwhile are not kept.
        return self.listing(caller, catalog_id) or Listing(
            _each_once(catalog_id, enumerate(pages, 1)), ending
        )

    async def find_again(self, caller: Caller, ref: ItemRef, *, fresh: bool) -> CatalogItem:
        """Return an item from its page, or from where it has moved to since. Raises ItemGone."""
        # New items push the others on, sold-out ones let them move up: most moves are by a page.
        near = (ref.page, ref.page + 1, ref.page - 1)
        for number in filter(lambda number: number > 0, near):
            page = await self.page(caller, ref.catalog_id, number, fresh=fresh)
            for item in page.entries:
                if item.id == ref.item_id:
                    return CatalogItem(ref.catalog_id, number, item)
        listing = await self.read(caller, ref.catalog_id, fresh=fresh)
        for entry in listing.items:
            if entry.item.id == ref.item_id:
                return entry
        # What half a catalog lacks may be in the other half.
        if listing.ending is Ending.COMPLETE:
            if fresh:
                raise ItemGone
            # It may be newer than what was read minutes ago.
            return await self.find_again(caller, ref, fresh=True)
        is_unreadable = listing.ending is Ending.UNREADABLE
        raise (MalformedResponse if is_unreadable else Unavailable)(listing.ending)

    def listing(self, caller: Caller, catalog_id: int) -> Listing | None:
        """Return what a reading of the last minutes came to."""
        reading = self._readings.known((hash(caller), catalog_id))
        if reading is None:
            return None
        count, ending = reading
        keys = [ItemPageKey(caller.member_id, catalog_id, page + 1) for page in range(count)]
        pages = [page for key in keys if (page := self._client.items.known(key))]
        if len(pages) < count:
            return None
        return Listing(_each_once(catalog_id, enumerate(pages, 1)), ending)

    def known(self, member_id: int, catalog_id: int) -> tuple[CatalogItem, ...]:
        """Return every item that is still kept, however old, such as for choosing by name."""
        return _each_once(catalog_id, sorted(self._kept(member_id, catalog_id).items()))

    def is_whole(self, member_id: int, catalog_id: int) -> bool:
        """Return whether every page is still kept, however old."""
        pages = self._kept(member_id, catalog_id)
        last = min((number for number, page in pages.items() if not page.has_next), default=0)
        return last > 0 and all(number in pages for number in range(1, last))

    def _kept(self, member_id: int, catalog_id: int) -> dict[int, Page[Item]]:
        return {
            key.page: page
            for key, page in self._client.items.items()
            if (key.member_id, key.catalog_id) == (member_id, catalog_id)
        }

    def recent(self, member_id: int) -> list[int]:
        """Return the ids of the catalogs that a member has read, the last used first."""
        keys = (key for key, _ in self._client.items.items())
        return list(dict.fromkeys(key.catalog_id for key in keys if key.member_id == member_id))

    def length(self, catalog_id: int) -> int | None:
        """Return after how many pages a catalog ended for anybody who read it within a day."""
        ends = (
            key.page - (not page.entries)
            for key, page in self._client.items.items()
            if key.catalog_id == catalog_id and not page.has_next
        )
        return min(ends, default=None)

    def known_item(self, member_id: int, ref: ItemRef) -> Item | None:
        """Return an item as it is still kept of its page, however old."""
        page = self._client.items.known(ItemPageKey(member_id, ref.catalog_id, ref.page))
        entries = page.entries if page else ()
        return next((item for item in entries if item.id == ref.item_id), None)

    async def _pages(
        self, caller: Caller, catalog_id: int, *, fresh: bool
    ) -> AsyncGenerator[Page[Item]]:
        """Yield the pages in order; the few after the one awaited are on their way already."""
        number, batch = 0, 1
        while True:
            tasks = [
                asyncio.create_task(self.page(caller, catalog_id, each, fresh=fresh))
                for each in range(number + 1, number + 1 + batch)
            ]
            try:
                for task in tasks:
                    yield await task
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            number += batch
            # It is not known where a catalog ends, and pages after the end are asked for in vain.
            batch = min(batch * 2, _AT_ONCE)


def _each_once(catalog_id: int, pages: Iterable[tuple[int, Page[Item]]]) -> tuple[CatalogItem, ...]:
    """Return the items of numbered pages: one may have moved to another page between two reads."""
    found: dict[int, CatalogItem] = {}
    for number, page in pages:
        for item in page.entries:
            found.setdefault(item.id, CatalogItem(catalog_id, number, item))
    return tuple(found.values())
