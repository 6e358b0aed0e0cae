"""Find out whether a text whose answer never came is in its thread."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from weakref import WeakValueDictionary

from msgspec import Struct

from bot.domain.drafts import Draft, DraftKind
from bot.features.errors import ArrivalUnknown, IsItYours
from bot.features.forum.arrival import Likeness, SentText, find, is_reworded, may_be_below
from bot.features.forum.trees import all_comments, find_branch
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.models import Comment, PageKey
from storage.outcomes import AuthoredComments

# Without the game's own clock, a text is dated by ours.
_CLOCKS_DIFFER = timedelta(minutes=10)
_MOST_PAGES = 20


class _Places(Struct, frozen=True):
    """The comments among which a text would be; `are_all` when it can be nowhere else."""

    comments: Sequence[Comment]
    are_all: bool


class Reconciler:
    """Looks for texts in their threads, as the game has them now."""

    def __init__(self, client: GameClient, authored: AuthoredComments) -> None:
        self._client = client
        self._authored = authored
        self._locks: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    def newest_at_hand(self, thread_id: int | None) -> int | None:
        """Return the newest comment of a thread that Kiosk knows of, by its id."""
        return max(
            (
                comment.id
                for key, page in self._client.comments.items()
                if key.thread_id == thread_id
                for comment in all_comments(page.entries)
            ),
            default=None,
        )

    @asynccontextmanager
    async def looking(self, draft: Draft, player_id: int | None) -> AsyncGenerator[Comment | None]:
        """Yield the comment that a draft of this player has become; None where there is none.

        A deletion is not looked for. Nobody else looks in the thread until the block
        ends, in which the draft is settled: otherwise two could be taken for one comment. Raises
        IsItYours, ArrivalUnknown.
        """
        if draft.kind is DraftKind.DELETE:
            yield None
            return
        if draft.kind is DraftKind.EDIT:
            yield await self._edited(draft)
            return
        async with self._locks.setdefault(draft.thread_id, asyncio.Lock()):
            since = draft.sent_at or draft.created_at - _CLOCKS_DIFFER
            sent = SentText(draft.sent, player_id, since, draft.newest_before)
            try:
                places = await self._places(draft, sent)
            except GameError as error:
                raise ArrivalUnknown from error
            known = await self._authored.known_among([one.id for one in places.comments])
            likeness, comment = find(sent, places.comments, known)
            if comment is not None and likeness is Likeness.DOUBTFUL:
                raise IsItYours(comment)
            if comment is None and not places.are_all:
                raise ArrivalUnknown
            yield comment

    async def _edited(self, draft: Draft) -> Comment | None:
        """Return the comment if it has its new text; an edit that is sent again does no harm."""
        seen = self._at_hand(draft)
        if seen is None:
            return None
        key, before = seen
        try:
            page = await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0
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

    async def _places(self, draft: Draft, sent: SentText) -> _Places:
        """Return where a comment is, on top of its thread, or a reply, below its parent.

        The parent is looked for from the page on where it was last seen.
        """
        seen, parent_id = self._at_hand(draft), draft.comment_id
        key, newest = seen[0] if seen else PageKey(draft.thread_id or 0), list[Comment]()
        for _ in range(_MOST_PAGES):
            page = await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0
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
                is_end = not page.has_next or not page.entries
                if is_end or not may_be_below(sent, page.entries[-1]):
                    return _Places(newest, are_all=True)
            if not page.has_next:
                break
            key = key._replace(page=key.page + 1)
        return _Places(newest, are_all=False)
