"""Where a screen of a thread is, and how pages of the game are walked in screens of five."""

from dataclasses import dataclass, replace

from bot.game.models import Comment, Page, PageKey

SCREEN_SIZE = 5
# As an offset: the last screen of a page, however long the page is.
LAST = -1


@dataclass(frozen=True)
class Address:
    """The screen that starts at `offset` of a page, or LAST for the page's last one."""

    key: PageKey
    offset: int = 0

    def on_page(self, page: int, offset: int = 0) -> "Address":
        """Return the address of a screen on another page."""
        return Address(replace(self.key, page=page), offset)


@dataclass(frozen=True)
class Screen:
    """Up to five comments, and where to go from here.

    `first` is the position of the first of them in the thread, counted from 1.
    """

    address: Address
    comments: tuple[Comment, ...]
    first: int
    previous: Address | None
    next: Address | None
    # Whether this is the last or last but one screen of its page.
    is_near_page_end: bool


def screen_of(page: Page[Comment], address: Address, *, ends_here: bool = False) -> Screen:
    """Cut a screen from its page; an offset beyond the page's end gives its last screen.

    `ends_here` says that the next page is known to be empty, whatever this one claims.
    """
    count = len(page.entries)
    number = address.key.page
    last_offset = max(count - 1, 0) // SCREEN_SIZE * SCREEN_SIZE
    offset = last_offset if address.offset < 0 else min(address.offset, last_offset)
    previous = following = None
    if offset > 0:
        previous = address.on_page(number, offset - SCREEN_SIZE)
    elif number > 1:
        previous = address.on_page(number - 1, LAST)
    if offset + SCREEN_SIZE < count:
        following = address.on_page(number, offset + SCREEN_SIZE)
    elif page.has_next and count and not ends_here:
        following = address.on_page(number + 1)
    return Screen(
        address=replace(address, offset=offset),
        comments=page.entries[offset : offset + SCREEN_SIZE],
        first=(number - 1) * page.per_page + offset + 1,
        previous=previous,
        next=following,
        is_near_page_end=offset + 2 * SCREEN_SIZE >= count,
    )
