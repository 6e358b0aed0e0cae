"""Catalogs as members see them: a page, all pages, or one item, and which items are wanted."""

import asyncio
import dataclasses
import logging
from collections import abc
from contextlib import aclosing
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.features import feature_errors
from bot.features.item_queries import fits
from bot.features.reading import paging
from bot.game import game_client, game_errors, models
from storage.names import ItemRef
from storage.subscriptions import ItemQuery

log = logging.getLogger(__name__)

# Items on a page, if none is loaded (docs/connect-your-game.md#pages).
_PAGE_SIZE = 15
# How long, in seconds, going through loaded pages costs no request.
FRESH_SECONDS = 300.0
# Memory for the results of readings, in bytes: enough for a few thousand of them.
_MAX_BYTES = 2 * 2**20
# How many pages of one catalog are requested at the same time.
_AT_ONCE = 4
# A longer catalog counts as endless.
_MAX_PAGES = 2_000
_MAX_ITEMS = 20_000
# A game that ignores the page number sends pages with nothing new. A single one may only have items
# that others have pushed on.
_MAX_REPETITIONS = 2
# Gets how many pages were read.
Report = abc.Callable[[int], abc.Awaitable[None]]
Numbered = tuple[int, models.Page[models.Item]]


async def ignore_progress(_pages: int) -> None:
    """Report nothing."""


class CatalogEnding(StrEnum):
    COMPLETE = "complete"
    # Read to its end, except for items that make no sense.
    UNREADABLE = "unreadable"
    STOPPED = "stopped"
    FAILED = "failed"
    TOO_LONG = "too long"

    @property
    def is_early(self) -> bool:
        return self in (CatalogEnding.STOPPED, CatalogEnding.FAILED)


class ItemSort(StrEnum):
    CATALOG = "catalog"
    COST = "cost"
    NAME = "name"


class CatalogItem(Struct, frozen=True):
    catalog_id: int
    page: int
    item: models.Item

    @property
    def ref(self) -> ItemRef:
        return ItemRef(self.catalog_id, self.page, self.item.id)


def picked(
    items: abc.Iterable[CatalogItem], query: ItemQuery, sort: ItemSort
) -> tuple[CatalogItem, ...]:
    """Return the items that match a query, in an order."""
    fitting = [entry for entry in items if fits(query, entry.item)]
    if sort is ItemSort.COST:
        # Costs in different currencies say nothing about each other.
        fitting.sort(key=lambda entry: (entry.item.currency.id, entry.item.cost))
    elif sort is ItemSort.NAME:
        fitting.sort(key=lambda entry: entry.item.name.casefold())
    return tuple(fitting)


def with_bought(items: abc.Iterable[CatalogItem], bought: abc.Set[int]) -> tuple[CatalogItem, ...]:
    """Return the items, marked as owned if they were bought here, by their ids."""
    return tuple(
        replace(entry, item=dataclasses.replace(entry.item, has_purchased=True))
        if entry.item.id in bought
        else entry
        for entry in items
    )


class Reading(Struct, frozen=True):
    """A catalog as it was read: each item once, in its order, and how the reading ended.

    `pages` counts those that were read. `failure` is the code of the error that ended it early. An
    item that was there before is gone only if the reading `is_certain`: every page was read, and
    every unread item is named.
    """

    items: tuple[CatalogItem, ...]
    ending: CatalogEnding = CatalogEnding.COMPLETE
    pages: int = 0
    failure: str | None = None
    unreadable_ids: frozenset[int] = frozenset()
    is_certain: bool = True


async def read_catalog(
    catalog_id: int,
    page_of: abc.Callable[[int], abc.Awaitable[models.Page[models.Item]]],
    *,
    at_once: int = 1,
    reads_twice: bool = False,
    report: Report = ignore_progress,
    stop: asyncio.Timeout | None = None,
) -> Reading:
    """Read a catalog's pages, from 1 on, at most `at_once` at the same time.

    `stop`, or a failure after the first page, ends the reading early. If it `reads_twice`, it reads
    once more from the last page on: an item that moves away from one pass meets the other. Raises
    GameError if no page could be read, and Unauthorized always.
    """

    async def read(number: int) -> Numbered:
        try:
            return number, await page_of(number)
        except (game_errors.ServerFault, game_errors.MalformedResponse):
            # The client doesn't retry these.
            return number, await page_of(number)

    pages = list[Numbered]()
    ending = CatalogEnding.COMPLETE
    failure = None
    reading = _until_the_end(read, at_once, reads_twice=reads_twice)
    try:
        async with stop or asyncio.timeout(None), aclosing(reading):
            async for number, page in reading:
                pages.append((number, page))
                if page.has_next:
                    await report(len(pages))
    except TimeoutError:
        ending = CatalogEnding.STOPPED
    except game_errors.GameError as error:
        if not pages or isinstance(error, game_errors.Unauthorized):
            raise
        log.info("Read only part of catalog %s (%s pages): %s", catalog_id, len(pages), error)
        ending = CatalogEnding.TOO_LONG if isinstance(error, _NeverEnds) else CatalogEnding.FAILED
        failure = error.code
    return _reading_of(catalog_id, pages, ending, failure)


