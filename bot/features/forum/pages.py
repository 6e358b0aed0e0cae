"""Keep the pages members walk through, so that moving within them asks the game for nothing."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from bot.features.forum.screens import PageKey
from bot.features.forum.trees import with_comment, with_reply, with_text, without
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient
from bot.game.errors import GameError, NotFound
from bot.game.models import Comment, Page, Sort, WrittenComment

# About how long somebody reads on without asking for news.
_KEPT_SECONDS = 600.0
_MOST_PAGES = 200


class Pages:
    """Pages by their keys; the one longest unused leaves when there are too many.

    What members write through Kiosk is put into the pages at hand, so that it shows at once.
    """

    def __init__(
        self,
        client: GameClient,
        tasks: BackgroundTasks,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._clock = clock
        self._kept: OrderedDict[PageKey, tuple[float, Page[Comment]]] = OrderedDict()
        self._tasks = tasks

    def known(self, key: PageKey) -> Page[Comment] | None:
        """Give a page that is at hand."""
        expires, page = self._kept.get(key, (0.0, None))
        if page is None or self._clock() >= expires:
            return None
        self._kept.move_to_end(key)
        return page

    async def ask(self, key: PageKey, *, fresh: bool = False) -> Page[Comment]:
        """Ask the game for a page; unless `fresh`, one that is seconds old will do.

        Raises GameError.
        """
        page = await self._read(key, fresh=fresh)
        self._kept[key] = (self._clock() + _KEPT_SECONDS, page)
        self._kept.move_to_end(key)
        if len(self._kept) > _MOST_PAGES:
            self._kept.popitem(last=False)
        return page

    def fetch_ahead(self, key: PageKey) -> None:
        """Ask for a page in the background, unless it is at hand; nobody is told of a failure."""
        if self.known(key) is None:
            self._tasks.start(self._try(key))

    def at_hand(self, thread_id: int | None = None) -> Iterator[tuple[PageKey, Page[Comment]]]:
        """Give the pages at hand, of one thread or of all, the one last used first."""
        now = self._clock()
        for key, (expires, page) in reversed(list(self._kept.items())):
            if thread_id in (None, key.thread_id) and now < expires:
                yield key, page

    def add(self, thread_id: int, parent_id: int | None, written: WrittenComment) -> None:
        """Show a new comment where it belongs; nobody knows its place among the hottest."""
        if parent_id is not None:
            self._replace(thread_id, lambda page: with_reply(page, parent_id, written))
            return
        newest = PageKey(thread_id, Sort.LATEST, 1)
        page = self.known(newest)
        if page is not None:
            self._put(newest, with_comment(page, written))

    def reword(self, thread_id: int | None, comment_id: int, text: str) -> None:
        """Show a comment's new text; without its thread, it is looked for in all."""
        self._replace(thread_id, lambda page: with_text(page, comment_id, text))

    def remove(self, thread_id: int | None, comment_id: int) -> None:
        """Show a comment no more; without its thread, it is looked for in all."""
        self._replace(thread_id, lambda page: without(page, comment_id))

    def _replace(
        self, thread_id: int | None, change: Callable[[Page[Comment]], Page[Comment]]
    ) -> None:
        for key, page in self.at_hand(thread_id):
            self._put(key, change(page))

    def _put(self, key: PageKey, page: Page[Comment]) -> None:
        expires, _ = self._kept[key]
        self._kept[key] = (expires, page)

    async def _read(self, key: PageKey, *, fresh: bool) -> Page[Comment]:
        try:
            return await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, fresh=fresh
            )
        except NotFound:
            if key.page == 1:
                raise
        # Some games call the page after the last one unknown; the first one tells.
        first = replace(key, page=1)
        if self.known(first) is None:
            await self.ask(first)
        return Page((), key.page, 0, has_next=False)

    async def _try(self, key: PageKey) -> None:
        with suppress(GameError):
            await self.ask(key)
