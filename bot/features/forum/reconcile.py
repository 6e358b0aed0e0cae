"""Find out whether a text whose answer never came is in its thread."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from msgspec import Struct

from bot.domain.drafts import CHANGES, Draft, DraftKind
from bot.features.errors import ArrivalUnknown, IsItYours
from bot.features.forum.arrival import (
    Likeness,
    SentText,
    are_counted_up,
    find,
    is_reworded,
    may_be_below,
)
from bot.features.forum.trees import all_comments, find_branch
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.models import Comment, PageKey
from storage.errors import StatementFailed
from storage.outcomes import AuthoredComments

# Without the game's own clock, a text is dated by ours.
_CLOCKS_DIFFER = timedelta(minutes=10)
_MOST_PAGES = 20


class _Places(Struct, frozen=True):
    """The comments among which a text would be; `are_all` when it can be nowhere else."""

    comments: Sequence[Comment]
    are_all: bool


class Reconciler:
    """Looks for texts in their threads, as the game has them now; `now` tells the time, aware."""

    def __init__(
        self, client: GameClient, authored: AuthoredComments, now: Callable[[], datetime]
    ) -> None:
        self._client = client
        self._authored = authored
        self._now = now
        self._locks: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    def newest_at_hand(self, thread_id: int | None) -> int | None:
        """Return the newest comment of a thread that Kiosk knows of, by its id.

        None where none is known, or the game doesn't count its comments up.
        """
        at_hand = [
            comment
            for key, page in self._client.comments.items()
            if key.thread_id == thread_id
            for comment in all_comments(page.entries)
        ]
        if not are_counted_up(at_hand):
            return None
        return max((comment.id for comment in at_hand), default=None)

    @asynccontextmanager
    async def looking(
        self, draft: Draft, *, most_pages: int = _MOST_PAGES
    ) -> AsyncGenerator[Comment | None]:
        """Yield the comment that a draft has become; None where there is none.

        A deletion is not looked for. Nobody else looks in the thread until the block ends, in which
        the draft is settled: otherwise two could be taken for one comment. Raises IsItYours,
        ArrivalUnknown.
        """
        if draft.kind is DraftKind.DELETE:
            yield None
            return
        if draft.kind is DraftKind.EDIT:
            yield await self._edited(draft)
            return
        async with self._locks.setdefault(draft.thread_id, asyncio.Lock()):
            sent = self._sent(draft, draft.player_id)
            try:
                places = await self._places(draft, sent, most_pages)
                known = await self._authored.known_among([one.id for one in places.comments])
            except (GameError, StatementFailed) as error:
                raise ArrivalUnknown from error
            known |= draft.ruled_out
            likeness, comment = await asyncio.to_thread(find, sent, places.comments, known)
            if comment is not None and likeness is Likeness.DOUBTFUL:
                raise IsItYours(comment)
            if comment is None and not places.are_all:
                raise ArrivalUnknown
            yield comment

    async def is_taken(self, draft: Draft, comment_id: int) -> bool:
        """Return whether another text has become a comment since a draft was written."""
        known = await self._authored.find(comment_id)
        is_since = known is not None and known.created_at > draft.created_at
        return is_since and draft.kind not in CHANGES

    def _sent(self, draft: Draft, player_id: int | None) -> SentText:
        now, since = self._client.game_now(), draft.sent_at
        if since is None and now is not None:
            # The game has told the time since.
            since = draft.created_at + (now - self._now())
        return SentText(
            text=draft.sent,
            player_id=player_id,
            since=since or draft.created_at - _CLOCKS_DIFFER,
            newest_before=draft.newest_before,
            now=now,
            is_dated=since is not None,
        )

    async def _edited(self, draft: Draft) -> Comment | None:
        """Return the comment if it has its new text; an edit that is sent again does no harm."""
        seen = self._at_hand(draft)
        if seen is None:
            return None
        key, before = seen
        try:
            page = await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0, asker=draft.member_id
            )
        except GameError as error:
            raise ArrivalUnknown from error
        branch = find_branch(page.entries, before.id)
        if branch is None or not is_reworded(before, branch.comment, draft.sent):
            return None
        return branch.comment

    def _at_hand(self, draft: Draft) -> tuple[PageKey, Comment] | None:
        """Return the page at hand that has a draft's comment, and the comment as it is there."""
        if draft.comment_id is None:
            return None
        for key, page in self._client.comments.items():
            branch = find_branch(page.entries, draft.comment_id)
            if branch is not None and draft.thread_id in (None, key.thread_id):
                return key, branch.comment
        return None

    async def _places(self, draft: Draft, sent: SentText, most_pages: int) -> _Places:
        """Return where a comment is, on top of its thread, or a reply, below its parent.

        The parent is looked for from the page on where it was last seen.
        """
        seen, parent_id = self._at_hand(draft), draft.comment_id
        key, newest = seen[0] if seen else PageKey(draft.thread_id or 0), list[Comment]()
        unread = 0
        for _ in range(most_pages):
            page = await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0, asker=draft.member_id
            )
            branch = None if parent_id is None else find_branch(page.entries, parent_id)
            if branch is not None:
                above = {one.id for one in (*branch.ancestors, branch.comment)}
                return _Places(
                    [one for one in all_comments([branch.root]) if one.id not in above],
                    are_all=branch.comment.children_count <= len(branch.comment.children),
                )
            if parent_id is None:
                newest += page.entries
                unread += page.unreadable - sum(map(sent.was_there, page.unreadable_ids))
                is_end = not page.has_next or not page.entries
                if is_end or not may_be_below(sent, newest):
                    return _Places(newest, are_all=not unread)
            if not page.has_next:
                break
            key = key._replace(page=key.page + 1)
        return _Places(newest, are_all=False)