def _reading_of(
    catalog_id: int,
    numbered: abc.Sequence[Numbered],
    ending: CatalogEnding,
    failure: str | None = None,
) -> Reading:
    items: dict[int, CatalogItem] = {}
    for number, page in numbered:
        for item in page.entries:
            # One may have moved to another page between two reads.
            items.setdefault(item.id, CatalogItem(catalog_id, number, item))
    pages = [page for _, page in numbered]
    if ending is CatalogEnding.COMPLETE and any(page.unreadable for page in pages):
        ending = CatalogEnding.UNREADABLE
    unreadable_ids = {item_id for page in pages for item_id in page.unreadable_ids}
    has_nameless = any(page.unreadable > len(page.unreadable_ids) for page in pages)
    return Reading(
        tuple(items.values()),
        ending,
        len(pages),
        failure,
        frozenset(unreadable_ids - items.keys()),
        ending in (CatalogEnding.COMPLETE, CatalogEnding.UNREADABLE) and not has_nameless,
    )


class _NeverEnds(game_errors.MalformedResponse):
    """A catalog is longer than any can be."""


async def _until_the_end(
    read: abc.Callable[[int], abc.Coroutine[Any, Any, Numbered]], at_once: int, *, reads_twice: bool
) -> abc.AsyncGenerator[Numbered]:
    """Yield the pages in order. The few after the awaited one are on their way already."""
    ids = set[int]()
    last = repetitions = 0
    batch = 1
    while True:
        tasks = [asyncio.create_task(read(last + ahead)) for ahead in range(1, batch + 1)]
        try:
            for task in tasks:
                number, page = await task
                yield number, page
                new = {item.id for item in page.entries} - ids
                repetitions = 0 if new else repetitions + 1
                if not page.has_next or repetitions == _MAX_REPETITIONS:
                    for again in range(number if reads_twice else 0, 0, -1):
                        yield await read(again)
                    return
                ids |= new
                if number == _MAX_PAGES or len(ids) > _MAX_ITEMS:
                    raise _NeverEnds("endless")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        last += batch
        # Kiosk doesn't know a catalog's end, and requests for pages after it are in vain.
        batch = min(batch * 2, at_once)


