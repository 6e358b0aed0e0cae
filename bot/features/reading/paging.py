"""Walking through the pages of a list of the game's in screens of a few entries."""

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
# Pages read within so many seconds are taken to show the list at one moment.
_ONE_MOMENT_SECONDS = 1.0
# A longer list is taken to be one that never ends.
_MOST_PAGES = 2**14
# As `max_age`: whatever is kept.
_AT_HAND = float("inf")


class _Entry(typing.Protocol):
    @property
    def id(self) -> int: ...


T = typing.TypeVar("T")
S = typing.TypeVar("S")
E = typing.TypeVar("E", bound=_Entry)


class Position(typing.NamedTuple):
    """The start of a screen: at `offset` of a page, or LAST; pages count from 1."""

    page: int
    offset: int = 0


class Seen(typing.NamedTuple):
    """The ids of what a screen showed, with dots between, the nearest to the next one first."""

    ids: str = ""
    goes_back: bool = False

    def beyond(self, entries: abc.Iterable[_Entry]) -> range | None:
        """Return the positions beyond what was seen, None where a list holds nothing of it."""
        listed = [str(entry.id) for entry in entries]
        for seen in self.ids.split("."):
            if seen in listed:
                if self.goes_back:
                    return range(listed.index(seen))
                return range(len(listed) - listed[::-1].index(seen), len(listed))
        return None

    def nearest(self, positions: range, size: int) -> range:
        """Return those of the positions beyond what was seen that are next to it."""
        return positions[-size:] if self.goes_back else positions[:size]


NOTHING_SEEN = Seen()


class PageSlice(typing.NamedTuple, typing.Generic[E]):
    """Where a list goes on: the positions of a page."""

    number: int
    page: models.Page[E]
    positions: range


class Pages(Struct, typing.Generic[E], frozen=True):
    """The pages of a list of the game's, by their numbers, as its reader may see them.

    `read` returns one that is younger than so many seconds; `read_at` says when it was asked for.
    """

    read: abc.Callable[[int, float | None], abc.Awaitable[models.Page[E]]]
    read_at: abc.Callable[[int], float]

    async def screen(
        self, at: Position, seen: Seen, size: int, max_age: float | None
    ) -> tuple[models.Page[E], Position, int]:
        """Return a page, where on it a screen starts, and of how many entries it is.

        With `seen`, which the screen at the position showed, it is the one before or after that.
        """
        number, offset = at
        page = await self.read(number, max_age)
        positions = seen.beyond(page.entries)
        if seen.ids and not positions and (turned := await self._go_on(number, seen)):
            number, page, positions = turned
        if positions:
            is_at_end = positions.stop == len(page.entries)
            if seen.goes_back and number != at.page and is_at_end:
                return page, Position(number, LAST), size
            positions = seen.nearest(positions, size)
            return page, Position(number, positions.start), len(positions)
        if page.has_next and offset >= page.per_page:
            # Counted from the first page on, before anybody knew how long one is.
            pages, offset = divmod(offset, page.per_page)
            number += pages
            page = await self.read(number, max_age)
        if number > 1 and is_beyond(page):
            offset = LAST
            # Most often it lies just before, since the game may only guess whether a page is next.
            number -= 1
            page = await self.read(number, _AT_HAND)
            if number > 1 and is_beyond(page):
                number = await self.last()
                page = await self.read(number, _AT_HAND)
            page = dataclasses.replace(page, has_next=False)
        return page, Position(number, offset), size

    async def last(self, number: int = 1) -> int:
        """Return the number of the last page, at this one or after it.

        The game doesn't say how many there are: those beyond the last one are empty. So pages twice
        as far are asked for until one is, and then the middle of what is left.
        """
        last = number
        beyond = None
        while beyond != last + 1 and last < _MOST_PAGES:
            number = last * 2 if beyond is None else (last + beyond) // 2
            page = await self.read(number, _AT_HAND)
            if is_beyond(page):
                beyond = number
                continue
            last = number
            if not page.has_next:
                break
        return last

    async def _go_on(self, number: int, seen: Seen) -> PageSlice[E] | None:
        """Go on from a page that holds nothing beyond what was seen, or nothing of it.

        Entries move while pages are read one after the other. Where the next page holds nothing
        that was seen, the one before is read once more, since something may have moved up to it.
        Where what was seen can't be found, the screen stays as it is by now; so it does for None.
        """
        step = -1 if seen.goes_back else 1
        following = number + step
        if following < 1:
            # What is new may have moved it to the page after.
            after = number - step
            is_older = self.read_at(after) < self.read_at(number)
            moved = await self.read(after, cache.ANEW if is_older else _ONE_MOMENT_SECONDS)
            return await self._beyond(after, moved, seen)
        is_next_older = self.read_at(following) + _ONE_MOMENT_SECONDS < self.read_at(number)
        max_age = _ONE_MOMENT_SECONDS if is_next_older else _AT_HAND
        ahead = await self.read(following, max_age)
        if turned := await self._beyond(following, ahead, seen):
            return turned
        # Nothing of it is there.
        is_this_older = self.read_at(number) <= self.read_at(following)
        with suppress(ExplainedError):
            again = await self.read(number, cache.ANEW if is_this_older else _AT_HAND)
            positions = seen.beyond(again.entries)
            if positions:
                return PageSlice(number, again, positions)
            moment = 0.0 if positions is None else _ONE_MOMENT_SECONDS
            if self.read_at(following) + moment < self.read_at(number):
                # It may have moved there since, or what is beside it from there.
                ahead = await self.read(following, cache.ANEW)
                if turned := await self._beyond(following, ahead, seen):
                    return turned
            if positions is None:
                found = await self._look_at(following + step, seen)
                found = found or await self._look_at(number - step, seen)
                return found or PageSlice(number, again, range(0))
        # What was seen still ends its page, or that can't be asked.
        return PageSlice(following, ahead, range(len(ahead.entries)))

    async def _beyond(self, number: int, page: models.Page[E], seen: Seen) -> PageSlice[E] | None:
        """Return where a list goes on if something that was seen is on this page."""
        positions = seen.beyond(page.entries)
        if positions:
            return PageSlice(number, page, positions)
        if positions is None:
            return None
        # It is at the end of the page.
        return await self._look_at(number - 1 if seen.goes_back else number + 1, seen, goes_on=True)

    async def _look_at(
        self, number: int, seen: Seen, *, goes_on: bool = False
    ) -> PageSlice[E] | None:
        """Look for what moved by more than a page; what `goes_on` follows what was seen."""
        if number < 1:
            return None
        page = await self.read(number, _ONE_MOMENT_SECONDS)
        positions = seen.beyond(page.entries)
        if positions is None and goes_on:
            return PageSlice(number, page, range(len(page.entries)))
        return PageSlice(number, page, positions) if positions else None


