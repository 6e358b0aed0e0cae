"""Walking through the pages of a list of the game's in screens of five."""

from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

SCREEN_SIZE = 5
# As an offset: the last screen of a page, however long the page is.
LAST = -1


class Position(NamedTuple):
    """Where a screen starts: at `offset` of a page, or LAST; pages count from 1."""

    page: int
    offset: int = 0


class Cut(NamedTuple, Generic[T]):
    """Up to five entries of a page, and where the screens around them start."""

    entries: tuple[T, ...]
    position: Position
    previous: Position | None
    next: Position | None
    # Whether this is the last or last but one screen of its page.
    is_near_page_end: bool


def cut_screen(entries: tuple[T, ...], at: Position, *, has_next: bool = False) -> Cut[T]:
    """Return a screen of a page; an offset beyond the page's end leads to its last screen."""
    page, count = at.page, len(entries)
    last = max(count - 1, 0) // SCREEN_SIZE * SCREEN_SIZE
    offset = last if at.offset < 0 else min(at.offset, last)
    previous = following = None
    if offset > 0:
        previous = Position(page, max(0, offset - SCREEN_SIZE))
    elif page > 1:
        previous = Position(page - 1, LAST)
    if offset + SCREEN_SIZE < count:
        following = Position(page, offset + SCREEN_SIZE)
    elif count and has_next:
        following = Position(page + 1)
    return Cut(
        entries[offset : offset + SCREEN_SIZE],
        Position(page, offset),
        previous,
        following,
        is_near_page_end=offset + 2 * SCREEN_SIZE >= count,
    )