class Catalogs:
    """The catalogs as members see them, from the client's memory or the game (GameError)."""

    def __init__(self, client: game_client.GameClient, tasks: BackgroundTasks) -> None:
        self._client = client
        # The number of pages that a reading of a catalog came to, and its end, by the hash of the
        # caller: what another token has read is not this one's.
        self._readings = TtlCache[tuple[int, int], tuple[int, CatalogEnding]](
            tasks, lifetime=FRESH_SECONDS, most_bytes=_MAX_BYTES
        )

    def pages(self, caller: game_client.Caller) -> paging.Pages[models.ItemPageKey, models.Item]:
        return paging.Pages(
            lambda key, max_age: self.page(caller, key.catalog_id, key.page, max_age=max_age),
            self._client.items.read_at,
        )

    async def page(
        self,
        caller: game_client.Caller,
        catalog_id: int,
        number: int,
        *,
        max_age: float | None = None,
    ) -> models.Page[models.Item]:
        """Return a page, the one read minutes ago unless a younger one is wanted."""
        max_age = FRESH_SECONDS if max_age is None else min(max_age, FRESH_SECONDS)
        try:
            return await self._client.list_items(caller, catalog_id, page=number, max_age=max_age)
        except game_errors.NotFound as error:
            raise feature_errors.CatalogNotInGame(number=str(catalog_id)) from error

    async def read(
        self,
        caller: game_client.Caller,
        catalog_id: int,
        *,
        report: Report = ignore_progress,
        stop: asyncio.Timeout | None = None,
        fresh: bool = False,
    ) -> Reading:
        """Return every item, as `read_catalog` does."""
        max_age = 0.0 if fresh else None
        reading = await read_catalog(
            catalog_id,
            lambda number: self.page(caller, catalog_id, number, max_age=max_age),
            at_once=_AT_ONCE,
            report=report,
            stop=stop,
        )
        self._readings.put((hash(caller), catalog_id), (reading.pages, reading.ending))
        # Pages that a purchase has outdated since then aren't kept.
        return self.known_reading(caller, catalog_id) or reading

    async def find_owned(
        self,
        caller: game_client.Caller,
        catalog_id: int,
        item_ids: abc.Set[int],
        turn: abc.Callable[[], abc.Awaitable[object]],
    ) -> abc.Mapping[int, bool]:
        """Return which of these items the catalog shows now, and whether the caller owns them.

        Each page waits for its `turn`. Kiosk reads no further than needed, and keeps nothing.
        """
        missing = set(item_ids)

        async def page_of(number: int) -> models.Page[models.Item]:
            await turn()
            page = await self._client.read_items(caller, catalog_id, number)
            missing.difference_update(item.id for item in page.entries)
            # Reading ends at a page that has no next page.
            return page if missing else dataclasses.replace(page, has_next=False)

        reading = await read_catalog(catalog_id, page_of)
        items = (entry.item for entry in reading.items)
        return {item.id: item.has_purchased for item in items if item.id in item_ids}

    async def find_again(
        self, caller: game_client.Caller, ref: ItemRef, *, fresh: bool
    ) -> CatalogItem:
        """Return an item from its page, or from the page to which it moved. Raises ItemGone."""
        # New items push the others on, sold-out ones let them move up: most moves are by a page.
        near = (ref.page, ref.page + 1, ref.page - 1)
        max_age = 0.0 if fresh else None
        for number in filter(lambda number: number > 0, near):
            page = await self.page(caller, ref.catalog_id, number, max_age=max_age)
            for item in page.entries:
                if item.id == ref.item_id:
                    return CatalogItem(ref.catalog_id, number, item)
        reading = await self.read(caller, ref.catalog_id, fresh=fresh)
        for entry in reading.items:
            if entry.item.id == ref.item_id:
                return entry
        # An item that half a catalog lacks may be in the other half.
        if reading.ending is CatalogEnding.COMPLETE:
            if fresh:
                raise feature_errors.ItemGone
            # It may be newer than what was read minutes ago.
            return await self.find_again(caller, ref, fresh=True)
        is_unreadable = reading.ending is CatalogEnding.UNREADABLE
        raise (game_errors.MalformedResponse if is_unreadable else game_errors.Unavailable)(
            reading.ending
        )

    def known_reading(self, caller: game_client.Caller, catalog_id: int) -> Reading | None:
        """Return the result of a reading in the last minutes, or None."""
        reading = self._readings.known((hash(caller), catalog_id))
        if reading is None:
            return None
        count, ending = reading
        keys = [models.ItemPageKey(caller.member_id, catalog_id, page + 1) for page in range(count)]
        pages = [(key.page, page) for key in keys if (page := self._client.items.known(key))]
        return _reading_of(catalog_id, pages, ending) if len(pages) == count else None

    def known_whole(self, member_id: int, catalog_id: int) -> Reading | None:
        """Return a catalog that a member has read within minutes, in any order of pages."""
        pages: list[Numbered] = []
        while not pages or pages[-1][1].has_next:
            key = models.ItemPageKey(member_id, catalog_id, len(pages) + 1)
            page = self._client.items.known(key, max_age=FRESH_SECONDS)
            if page is None:
                return None
            pages.append((key.page, page))
        return _reading_of(catalog_id, pages, CatalogEnding.COMPLETE)

    def at_hand(self, member_id: int, catalog_id: int) -> Reading:
        """Return what is still kept of a catalog, however old: STOPPED if pages are missing."""
        pages = {
            key.page: page
            for key, page in self._client.items.items()
            if (key.member_id, key.catalog_id) == (member_id, catalog_id)
        }
        last = min((number for number, page in pages.items() if not page.has_next), default=0)
        is_whole = last > 0 and all(number in pages for number in range(1, last))
        ending = CatalogEnding.COMPLETE if is_whole else CatalogEnding.STOPPED
        return _reading_of(catalog_id, sorted(pages.items()), ending)

    def recent(self, member_id: int) -> list[int]:
        """Return the ids of the catalogs that a member has read, the last used first."""
        keys = (key for key, _ in self._client.items.items())
        return list(dict.fromkeys(key.catalog_id for key in keys if key.member_id == member_id))

    def length(self, catalog_id: int) -> int | None:
        """Return a catalog's last page with items, if anyone has read it within a day."""
        pages = self._pages_of(catalog_id)
        filled = {number for number, page in pages if page.entries}
        # An empty page may be any number of pages beyond the end.
        ends = (number - (not page.entries) for number, page in pages if not page.has_next)
        return next((end for end in ends if end in filled), None)

    def page_size(self, catalog_id: int) -> int:
        """Return how many items a page of a catalog has, as far as Kiosk knows."""
        sizes = (page.per_page for _, page in self._pages_of(catalog_id) if page.entries)
        return next(sizes, _PAGE_SIZE)

    def _pages_of(self, catalog_id: int) -> abc.Sequence[Numbered]:
        """Return the loaded pages, for any member, the last used first."""
        return [(key.page, page) for key, page in self._client.items.items_of(catalog_id)]

    def known_item(self, member_id: int, ref: ItemRef) -> models.Item | None:
        """Return an item from its page as Kiosk still has it, however old."""
        page = self._client.items.known(models.ItemPageKey(member_id, ref.catalog_id, ref.page))
        entries = page.entries if page else ()
        return next((item for item in entries if item.id == ref.item_id), None)
