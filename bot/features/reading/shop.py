"""Browse the game's catalogs in screens, and find items by what members type."""

import asyncio
import logging
from collections import abc
from contextlib import suppress
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.errors import KioskError
from bot.features import feature_errors, matching
from bot.features.accounts import Accounts
from bot.features.directory import STAND_IN
from bot.features.item_queries import ANYTHING
from bot.features.reading import catalogs, paging
from bot.features.writing.outcomes import COUNTS_FOR
from bot.game import game_client, game_errors, models
from storage.links import Link
from storage.names import ItemRef
from storage.subscriptions import ItemQuery
from storage.writes import Writes

log = logging.getLogger(__name__)

# Items on a screen, so that a page of the game's makes two.
SCREEN_SIZE = 8
# The largest page number that an address can carry.
LAST_PAGE = 9_999_999
# Discord waits three seconds for suggestions, a person who types much less.
_SUGGESTING_SECONDS = 0.3
# How many catalogs are read for one keystroke, the others for the next one.
_MAX_CATALOGS = 5


class ReadMode(StrEnum):
    SHOW = "s"
    # From the game, not from memory.
    REFRESH = "r"
    # Read whole: the pages that are missing.
    READ_ON = "c"


class SuggestionState(StrEnum):
    HERE = "here"
    COMING = "coming"
    UNREACHABLE = "unreachable"


class Address(Struct, frozen=True):
    """The start of a screen. The items that match a query are one long page, number 1.

    With `seen`, what the screen there showed, it is the screen after or before it (see `Seen`).
    """

    catalog_id: int
    page: int = 1
    offset: int = 0
    query: ItemQuery = ANYTHING
    sort: catalogs.ItemSort = catalogs.ItemSort.CATALOG
    seen: str = ""
    goes_back: bool = False

    @property
    def is_whole(self) -> bool:
        return self.query == ANYTHING and self.sort is catalogs.ItemSort.CATALOG

    def at(self, position: paging.Position[models.ItemPageKey]) -> "Address":
        """Return the start of another screen of the same list."""
        key, offset = position
        return replace(self, page=key.page, offset=offset, seen="", goes_back=False)


class Owned(Struct, frozen=True):
    """How many of a catalog's items a member owns, and how many there are."""

    count: int
    total: int


class CatalogScreen(Struct, frozen=True):
    """A screen of a catalog, or of the matches among the `items` that were read of it."""

    address: Address
    screen: paging.Screen[models.ItemPageKey, catalogs.CatalogItem]
    ending: catalogs.CatalogEnding = catalogs.CatalogEnding.COMPLETE
    items: abc.Sequence[models.Item] = ()
    # If that is known, and farther than the next screen.
    last: paging.Position[models.ItemPageKey] | None = None
    # If the whole catalog is known.
    owned: Owned | None = None
    is_end_known: bool = True