def is_beyond(page: models.Page[typing.Any]) -> bool:
    return not (page.entries or page.hidden or page.unreadable)


class Screen(Struct, typing.Generic[S], frozen=True):
    """A few entries of a list, and where the screens before and after it start.

    `first` is the number of the first entry in the whole list, which has `total`, if that is known.
    `unreadable` counts entries of its page that can't be read. `left_out` counts those that the
    server hides, on pages of nothing else.
    """

    at: Position
    entries: abc.Sequence[S]
    previous: Position | None = None
    next: Position | None = None
    first: int = 1
    total: int | None = None
    unreadable: int = 0
    left_out: int = 0


def screen_of(
    page: models.Page[T],
    at: Position,
    entry_of: abc.Callable[[T], S],
    *,
    ends_here: bool = False,
    step: int = SCREEN_SIZE,
    size: int | None = None,
    total: int | None = None,
) -> Screen[S]:
    """Cut a screen from its page; `ends_here` says that the next page is known to be empty.

    Screens are `step` entries apart; this one has `size`, if that is less. An offset beyond the
    page's end leads to its last screen.
    """
    size = step if size is None else size
    count = len(page.entries)
    last = max(count - 1, 0) // step * step
    offset = at.offset if 0 <= at.offset < count else last
    before = after = None
    if offset > 0:
        before = Position(at.page, max(0, offset - step))
    elif at.page > 1:
        before = Position(at.page - 1, LAST)
    if offset + size < count:
        after = Position(at.page, offset + size)
    elif (count or page.hidden) and page.has_next and not ends_here:
        after = Position(at.page + 1)
    return Screen(
        Position(at.page, offset),
        tuple(map(entry_of, page.entries[offset : offset + size])),
        before,
        after,
        first=(at.page - 1) * page.per_page + offset + 1,
        total=total,
        unreadable=page.unreadable,
    )
