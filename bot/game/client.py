"""The game as a Python object: one method for each endpoint of the interface."""

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import aiohttp

from bot.game.background import BackgroundTasks
from bot.game.limits import Limits
from bot.game.models import Comment, Item, Page, Purchase, Redemption, Sort, WrittenComment
from bot.game.protocol import BodyFormat, Caller, Exchange, GameProtocol
from bot.game.shared_reads import SharedReads
from bot.game.transport import Transport

__all__ = ["Caller", "GameClient"]

T = TypeVar("T")


class _CommentsKey(NamedTuple):
    thread_id: int
    sort: Sort
    page: int


class _ItemsKey(NamedTuple):
    caller: Caller
    catalog_id: int
    page: int


class GameClient:
    """Asks the game, for a member or for nobody, and remembers pages for seconds.

    Every method raises GameError. A write is sent once at most; after UnknownOutcome it may
    have happened, after any other error it has not. A write goes on when its caller is
    cancelled, and at the end of the program.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base_url: str,
        tasks: BackgroundTasks,
        *,
        body_format: BodyFormat = "json",
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = limits or Limits()
        self._protocol = GameProtocol(base_url, body_format)
        self._transport = Transport(session, limits)
        self._comments = SharedReads[_CommentsKey, Page[Comment]](
            tasks, limits.cached_pages, limits.public_page_seconds, clock
        )
        self._items = SharedReads[_ItemsKey, Page[Item]](
            tasks, limits.cached_pages, limits.private_page_seconds, clock
        )
        self._tasks = tasks

    async def list_comments(
        self, thread_id: int, *, sort: Sort = Sort.LATEST, page: int = 1, fresh: bool = False
    ) -> Page[Comment]:
        """List a thread's comments (Interface 4.1); `fresh` passes over what is cached."""
        exchange = self._protocol.list_comments(thread_id, sort, page)
        key = _CommentsKey(thread_id, sort, page)
        return await self._comments.get(key, lambda: self._transport.read(exchange), fresh=fresh)

    async def list_items(
        self, caller: Caller, catalog_id: int, *, page: int = 1, fresh: bool = False
    ) -> Page[Item]:
        """List a catalog's items as the caller sees them (Interface 4.5)."""
        exchange = self._protocol.list_items(caller, catalog_id, page)
        key = _ItemsKey(caller, catalog_id, page)
        return await self._items.get(key, lambda: self._transport.read(exchange), fresh=fresh)

    def peek_comments(
        self, thread_id: int, *, sort: Sort = Sort.LATEST, page: int = 1
    ) -> Page[Comment] | None:
        """Give the cached page of comments, if there is one, without asking the game."""
        return self._comments.peek(_CommentsKey(thread_id, sort, page))

    def peek_items(self, caller: Caller, catalog_id: int, *, page: int = 1) -> Page[Item] | None:
        """Give the caller's cached page of items, if there is one, without asking the game."""
        return self._items.peek(_ItemsKey(caller, catalog_id, page))

    def forget(self, member_id: int) -> None:
        """Drop what is cached for a member, as when their link has changed."""
        self._items.forget(lambda key: key.caller.member_id == member_id)

    async def create_comment(
        self, caller: Caller, thread_id: int, content: str, *, parent_id: int | None = None
    ) -> WrittenComment:
        """Write a comment, or with `parent_id` a reply to one (Interface 4.2)."""
        exchange = self._protocol.create_comment(caller, thread_id, content, parent_id)

        def forget() -> None:
            self.forget(caller.member_id)
            self._comments.forget(lambda key: key.thread_id == thread_id)

        return await self._write(exchange, forget)

    async def update_comment(self, caller: Caller, comment_id: int, content: str) -> WrittenComment:
        """Change the text of the caller's own comment (Interface 4.3)."""
        exchange = self._protocol.update_comment(caller, comment_id, content)
        return await self._write(exchange, lambda: self._forget_threads(caller))

    async def delete_comment(self, caller: Caller, comment_id: int) -> None:
        """Delete the caller's own comment (Interface 4.4)."""
        exchange = self._protocol.delete_comment(caller, comment_id)
        await self._write(exchange, lambda: self._forget_threads(caller))

    async def purchase(self, caller: Caller, item_id: int) -> Purchase:
        """Buy an item for the caller's in-game account (Interface 4.6)."""
        exchange = self._protocol.purchase(caller, item_id)
        return await self._write(exchange, lambda: self.forget(caller.member_id))

    async def redeem(self, caller: Caller, item_id: int) -> Redemption:
        """Redeem an item at the caller's current park (Interface 4.7)."""
        exchange = self._protocol.redeem(caller, item_id)
        return await self._write(exchange, lambda: self.forget(caller.member_id))

    def _forget_threads(self, caller: Caller) -> None:
        # The answer does not say which thread the comment is in, so it may be any.
        self.forget(caller.member_id)
        self._comments.forget(lambda key: True)

    async def _write(self, exchange: Exchange[T], forget: Callable[[], None]) -> T:
        async def send() -> T:
            try:
                return await self._transport.write(exchange)
            finally:
                # Again: a read during the write may have seen the state before it.
                forget()

        forget()
        return await self._tasks.run(send(), finish=True)
