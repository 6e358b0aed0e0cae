"""Walking through the pages of a list of the game's in screens of five."""

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from bot.errors import KioskError
from bot.game.errors import GameError
from bot.game.models import Comment, Page

T = TypeVar("T")
S = TypeVar("S")

SCREEN_SIZE = 5
# As an offset: the last screen of a page, however long the page is.
LAST = -1
# What was read within so many seconds is taken to show the list at one moment.
_ONE_MOMENT = 1.0
# As an age in seconds: younger is only what is on its way.
ANEW = 1e-6


class Position(NamedTuple):
    """The start of a screen: at `offset` of a page, or LAST; pages count from 1."""

    page: int
    offset: int = 0


class Seen(NamedTuple):
    """What a screen showed: ids with dots between, the nearest to where one goes on first."""

    ids: str = ""
    goes_back: bool = False

    def beyond(self, entries: Iterable[Comment]) -> range | None:
        """Return the places of a list beyond what was seen, None where it holds nothing of it."""
        listed = [str(entry.id) for entry in entries]
        for seen in self.ids.split("."):
            if seen in listed:
                if self.goes_back:
                    return range(listed.index(seen))
                return range(len(listed) - listed[::-1].index(seen), len(listed))
        return None


class Turned(NamedTuple):
    """Where a thread goes on: the places of a page."""

    number: int
    page: Page[Comment]
    places: range


class Pages(Struct, frozen=True):
    # Returns a page that is younger than so many seconds.
    read: Callable[[int, float], Awaitable[Page[Comment]]]
    # Returns when the page at hand was read, in seconds.
    read_at: Callable[[int], float]

    async def go_on(self, number: int, seen: Seen) -> Turned | None:
        """Go on from the page of a number, which holds nothing beyond what was seen on it.

        Entries move while pages are read one after the other. Where the next page holds nothing
        that was seen, the one before is read once more, since something may have moved up to it.
        None says that what was seen can't be found, or that nothing can come.
        """
        step = -1 if seen.goes_back else 1
        following = number + step
        if following < 1:
            return None
        is_older = self.read_at(following) + _ONE_MOMENT < self.read_at(number)
        ahead = await self.read(following, _ONE_MOMENT if is_older else math.inf)
        places = seen.beyond(ahead.entries)
        if places:
            return Turned(following, ahead, places)
        if places is not None:
            return await self._look_at(following + step, seen, goes_on=True)
        is_older = self.read_at(number) <= self.read_at(following)
        with suppress(GameError, KioskError):
            again = await self.read(number, ANEW if is_older else math.inf)
            places = seen.beyond(again.entries)
            if places:
                return Turned(number, again, places)
            if places is None:
                return await self._look_at(following + step, seen) or await self._look_at(
                    number - step, seen
                )
        return Turned(following, ahead, range(len(ahead.entries)))

    async def _look_at(self, number: int, seen: Seen, *, goes_on: bool = False) -> Turned | None:
        """Look for what moved by more than a page; what `goes_on` follows what was seen."""
        if number < 1:
            return None
        page = await self.read(number, _ONE_MOMENT)
        places = seen.beyond(page.entries)
        if places is None and goes_on:
            return Turned(number, page, range(len(page.entries)))
        return Turned(number, page, places) if places else None


class Screen(Struct, Generic[S], frozen=True):
    """Up to five entries of a list, and where the screens before and after it start.

    `first` is the number of the first entry in the whole list, which has `total`, if that is known.
    Of its page, so many entries were `unreadable`, and so many are `hidden` in the server.
    """

    at: Position
    entries: Sequence[S]
    previous: Position | None = None
    next: Position | None = None
    first: int = 1
    total: int | None = None
    unreadable: int = 0
    hidden: int = 0


def screen_of(
    page: Page[T],
    at: Position,
    entry_of: Callable[[T], S],
    *,
    ends_here: bool = False,
    size: int = SCREEN_SIZE,
) -> Screen[S]:
    """Cut a screen from its page; `ends_here` says that the next page is known to be empty.

    An offset beyond the page's end leads to its last screen.
    """
    count = len(page.entries)
    last = max(count - 1, 0) // SCREEN_SIZE * SCREEN_SIZE
    offset = at.offset if 0 <= at.offset < count else last
    before = after = None
    if offset > 0:
        before = Position(at.page, max(0, offset - SCREEN_SIZE))
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
        unreadable=page.unreadable,
        hidden=page.hidden,
    )
