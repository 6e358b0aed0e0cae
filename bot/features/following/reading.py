"""Reading a catalog or a thread, while it moves and the game fails."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from msgspec import Struct, field

from bot.features.following.rules import Reading
from bot.game.errors import GameError, MalformedResponse, RateLimited, Unauthorized, Unavailable
from bot.game.models import Comment, Item, Page
from storage.following import SeenComment

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]

# What fails at once may work a moment later: so often, and after so many seconds, each page.
_ATTEMPTS = 4
_PAUSE = 0.5
_LONGEST_PAUSE = 15.0
# A catalog that goes on for longer is taken to be one that never ends.
_MOST_PAGES = 2_000
_MOST_ITEMS = 20_000
# Pages of nothing new are how a game that ignores the number goes on; one alone may be items that
# were pushed on by others.
_MOST_REPETITIONS = 2
# Of one look at a thread: the first pages for as long as they hold what is new, then some of the
# further ones in turn, for replies and changes among older comments.
_MOST_FIRST_PAGES, _FURTHER_PAGES = 20, 4


class Endless(MalformedResponse):
    """The catalog goes on and on."""


class _Catalog(Struct):
    """What several passes have seen of a catalog, each item as it was last."""

    fetch: Callable[[int], Awaitable[Page[Item]]]
    sleep: Sleep
    items: dict[int, Item] = field(default_factory=dict[int, Item])
    unreadable_ids: set[int] = field(default_factory=set[int])
    has_nameless: bool = False
    pages: int = 0
    per_page: int = 1

    async def read_all(self) -> None:
        """Read every page, from the first to the one that ends it."""
        number = repetitions = 0
        ids: set[int] = set()
        has_next = True
        while has_next and repetitions < _MOST_REPETITIONS:
            if number == _MOST_PAGES or len(ids) > _MOST_ITEMS:
                raise Endless
            number += 1
            page = await self.read(number)
            new = {item.id for item in page.entries} - ids
            ids |= new
            repetitions = 0 if new else repetitions + 1
            has_next = page.has_next
            self.pages = max(self.pages, number)

    async def read(self, number: int) -> Page[Item]:
        """Read one page."""
        page = await self._patient(number)
        self.per_page = max(self.per_page, page.per_page)
        self.items.update((item.id, item) for item in page.entries)
        self.unreadable_ids.update(page.unreadable_ids)
        self.has_nameless |= page.unreadable > len(page.unreadable_ids)
        return page

    async def _patient(self, number: int) -> Page[Item]:
        for attempt in range(_ATTEMPTS - 1):
            try:
                return await self.fetch(number)
            except (Unavailable, MalformedResponse, RateLimited) as error:
                pause = error.retry_after or _PAUSE * 2**attempt
                if pause > _LONGEST_PAUSE:
                    raise
                await self.sleep(pause)
        return await self.fetch(number)


async def read_catalog(
    fetch: Callable[[int], Awaitable[Page[Item]]],
    *,
    is_first: bool = False,
    sleep: Sleep = asyncio.sleep,
) -> Reading:
    """Read all pages of a catalog, the first of them numbered 1.

    Where nothing is known yet, they are read again, the last one first: what moves out of the way
    of one pass meets the other, and is not taken for new later. Raises GameError where not even one
    page could be read, Unauthorized always.
    """
    seen, failure = _Catalog(fetch, sleep), None
    try:
        await seen.read_all()
        if is_first:
            for number in range(seen.pages, 0, -1):
                await seen.read(number)
    except GameError as error:
        if not seen.pages or isinstance(error, Unauthorized):
            raise
        log.info("a catalog was read up to page %s only: %s", seen.pages, error)
        failure = error.key
    return Reading(
        tuple(seen.items.values()),
        failure is None and not seen.has_nameless,
        frozenset(seen.unreadable_ids - seen.items.keys()),
        failure,
        seen.per_page,
    )


async def read_thread(
    fetch: Callable[[int], Awaitable[Page[Comment]]],
    known: Mapping[int, SeenComment],
    since: datetime | None,
    looked_up_to: int,
) -> tuple[list[Page[Comment]], int]:
    """Return the pages of one look, and the number of the last one, 0 at the thread's end.

    Where nothing is known yet, the first page is all.
    """
    pages = [await fetch(1)]
    if since is None:
        return pages, 0
    while pages[-1].has_next and len(pages) < _MOST_FIRST_PAGES:
        if all(each.created_at <= since or each.id in known for each in pages[-1].entries):
            break
        pages.append(await fetch(len(pages) + 1))
    last = max(looked_up_to, len(pages))
    for _ in range(_FURTHER_PAGES):
        if not pages[-1].has_next:
            return pages, 0
        last += 1
        pages.append(await fetch(last))
    return pages, last
