"""Note what became of texts, in memory for as long as the database can't be written."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks, keep_trying, to_its_end
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


class Written(Struct, frozen=True):
    """What became of the draft with this id; `comment` is None when the game did not show it."""

    id: int
    kind: DraftKind
    thread_id: int | None
    comment: Comment | None


class Settler:
    """Ends drafts, and lets them go.

    `now` tells the time, aware; what can't be written is tried again every `pause` seconds.
    """

    def __init__(
        self,
        pages: CommentCache,
        drafts: Drafts,
        comments: AuthoredComments,
        tasks: BackgroundTasks,
        now: Callable[[], datetime],
        pause: float,
    ) -> None:
        self._pages = pages
        self._drafts = drafts
        self._comments = comments
        self.tasks = tasks
        self._now = now
        self._pause = pause
        # The ids of those that have come to their end, though the database does not know yet.
        self.settled: set[int] = set()

    async def settle(self, draft: Draft, written: WrittenComment | None) -> Written:
        """Forget a draft; show and remember the comment that it has become, None if unseen.

        Raises ArrivalUnknown where another text has become that comment.
        """
        authored = None
        if draft.kind is DraftKind.DELETE:
            await self.forget_comment(draft)
        elif draft.kind is DraftKind.EDIT and draft.comment_id is not None:
            edited = self.authored(draft, draft.comment_id)
            self._pages.reword(draft.thread_id, edited.comment_id, draft.text)
            await self._write_down(
                partial(self._comments.reword, edited.comment_id, edited.excerpt)
            )
        elif written is not None and draft.thread_id is not None:
            self._pages.add(draft.thread_id, draft.comment_id, written)
            authored = self.authored(draft, written.id)
        about = draft.comment_id if authored is None else authored.comment_id
        outcome = Outcome(draft.id, draft.kind, draft.thread_id, about, self._now())
        comment = None if written is None else listed(written)
        settle = partial(self._drafts.settle, draft, authored, outcome)
        await self._write_down(settle, ends=draft)
        return Written(draft.id, draft.kind, draft.thread_id, comment)

    async def forget(self, draft: Draft) -> None:
        """Forget a draft that came to nothing."""
        await self._write_down(partial(self._drafts.settle, draft, None), ends=draft)

    async def forget_comment(self, draft: Draft) -> None:
        """Show and remember a comment no more that is deleted."""
        comment_id = draft.comment_id or 0
        self._pages.remove(draft.thread_id, comment_id)
        await self._write_down(partial(self._comments.remove, comment_id))

    async def settle_as(self, draft: Draft, comment_id: int) -> Written:
        """Forget a draft that has become a comment, as its writer says."""
        authored = self.authored(draft, comment_id)
        outcome = Outcome(draft.id, draft.kind, draft.thread_id, comment_id, self._now())
        settle = partial(self._drafts.settle, draft, authored, outcome, is_new=False)
        await self._write_down(settle, ends=draft)
        return Written(draft.id, draft.kind, draft.thread_id, None)

    def authored(self, draft: Draft, comment_id: int) -> Authored:
        """Return a comment as what a draft has become."""
        excerpt = " ".join(draft.text.split())[:_EXCERPT_LENGTH]
        return Authored(draft.member_id, comment_id, draft.thread_id or 0, excerpt, self._now())

    @to_its_end
    async def release(
        self, draft: Draft, state: DraftState, cause: KioskError | GameError
    ) -> Unsent:
        """Let a draft be sent again by anybody; return the error that gives it back."""
        now = self._now()
        await self._write_down(partial(self._drafts.release, draft, state, due_at=now))
        return Unsent(replace(draft, state=state, claimed_by="", due_at=now), cause)

    async def _write_down(
        self, write: Callable[[], Awaitable[None]], *, ends: Draft | None = None
    ) -> None:
        """Write now, or as soon as it can be, what `ends` a draft, if it does."""
        ended = {ends.id} if ends else set[int]()
        self.settled |= ended
        try:
            await write()
        except NotUnique as error:
            self.settled -= ended
            raise ArrivalUnknown from error
        except StatementFailed as error:
            log.warning("what the game answered can't be written down yet: %s", error)
            self.tasks.start(self._write_later(write, ended))
        else:
            self.settled -= ended

    async def _write_later(self, write: Callable[[], Awaitable[None]], ended: set[int]) -> None:
        async def is_written() -> bool:
            try:
                await write()
            except NotUnique:
                # The member was told what the game has answered; the text is looked for again.
                log.warning("what the game answered is known of another text")
            except StatementFailed:
                return False
            self.settled -= ended
            return True

        await keep_trying(is_written, self._pause)
