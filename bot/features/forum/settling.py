"""Write down what became of texts."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks, to_its_end
from bot.domain.drafts import Authored, Draft, DraftKind, DraftState, Outcome
from bot.errors import KioskError
from bot.features.errors import ArrivalUnknown, Unsent
from bot.features.forum.trees import CommentCache, listed
from bot.game.errors import GameError
from bot.game.models import Comment, WrittenComment
from storage.drafts import Drafts
from storage.errors import NotUnique, StatementFailed
from storage.outcomes import AuthoredComments

log = logging.getLogger(__name__)

_EXCERPT_LENGTH = 90
_TRIES = 10


class Written(Struct, frozen=True):
    """What became of the draft with this id; `comment` is None when the game did not show it."""

    id: int
    kind: DraftKind
    thread_id: int
    comment: Comment | None


class Settler(Struct):
    """Ends drafts, and lets them go.

    `now` tells the time, aware. What can't be written is tried again after `pause` seconds, some
    times; then it is left to whoever finds the draft left behind.
    """

    pages: CommentCache
    drafts: Drafts
    comments: AuthoredComments
    tasks: BackgroundTasks
    now: Callable[[], datetime]
    pause: float

    async def settle(
        self, draft: Draft, written: WrittenComment | None, *, comment_id: int | None = None
    ) -> Written:
        """Forget a draft; show and remember the comment that it has become, None if unseen.

        `comment_id` is that of a comment that its writer knows as theirs. Raises ArrivalUnknown
        where another text has become that comment.
        """
        authored, now = None, self.now()
        excerpt = " ".join(draft.text.split())[:_EXCERPT_LENGTH]
        if draft.kind is DraftKind.DELETE:
            await self.forget_comment(draft)
        elif draft.kind is DraftKind.EDIT and draft.comment_id is not None:
            self.pages.reword(draft.thread_id, draft.comment_id, draft.text)
            await self._write_down(partial(self.comments.reword, draft.comment_id, excerpt))
            written = written and replace(written, id=draft.comment_id)
        elif written is not None:
            self.pages.add(draft.thread_id, draft.comment_id, written)
            comment_id = written.id
        if comment_id is not None:
            authored = Authored(draft.member_id, comment_id, draft.thread_id, excerpt, now)
        outcome = Outcome(draft.id, draft.kind, draft.thread_id, now)
        await self._write_down(partial(self.drafts.settle, draft, authored, outcome))
        comment = None if written is None else listed(written)
        return Written(draft.id, draft.kind, draft.thread_id, comment)

    async def forget(self, draft: Draft) -> None:
        """Forget a draft that came to nothing."""
        await self._write_down(partial(self.drafts.settle, draft, None))

    async def forget_comment(self, draft: Draft) -> None:
        """Show and remember a comment no more that is deleted."""
        comment_id = draft.comment_id or 0
        self.pages.remove(draft.thread_id, comment_id)
        await self._write_down(partial(self.comments.remove, comment_id))

    @to_its_end
    async def release(
        self, draft: Draft, state: DraftState, cause: KioskError | GameError
    ) -> Unsent:
        """Let a draft be sent again by anybody; return the error that gives it back."""
        now = self.now()
        await self._write_down(partial(self.drafts.release, draft, state, due_at=now))
        return Unsent(replace(draft, state=state, claimed_by="", due_at=now), cause)

    async def _write_down(self, write: Callable[[], Awaitable[None]]) -> None:
        for _ in range(_TRIES):
            try:
                await write()
                return
            except NotUnique as error:
                raise ArrivalUnknown from error
            except StatementFailed as error:
                log.warning("what became of a text can't be written down: %s", error)
            await asyncio.sleep(self.pause)
