"""Finding an item by what a member typed, and offering items while they type."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from enum import StrEnum

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.errors import KioskError, SeveralFit
from bot.features.accounts import Accounts
from bot.features.errors import CatalogNeeded, ItemGone, ItemsNotLoaded, UnknownItem
from bot.features.matching import find_by_name, holding
from bot.features.names import STAND_IN, read_id
from bot.features.shop.catalogs import FRESH, CatalogItem, Catalogs, Ending, with_bought
from bot.game.client import Caller
from bot.game.errors import GameError, MalformedResponse, Unauthorized, Unavailable
from storage.links import Link
from storage.names import name_key

log = logging.getLogger(__name__)

# Discord waits three seconds for entries, a person who types much less.
_PATIENCE = 0.3
# So many catalogs are read for one keystroke; the next one goes on.
_MOST_CATALOGS = 5


class Lists(StrEnum):
    """How much of the lists is at hand."""

    HERE = "here"
    COMING = "coming"
    UNREACHABLE = "unreachable"


class ItemSearch:
    """Finds items in the catalogs that a member means."""

    def __init__(
        self,
        catalogs: Catalogs,
        accounts: Accounts,
        bought: Callable[[Link], Awaitable[frozenset[int]]],
        tasks: BackgroundTasks,
    ) -> None:
        self._catalogs = catalogs
        self._bought = bought
        self._accounts = accounts
        self._tasks = tasks
        # Whether a member's catalog could be loaded when that was last tried.
        self._reached = TtlCache[tuple[int, int], bool](tasks, lifetime=FRESH)

    async def find(self, member_id: int, text: str, catalog_ids: Sequence[int]) -> CatalogItem:
        """Return the item of a number or a name in one of the catalogs, or in those seen lately.

        Raises UnknownItem, SeveralFit, CatalogNeeded, ItemsNotLoaded, AccountError, GameError.
        """
        link = await self._accounts.require(member_id)
        if text.strip() == STAND_IN:
            raise ItemsNotLoaded
        async with self._accounts.using(link) as caller:
            found = await self._find(caller, text, catalog_ids or self._catalogs.seen(member_id))
        (found,) = with_bought([found], await self._bought(link))
        return found

    async def suggest(
        self, member_id: int, typed: str, catalog_ids: Sequence[int]
    ) -> tuple[Sequence[CatalogItem], Lists]:
        """Return items that fit what is typed, the best first, and how much they were chosen from.

        Lists that are not at hand are waited for a moment, then go on coming for the next time.
        """
        among = catalog_ids or self._catalogs.seen(member_id)
        link = await self._accounts.require(member_id)
        bought = await self._bought(link)
        async with self._accounts.using(link) as caller:
            listings = {each: self._catalogs.listing(caller, each) for each in among}
        missing = [
            (member_id, each)
            for each, listing in listings.items()
            if listing is None or listing.ending.is_early
        ]
        loads = [
            self._tasks.start(self._reached.get(key, self._load, max_age=0.0))
            for key in missing[:_MOST_CATALOGS]
        ]
        if loads:
            await self._tasks.within(_PATIENCE, *loads)
        lists = Lists.HERE if all(load.done() for load in loads) else Lists.COMING
        if any(self._reached.known((member_id, each)) is False for each in among):
            lists = Lists.UNREACHABLE
        known = with_bought(self._known(member_id, among), bought)
        # Of thousands, while others are answered.
        return await asyncio.to_thread(_fitting, known, typed), lists

    def _known(self, member_id: int, catalog_ids: Sequence[int]) -> list[CatalogItem]:
        return [entry for each in catalog_ids for entry in self._catalogs.known(member_id, each)]

    async def _find(self, caller: Caller, text: str, among: Sequence[int]) -> CatalogItem:
        if not among:
            raise CatalogNeeded
        known = _called(self._known(caller.member_id, among), text)
        if len(known) == 1:
            try:
                return await self._catalogs.find_again(caller, known[0].ref, fresh=False)
            except ItemGone:
                log.info("item %s has left catalog %s", known[0].item.id, known[0].catalog_id)
        # Whether a part of a name is that of one item alone, only whole catalogs tell.
        return await self._search(caller, text, among)

    async def _search(self, caller: Caller, text: str, catalog_ids: Sequence[int]) -> CatalogItem:
        items: list[CatalogItem] = []
        failure: Exception | None = None
        for catalog_id in catalog_ids:
            try:
                listing = await self._catalogs.read(caller, catalog_id)
            except (GameError, KioskError) as error:
                if len(catalog_ids) == 1 or isinstance(error, Unauthorized):
                    raise
                failure = error
                continue
            if listing.ending.is_early:
                failure = Unavailable(listing.ending)
            elif listing.ending is not Ending.COMPLETE:
                failure = MalformedResponse(listing.ending)
            items += listing.items
            if read_id(text) is not None and _called(items, text):
                break
        return await asyncio.to_thread(_the_one_meant, items, text, failure)

    async def _load(self, key: tuple[int, int]) -> bool:
        member_id, catalog_id = key
        try:
            link = await self._accounts.require(member_id)
            async with self._accounts.using(link) as caller:
                listing = await self._catalogs.read(caller, catalog_id)
        except (GameError, KioskError) as error:
            log.info("catalog %s could not be loaded for choosing: %s", catalog_id, error)
            return False
        return not listing.ending.is_early


def _the_one_meant(
    items: Sequence[CatalogItem], text: str, failure: Exception | None
) -> CatalogItem:
    """Return the one item that is meant, by a part of its name only where there was no failure."""
    fitting = _called(items, text)
    if not fitting and failure:
        raise failure
    if not fitting and read_id(text) is None:
        fitting = _each_once(find_by_name(text, items, _name_of))
    if not fitting:
        raise UnknownItem(name=text)
    if len(fitting) > 1:
        known = ", ".join(dict.fromkeys(map(_name_of, fitting)))
        raise SeveralFit(name=text, known=known, candidates=fitting)
    return fitting[0]


def _called(items: Sequence[CatalogItem], text: str) -> list[CatalogItem]:
    """Return the items of this very number or name."""
    number, key = read_id(text), name_key(text)
    if number is not None:
        return _each_once(entry for entry in items if entry.item.id == number)
    return _each_once(entry for entry in items if name_key(entry.item.name) == key)


def _each_once(items: Iterable[CatalogItem]) -> list[CatalogItem]:
    return list({entry.item.id: entry for entry in items}.values())


def _fitting(items: Sequence[CatalogItem], typed: str) -> list[CatalogItem]:
    number = typed.strip().removeprefix("#")
    numbered = [entry for entry in items if str(entry.item.id) == number]
    return _each_once([*numbered, *holding(typed, items, _name_of)])


def _name_of(entry: CatalogItem) -> str:
    return entry.item.name
