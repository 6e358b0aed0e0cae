"""Walking through the pages of a list of the game's in screens of five."""

from typing import NamedTuple

SCREEN_SIZE = 5
# As an offset: the last screen of a page, however long the page is.
LAST = -1


class Position(NamedTuple):
    """The start of a screen: at `offset` of a page, or LAST; pages count from 1."""

    page: int
    offset: int = 0


def steps(
    at: Position, count: int, *, has_next: bool = False
) -> tuple[int, Position | None, Position | None]:
    """Return the offset of a screen, and where the screens before and after it start.

    Its page has `count` entries; an offset beyond the page's end leads to its last screen.
    """
    last = max(count - 1, 0) // SCREEN_SIZE * SCREEN_SIZE
    offset = last if at.offset < 0 else min(at.offset, last)
    before = after = None
    if offset > 0:
        before = Position(at.page, max(0, offset - SCREEN_SIZE))
    elif at.page > 1:
        before = Position(at.page - 1, LAST)
    if offset + SCREEN_SIZE < count:
        after = Position(at.page, offset + SCREEN_SIZE)
    elif count and has_next:
        after = Position(at.page + 1)
    return offset, before, after
