"""Walk through the pages of one of the game's lists, in screens of a few entries."""

import dataclasses
import typing
from collections import abc
from contextlib import suppress

from msgspec import Struct

from bot import cache
from bot.errors import ExplainedError
from bot.game import models

SCREEN_SIZE = 5
# As an offset: the last screen of a page, however long the page is.
LAST = -1
# Pages read within these seconds count as showing the list at one moment.
_ONE_MOMENT_SECONDS = 1.0
# A longer list counts as endless.
_MAX_PAGES = 2**14
# As `max_age`: whatever is kept.
_AT_HAND = float("inf")


class _Entry(typing.Protocol):
    @property
    def id(self) -> int: ...


T = typing.TypeVar("T")
S = typing.TypeVar("S")
E = typing.TypeVar("E", bound=_Entry)
# The address of a page.
K = typing.TypeVar("K", models.PageKey, models.ItemPageKey)


class Position(typing.NamedTuple, typing.Generic[K]):
    """The address of a screen: that of its page, and its start there, or LAST."""

    key: K
    offset: int = 0


class Seen(typing.NamedTuple):
    """The ids of what a screen showed, with dots between, the nearest to the next one first."""

    ids: str = ""
    goes_back: bool = False

    def beyond(self, entries: abc.Iterable[_Entry]) -> range | None:
        """Return the indexes of what follows, or None if the list has nothing that was seen."""
        listed = [str(entry.id) for entry in entries]
        for seen in self.ids.split("."):
            if seen in listed:
                if self.goes_back:
                    return range(listed.index(seen))
                return range(len(listed) - listed[::-1].index(seen), len(listed))
        return None

    def nearest(self, indexes: range, size: int) -> range:
        """Return the indexes that are nearest to what was seen."""
        return indexes[-size:] if self.goes_back else indexes[:size]


NOTHING_SEEN = Seen()


class PageSlice(typing.NamedTuple, typing.Generic[K, E]):
    """The part of a page with which a list continues: the indexes of its entries."""

    key: K
    page: models.Page[E]
    indexes: range


