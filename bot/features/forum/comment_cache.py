"""What members write shows at once in the pages at hand."""

from collections.abc import Callable

from bot.features.forum.trees import with_comment, with_reply, with_text, without
from bot.game.client import GameClient
from bot.game.models import Comment, Page, PageKey, WrittenComment


class CommentCache:
    """Changes the client's pages of comments as the game will show them."""

    def __init__(self, client: GameClient) -> None:
        self._client = client

    def add(self, thread_id: int, parent_id: int | None, written: WrittenComment) -> None:
        """Show a new comment where it belongs; nobody knows its place among the hottest."""
        if parent_id is not None:
            self._change(thread_id, lambda page: with_reply(page, parent_id, written))
            return
        newest = PageKey(thread_id)
        self._client.comments.change(newest.__eq__, lambda page: with_comment(page, written))

    def reword(self, thread_id: int | None, comment_id: int, text: str) -> None:
        """Show a comment's new text; without its thread, it is looked for in all."""
        self._change(thread_id, lambda page: with_text(page, comment_id, text))

    def remove(self, thread_id: int | None, comment_id: int) -> None:
        """Show a comment no more; without its thread, it is looked for in all."""
        self._change(thread_id, lambda page: without(page, comment_id))

    def _change(
        self, thread_id: int | None, change: Callable[[Page[Comment]], Page[Comment]]
    ) -> None:
        self._client.comments.change(lambda key: thread_id in (None, key.thread_id), change)
