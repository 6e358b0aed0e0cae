"""Walking through the pages of a list of the game's in screens of a few entries."""

import typing
from collections import abc

from msgspec import Struct

from bot.game import models

T = typing.TypeVar("T")
S = typing.TypeVar("S")

SCREEN_SIZE = 5
# As an offset: the last screen of a page, however long the page is.
LAST = -1


class Position(typing.NamedTuple):
    """The start of a screen: at `offset` of a page, or LAST; pages count from 1."""

    page: int
    offset: int = 0


class Seen(typing.NamedTuple):
    """The ids of what a screen showed, with dots between, the nearest to the next one first."""

    ids: str = ""
    goes_back: bool = False

    def beyond(self, entries: abc.Iterable[models.Comment]) -> range | None:
        """Return the positions beyond what was seen, None where a list holds nothing of it."""
        listed = [str(entry.id) for entry in entries]
        for seen in self.ids.split("."):
            if seen in listed:
                if self.goes_back:
                    return range(listed.index(seen))
                return range(len(listed) - listed[::-1].index(seen), len(listed))
        return None


NOTHING_SEEN = Seen()


class Screen(Struct, typing.Generic[S], frozen=True):
    """A few entries of a list, and where the screens before and after it start.

    `first` is the number of the first entry in the whole list, which has `total`, if that is known.
    Of its page, so many entries were `unreadable`, and so many are `hidden` in the server.
    """

    at: Position
    entries: abc.Sequence[S]
    previous: Position | None = None
    next: Position | None = None
    first: int = 1
    total: int | None = None
    unreadable: int = 0
    hidden: int = 0


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
        hidden=page.hidden,
    )