class Pages(Struct, typing.Generic[K, E], frozen=True):
    """The pages of one of the game's lists, as its reader may see them.

    `read` returns a page that is at most some seconds old. `read_at` says when it was asked for.

    While someone reads, entries come and go, and others move from page to page. So a button has the
    ids that its screen showed, and Next starts after them, wherever they are now. For example, a
    thread has the comments 5, 4, 3 | 2, 1 on two pages. A member has seen page 1 and presses Next:

    - Nothing has changed. Page 2 has none of 5, 4, 3, so Next shows all of it: 2, 1.
    - Comment 6 has arrived: 6, 5, 4 | 3, 2, 1. Page 2 has 3, so Next shows what follows 3: 2, 1.
    - Comment 4 was deleted: 5, 3, 2 | 1. Page 2 has none of 5, 4, 3, so page 1 is read again. Next
      shows what follows 3 there: 2.

    Of two pages, one may be older than the other. Then the older one is read again first.
    """

    read: abc.Callable[[K, float | None], abc.Awaitable[models.Page[E]]]
    read_at: abc.Callable[[K], float]

    async def locate(
        self, at: Position[K], seen: Seen, size: int, max_age: float | None
    ) -> tuple[models.Page[E], Position[K], int]:
        """Return a page, a screen's start on it, and the screen's number of entries.

        With `seen`, what the screen at `at` showed, it is the screen before or after that one.
        """
        key, offset = at
        page = await self.read(key, max_age)
        indexes = seen.beyond(page.entries)
        if seen.ids and not indexes and (turned := await self._turn(key, seen)):
            key, page, indexes = turned
        if indexes:
            is_at_end = indexes.stop == len(page.entries)
            if seen.goes_back and key != at.key and is_at_end:
                return page, Position(key, LAST), size
            indexes = seen.nearest(indexes, size)
            return page, Position(key, indexes.start), len(indexes)
        if page.has_next and offset >= page.per_page:
            # Counted from the first page on, before the length of a page was known.
            pages, offset = divmod(offset, page.per_page)
            key = key._replace(page=key.page + pages)
            page = await self.read(key, max_age)
        if key.page > 1 and is_past_end(page):
            offset = LAST
            # Most often it lies just before, since the game may only guess whether a page is next.
            key = key._replace(page=key.page - 1)
            page = await self.read(key, _AT_HAND)
            if key.page > 1 and is_past_end(page):
                key = await self.last(key._replace(page=1))
                page = await self.read(key, _AT_HAND)
            page = dataclasses.replace(page, has_next=False)
        return page, Position(key, offset), size

    async def last(self, key: K) -> K:
        """Return the last page, at this one or after it.

        The game doesn't say how many there are: those beyond the last one are empty. So pages twice
        as far are asked for until one is, and then the middle of what is left.
        """
        last = key.page
        past_end = None
        while past_end != last + 1 and last < _MAX_PAGES:
            number = last * 2 if past_end is None else (last + past_end) // 2
            page = await self.read(key._replace(page=number), _AT_HAND)
            if is_past_end(page):
                past_end = number
                continue
            last = number
            if not page.has_next:
                break
        return key._replace(page=last)

    async def _turn(self, key: K, seen: Seen) -> PageSlice[K, E] | None:
        """Continue from a page that has nothing beyond what was seen, or nothing of it.

        None, or no indexes, leaves the screen as it is.
        """
        step = -1 if seen.goes_back else 1
        following = key._replace(page=key.page + step)
        if following.page < 1:
            # What is new may have moved it to the second page.
            second = key._replace(page=key.page + 1)
            is_older = self.read_at(second) < self.read_at(key)
            page = await self.read(second, cache.ANEW if is_older else _ONE_MOMENT_SECONDS)
            return await self._go_on_from(second, page, seen)
        is_older = self.read_at(following) + _ONE_MOMENT_SECONDS < self.read_at(key)
        ahead = await self.read(following, _ONE_MOMENT_SECONDS if is_older else _AT_HAND)
        if turned := await self._go_on_from(following, ahead, seen):
            return turned
        # If nothing that was seen has moved there, something else may have moved from there.
        with suppress(ExplainedError):
            is_older = self.read_at(key) <= self.read_at(following)
            page = await self.read(key, cache.ANEW if is_older else _AT_HAND)
            indexes = seen.beyond(page.entries)
            if indexes:
                return PageSlice(key, page, indexes)
            is_lost = indexes is None
            moment = 0.0 if is_lost else _ONE_MOMENT_SECONDS
            if self.read_at(following) + moment < self.read_at(key):
                # What was seen may have moved there since.
                ahead = await self.read(following, cache.ANEW)
                if turned := await self._go_on_from(following, ahead, seen):
                    return turned
            if is_lost:
                farther = (following.page + step, key.page - step)
                return await self._find(key, farther, seen) or PageSlice(key, page, range(0))
        # What was seen still ends its page, or that can't be asked.
        return PageSlice(following, ahead, range(len(ahead.entries)))

    async def _go_on_from(self, key: K, page: models.Page[E], seen: Seen) -> PageSlice[K, E] | None:
        """Return how a list continues, if something that was seen is on this page."""
        indexes = seen.beyond(page.entries)
        if indexes:
            return PageSlice(key, page, indexes)
        if indexes is None:
            return None
        # It is at the end of the page, so the list continues with the next one.
        key = key._replace(page=key.page - 1 if seen.goes_back else key.page + 1)
        if key.page < 1:
            return None
        page = await self.read(key, _ONE_MOMENT_SECONDS)
        indexes = seen.beyond(page.entries)
        if indexes is None:
            return PageSlice(key, page, range(len(page.entries)))
        return PageSlice(key, page, indexes) if indexes else None

    async def _find(self, key: K, numbers: abc.Iterable[int], seen: Seen) -> PageSlice[K, E] | None:
        """Find seen entries that have moved by more than a page, on one of these pages."""
        for number in numbers:
            if number > 0:
                key = key._replace(page=number)
                page = await self.read(key, _ONE_MOMENT_SECONDS)
                if indexes := seen.beyond(page.entries):
                    return PageSlice(key, page, indexes)
        return None


def is_past_end(page: models.Page[typing.Any]) -> bool:
    return not (page.entries or page.hidden or page.unreadable)


class Screen(Struct, typing.Generic[K, S], frozen=True):
    """A few entries of a list, and the starts of the screens before and after them.

    `first` is the number of the first entry in the whole list, which has `total`, if that is known.
    `unreadable` counts entries of its page that can't be read. `left_out` counts those that the
    server hides, on pages of nothing else.
    """

    at: Position[K]
    entries: abc.Sequence[S]
    previous: Position[K] | None = None
    next: Position[K] | None = None
    first: int = 1
    total: int | None = None
    unreadable: int = 0
    left_out: int = 0


def screen_of(
    page: models.Page[T],
    at: Position[K],
    entry_of: abc.Callable[[T], S],
    *,
    ends_here: bool = False,
    step: int = SCREEN_SIZE,
    size: int | None = None,
    total: int | None = None,
) -> Screen[K, S]:
    """Cut a screen from its page.

    `ends_here` says that the next page is known to be empty. Screens are `step` entries apart. This
    one has `size` entries, if that is less. An offset beyond the page's end leads to its last
    screen.
    """
    size = step if size is None else size
    count = len(page.entries)
    last = max(count - 1, 0) // step * step
    key, offset = at
    if not 0 <= offset < count:
        offset = last
    before = after = None
    if offset > 0:
        before = Position(key, max(0, offset - step))
    elif key.page > 1:
        before = Position(key._replace(page=key.page - 1), LAST)
    if offset + size < count:
        after = Position(key, offset + size)
    elif (count or page.hidden) and page.has_next and not ends_here:
        after = Position(key._replace(page=key.page + 1))
    return Screen(
        Position(key, offset),
        tuple(map(entry_of, page.entries[offset : offset + size])),
        before,
        after,
        first=(key.page - 1) * page.per_page + offset + 1,
        total=total,
        unreadable=page.unreadable,
    )
