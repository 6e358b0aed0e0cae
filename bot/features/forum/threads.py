"""Reading threads: screens of five, and single comments with their replies."""

from dataclasses import dataclass, replace

from bot.background import BackgroundTasks
from bot.features.forum.comment_cache import CommentCache
from bot.features.forum.errors import CommentNotFound, ThreadClosed, ThreadNotInGame
from bot.features.forum.screens import Address, PageKey, Screen, screen_of
from bot.features.forum.trees import Branch, find_branch
from bot.features.paging import LAST, SCREEN_SIZE
from bot.game.errors import Forbidden, NotFound, Unauthorized
from bot.game.models import Comment, Page

# New comments push a comment to later pages; this many further ones are looked through.
_PAGES_LOOKED_ON = 2


@dataclass(frozen=True)
class Found:
    """A comment, the page it is on, and the screen that shows its root."""

    key: PageKey
    branch: Branch
    screen: Address

    @property
    def comment(self) -> Comment:
        """The comment itself."""
        return self.branch.comment


class ThreadService:
    """What members read. What asks the game raises ThreadNotInGame, ThreadClosed, GameError."""

    def __init__(self, pages: CommentCache, tasks: BackgroundTasks) -> None:
        self._pages = pages
        self._tasks = tasks

    def known_screen(self, address: Address) -> Screen | None:
        """Return a screen without asking the game, and fetch ahead where its page ends."""
        page = self._pages.known(address.key)
        if page is None:
            return None
        if not page.entries and address.key.page > 1:
            return self._last_before(address)
        screen = self._cut(page, address)
        if screen.is_near_page_end and page.has_next:
            self._pages.fetch_ahead(replace(address.key, page=address.key.page + 1))
        return screen

    async def screen(self, address: Address) -> Screen:
        """Return a screen, with one request at most."""
        screen = self.known_screen(address)
        return screen or self._asked(await self._ask(address.key), address)

    async def newest_screen(self, address: Address, *, fresh: bool = False) -> Screen:
        """Return a screen as the game has it; unless `fresh`, one that is seconds old will do."""
        return self._asked(await self._ask(address.key, fresh=fresh), address)

    def known_comment(self, thread_id: int | None, comment_id: int) -> Found | None:
        """Find a comment in the pages at hand, of one thread or of all."""
        for key, page in self._pages.at_hand(thread_id):
            found = _found(key, page, comment_id)
            if found is not None:
                return found
        return None

    def known_comments(self, thread_id: int) -> tuple[Comment, ...]:
        """Return a thread's newest comments, or none; they are fetched for the next time."""
        key = PageKey(thread_id)
        page = self._pages.known(key)
        if page is None:
            self._pages.fetch_ahead(key)
        return page.entries if page else ()

    def written(self, thread_id: int | None, comment: Comment) -> Found | None:
        """Find a comment that was just written; one that is not at hand is shown by itself."""
        known = self.known_comment(thread_id, comment.id)
        if known is not None or thread_id is None:
            return known
        key = PageKey(thread_id)
        return Found(key, Branch((), comment), Address(key))

    async def comment(self, near: PageKey, comment_id: int) -> Found:
        """Find a comment at hand, on the page where it was, or on those it may have moved to.

        Raises CommentNotFound.
        """
        found = self.known_comment(near.thread_id, comment_id)
        key = near
        for _ in range(1 + _PAGES_LOOKED_ON):
            if found is not None:
                return found
            page = self._pages.known(key) or await self._ask(key)
            found = _found(key, page, comment_id)
            if not page.has_next:
                break
            key = replace(key, page=key.page + 1)
        if found is None:
            raise CommentNotFound(name=str(comment_id))
        return found

    async def comment_within(self, seconds: float, near: PageKey, comment_id: int) -> Found | None:
        """Find a comment unless that takes longer; the search then goes on for the next time.

        Raises CommentNotFound.
        """
        found = self.known_comment(near.thread_id, comment_id)
        if found is not None:
            return found
        search = self._tasks.start(self.comment(near, comment_id))
        return search.result() if await self._tasks.within(seconds, search) else None

    async def _ask(self, key: PageKey, *, fresh: bool = False) -> Page[Comment]:
        try:
            return await self._pages.ask(key, fresh=fresh)
        except NotFound as error:
            raise ThreadNotInGame(name=str(key.thread_id)) from error
        except (Unauthorized, Forbidden) as error:
            raise ThreadClosed from error

    def _asked(self, page: Page[Comment], address: Address) -> Screen:
        if not page.entries and address.key.page > 1:
            return self._last_before(address)
        return self._cut(page, address)

    def _cut(self, page: Page[Comment], address: Address) -> Screen:
        following = self._pages.known(replace(address.key, page=address.key.page + 1))
        return screen_of(page, address, ends_here=following is not None and not following.entries)

    def _last_before(self, address: Address) -> Screen:
        """Return the screen before an empty page where it is known, else only a way back."""
        before = address.on_page(address.key.page - 1, LAST)
        page = self._pages.known(before.key)
        if page is not None and page.entries:
            return screen_of(page, before, ends_here=True)
        return Screen(
            address=replace(address, offset=0),
            comments=(),
            first=0,
            previous=address.on_page(1),
            next=None,
            is_near_page_end=True,
        )


def _found(key: PageKey, page: Page[Comment], comment_id: int) -> Found | None:
    branch = find_branch(page.entries, comment_id)
    if branch is None:
        return None
    place = next(index for index, entry in enumerate(page.entries) if entry is branch.root)
    return Found(key, branch, Address(key, place // SCREEN_SIZE * SCREEN_SIZE))
