"""Where a screen of a thread is, and what it shows."""

from typing import NamedTuple

from bot.features.paging import Position, cut_screen
from bot.game.models import Comment, Page, PageKey


class Address(NamedTuple):
    """The screen that starts at `offset` of a page, or LAST for the page's last one."""

    key: PageKey
    offset: int = 0

    def on_page(self, page: int, offset: int = 0) -> "Address":
        """Return the address of a screen on another page."""
        return Address(self.key._replace(page=page), offset)


class Screen(NamedTuple):
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
    # How many comments of the page could not be read.
    unreadable: int = 0


def screen_of(page: Page[Comment], address: Address, *, ends_here: bool = False) -> Screen:
    """Cut a screen from its page; an offset beyond the page's end gives its last screen.

    `ends_here` says that the next page is known to be empty, whatever this one claims.
    """
    number = address.key.page
    cut = cut_screen(
        page.entries, Position(number, address.offset), has_next=page.has_next and not ends_here
    )
    return Screen(
        address=address.on_page(*cut.position),
        comments=cut.entries,
        first=(number - 1) * page.per_page + cut.position.offset + 1,
        previous=cut.previous and address.on_page(*cut.previous),
        next=cut.next and address.on_page(*cut.next),
        is_near_page_end=cut.is_near_page_end,
        unreadable=page.unreadable,
    )