class Shop:
    """The shop as members see it, with what they bought here. Raises AccountError, GameError."""

    def __init__(
        self,
        client: game_client.GameClient,
        accounts: Accounts,
        writes: Writes,
        tasks: BackgroundTasks,
        now: abc.Callable[[], datetime],
    ) -> None:
        self._accounts = accounts
        self._writes = writes
        self._tasks = tasks
        self._now = now
        self.catalogs = catalogs.Catalogs(client, tasks)
        # Whether a member's catalog could be loaded when that was last tried.
        self._reached = TtlCache[tuple[int, int], bool](tasks, lifetime=catalogs.FRESH_SECONDS)
        # The timeouts that stop readings, by the names that their readers gave them.
        self.readings: dict[str, asyncio.Timeout] = {}

    async def item(
        self, member_id: int, ref: ItemRef, *, fresh: bool = False, is_use: bool = True
    ) -> catalogs.CatalogItem:
        """Return an item from its page, or from the page to which it moved. Raises ItemGone."""
        link = await self._accounts.require(member_id, to_look=True)
        async with self._accounts.using(link, is_use=is_use) as caller:
            entry = await self.catalogs.find_again(caller, ref, fresh=fresh)
        (entry,) = catalogs.with_bought([entry], await self._bought(link))
        return entry

    async def screen(
        self, member_id: int, address: Address, *, fresh: bool = False
    ) -> CatalogScreen:
        """Return a screen. A filtered one shows what `read` returned before."""
        seen = paging.Seen(address.seen, address.goes_back)
        link = await self._accounts.require(member_id, to_look=True)
        catalog_id = address.catalog_id
        at = paging.Position(
            models.ItemPageKey(member_id, catalog_id, address.page), address.offset
        )
        bought = await self._bought(link)
        async with self._accounts.using(link) as caller:
            if not address.is_whole:
                nothing = catalogs.Reading((), catalogs.CatalogEnding.FAILED)
                reading = self.catalogs.known_reading(caller, catalog_id) or nothing
                items = catalogs.with_bought(reading.items, bought)
                fitting = catalogs.picked(items, address.query, address.sort)
                page = models.Page(fitting, 1, len(fitting), has_next=False)
                size = SCREEN_SIZE
                if positions := seen.beyond(entry.item for entry in fitting):
                    positions = seen.nearest(positions, SCREEN_SIZE)
                    at = at._replace(offset=positions.start)
                    size = len(positions)
                screen = paging.screen_of(
                    page, at, lambda entry: entry, step=SCREEN_SIZE, size=size, total=len(fitting)
                )
                return CatalogScreen(
                    address.at(screen.at),
                    screen,
                    reading.ending,
                    [entry.item for entry in items],
                    _last(screen, len(fitting), 1),
                )
            page, at, size = await self.catalogs.pages(caller).locate(
                at, seen, SCREEN_SIZE, 0.0 if fresh else None
            )
        screen = paging.screen_of(
            page,
            at,
            lambda item: catalogs.CatalogItem(catalog_id, at.key.page, item),
            ends_here=at.key.page >= LAST_PAGE,
            step=SCREEN_SIZE,
            size=size,
        )
        whole = self.catalogs.known_whole(member_id, catalog_id)
        owned = whole and _owned(whole, bought)
        total = owned.total if owned and page.entries else None
        if page.entries and not page.has_next and not page.unreadable:
            # Even if a page before isn't known.
            total = (page.number - 1) * page.per_page + len(page.entries)
        screen = replace(screen, entries=catalogs.with_bought(screen.entries, bought), total=total)
        ending = (
            catalogs.CatalogEnding.UNREADABLE
            if page.unreadable
            else catalogs.CatalogEnding.COMPLETE
        )
        length = self.catalogs.length(catalog_id)
        return CatalogScreen(
            address.at(screen.at),
            screen,
            ending,
            last=_last(screen, len(page.entries), length),
            is_end_known=length is not None,
            owned=owned,
        )

    async def last(self, member_id: int, address: Address) -> Address:
        """Return the last screen of a whole catalog, at a screen or after it."""
        link = await self._accounts.require(member_id, to_look=True)
        async with self._accounts.using(link) as caller:
            key = models.ItemPageKey(member_id, address.catalog_id, address.page)
            last = await self.catalogs.pages(caller).last(key)
        return address.at(paging.Position(last, paging.LAST))

    def at_number(self, address: Address, number: int) -> Address:
        """Return the screen with a number, from 1 on, of a catalog or of a query's matches."""
        if not address.is_whole:
            return replace(address, page=1, offset=(number - 1) * SCREEN_SIZE)
        pages, screens = divmod(number - 1, self._screens_of_a_page(address))
        return replace(address, page=pages + 1, offset=screens * SCREEN_SIZE)

    def number_of(self, address: Address) -> int:
        """Return the number of a screen, see `at_number`."""
        before = (address.page - 1) * self._screens_of_a_page(address) if address.is_whole else 0
        return before + -(-address.offset // SCREEN_SIZE) + 1

    def _screens_of_a_page(self, address: Address) -> int:
        return -(-self.catalogs.page_size(address.catalog_id) // SCREEN_SIZE)

    async def read(
        self,
        member_id: int,
        catalog_id: int,
        mode: ReadMode = ReadMode.SHOW,
        *,
        report: catalogs.Report = catalogs.ignore_progress,
        stop: asyncio.Timeout | None = None,
    ) -> catalogs.Reading:
        """Return all items of a catalog. To SHOW them, a reading from minutes ago will do."""
        link = await self._accounts.require(member_id, to_look=True)
        async with self._accounts.using(link) as caller:
            kept = self.catalogs.known_reading(caller, catalog_id)
            if kept and (
                mode is ReadMode.SHOW or (mode is ReadMode.READ_ON and not kept.ending.is_early)
            ):
                return kept
            return await self.catalogs.read(
                caller, catalog_id, report=report, stop=stop, fresh=mode is ReadMode.REFRESH
            )

    async def find(
        self, member_id: int, text: str, catalog_ids: abc.Sequence[int]
    ) -> catalogs.CatalogItem:
        """Return the item of a number or a name in one of the catalogs.

        Raises UnknownItem, SeveralFit, ItemsNotLoaded, AccountError, GameError.
        """
        link = await self._accounts.require(member_id, to_look=True)
        if text.strip() == STAND_IN:
            raise feature_errors.ItemsNotLoaded
        found: catalogs.CatalogItem | None = None
        async with self._accounts.using(link) as caller:
            known = {
                entry.item.id: entry for entry in _called(self._known(member_id, catalog_ids), text)
            }
            if len(known) == 1:
                (entry,) = known.values()
                with suppress(feature_errors.ItemGone):
                    found = await self.catalogs.find_again(caller, entry.ref, fresh=False)
            if found is None:
                # Only whole catalogs show whether a part of a name is that of one item alone.
                found = await self._find_in(caller, text, catalog_ids)
        (found,) = catalogs.with_bought([found], await self._bought(link))
        return found

    async def _find_in(
        self, caller: game_client.Caller, text: str, catalog_ids: abc.Sequence[int]
    ) -> catalogs.CatalogItem:
        items: list[catalogs.CatalogItem] = []
        failure: Exception | None = None
        for catalog_id in catalog_ids:
            try:
                reading = await self.catalogs.read(caller, catalog_id)
            except (game_errors.GameError, KioskError) as error:
                if len(catalog_ids) == 1 or isinstance(error, game_errors.Unauthorized):
                    raise
                failure = error
                continue
            if reading.ending.is_early:
                failure = game_errors.Unavailable(reading.ending)
            elif reading.ending is not catalogs.CatalogEnding.COMPLETE:
                failure = game_errors.MalformedResponse(reading.ending)
            items += reading.items
            if matching.read_id(text) is not None and _called(items, text):
                break
        return await asyncio.to_thread(_resolve_item, items, text, failure)

    async def suggest(
        self, member_id: int, typed: str, catalog_ids: abc.Sequence[int]
    ) -> tuple[abc.Sequence[catalogs.CatalogItem], SuggestionState]:
        """Return items that fit what is typed, the best first, and the state of their catalogs.

        Kiosk waits a moment for catalogs that aren't loaded. They keep loading for the next time.
        """
        link = await self._accounts.require(member_id, to_look=True)
        bought = await self._bought(link)
        async with self._accounts.using(link) as caller:
            readings = {
                number: self.catalogs.known_reading(caller, number) for number in catalog_ids
            }
        missing = [
            (member_id, catalog_id)
            for catalog_id, reading in readings.items()
            if reading is None or reading.ending.is_early
        ]
        loads = [
            self._tasks.start(self._reached.get(key, self._load, max_age=0.0))
            for key in missing[:_MAX_CATALOGS]
        ]
        if loads:
            await self._tasks.wait_up_to(_SUGGESTING_SECONDS, *loads)
        lists = (
            SuggestionState.HERE if all(load.done() for load in loads) else SuggestionState.COMING
        )
        if any(self._reached.known((member_id, number)) is False for number in catalog_ids):
            lists = SuggestionState.UNREACHABLE
        items = catalogs.with_bought(self._known(member_id, catalog_ids), bought)
        # Of thousands, while others are answered.
        return await asyncio.to_thread(_fitting, items, typed), lists

    async def _load(self, key: tuple[int, int]) -> bool:
        member_id, catalog_id = key
        try:
            reading = await self.read(member_id, catalog_id, ReadMode.READ_ON)
        except (game_errors.GameError, KioskError) as error:
            log.info("Can't load catalog %s for suggestions: %s", catalog_id, error)
            return False
        return not reading.ending.is_early

    def _known(self, member_id: int, catalog_ids: abc.Sequence[int]) -> list[catalogs.CatalogItem]:
        return [
            entry
            for catalog_id in catalog_ids
            for entry in self.catalogs.at_hand(member_id, catalog_id).items
        ]

    async def _bought(self, link: Link) -> frozenset[int]:
        return await self._writes.bought(link.token_key, self._now() - COUNTS_FOR)


def _owned(reading: catalogs.Reading, bought: abc.Set[int]) -> Owned | None:
    if reading.ending is not catalogs.CatalogEnding.COMPLETE:
        return None
    items = catalogs.with_bought(reading.items, bought)
    return Owned(sum(entry.item.has_purchased for entry in items), len(items))


def _last(
    screen: paging.Screen[models.ItemPageKey, catalogs.CatalogItem], count: int, length: int | None
) -> paging.Position[models.ItemPageKey] | None:
    """Return the last screen of a list, unless a screen beside this one leads there.

    This screen's page has `count` entries, the list has `length` pages.
    """
    if length is None:
        return None
    key, offset = screen.at
    is_after_next = length > key.page or offset + 2 * SCREEN_SIZE < count
    is_far = screen.next is not None and is_after_next
    return paging.Position(key._replace(page=length), paging.LAST) if is_far else None


def _resolve_item(
    items: abc.Sequence[catalogs.CatalogItem], text: str, failure: Exception | None
) -> catalogs.CatalogItem:
    """Return the one item that is meant. A part of its name only counts without a failure."""
    if failure and not _called(items, text):
        raise failure
    return matching.resolve(
        text,
        items,
        name_of=_name_of,
        number_of=_number_of,
        unknown=feature_errors.UnknownItem,
        takes_part=matching.read_id(text) is None,
        offers_all=False,
    )


def _called(items: abc.Sequence[catalogs.CatalogItem], text: str) -> list[catalogs.CatalogItem]:
    is_number = matching.read_id(text) is not None
    called = matching.find(text, items, name_of=_name_of, number_of=_number_of, takes_part=False)
    return [entry for entry in called if not is_number or entry.item.id == matching.read_id(text)]


def _fitting(items: abc.Sequence[catalogs.CatalogItem], typed: str) -> list[catalogs.CatalogItem]:
    number = matching.read_id(typed)
    numbered = [entry for entry in items if entry.item.id == number]
    fitting = [*numbered, *matching.holding(typed, items, _name_of)]
    return list({entry.item.id: entry for entry in fitting}.values())


def _name_of(entry: catalogs.CatalogItem) -> str:
    return entry.item.name


def _number_of(entry: catalogs.CatalogItem) -> int:
    return entry.item.id
