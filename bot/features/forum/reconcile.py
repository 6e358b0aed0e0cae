"""Find out whether a text whose answer never came is in its thread."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from bot.domain.drafts import Draft
from bot.features.errors import ArrivalUnknown, IsItYours
from bot.features.forum.arrival import SentText, find, may_be_below
from bot.features.forum.trees import all_comments, find_branch
from bot.game.client import GameClient
from bot.game.errors import GameError
from bot.game.models import Comment, PageKey
from storage.errors import StatementFailed
from storage.outcomes import AuthoredComments

# Without the game's own clock, a text is dated by ours.
_CLOCKS_DIFFER = timedelta(minutes=10)
_MOST_PAGES = 20


class Reconciler:
    """Looks for texts in their threads, as the game has them now; `now` tells the time, aware."""

    def __init__(
        self, client: GameClient, authored: AuthoredComments, now: Callable[[], datetime]
    ) -> None:
        self._client = client
        self._authored = authored
        self._now = now
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def newest_at_hand(self, thread_id: int) -> int | None:
        """Return the id of the newest comment of a thread that Kiosk knows of, if any."""
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
    async def looking(self, draft: Draft) -> AsyncGenerator[Comment | None]:
        """Yield the comment that a new text has become; None where there is none.

        Nobody else looks in the thread until the block ends, in which the draft is settled:
        otherwise two could be taken for one comment. Raises IsItYours, ArrivalUnknown.
        """
        async with self._locks.setdefault(draft.thread_id, asyncio.Lock()):
            sent = self._sent(draft)
            try:
                comments, are_all = await self._places(draft, sent)
                known = await self._authored.known_among([one.id for one in comments])
            except (GameError, StatementFailed) as error:
                raise ArrivalUnknown from error
            known |= draft.ruled_out
            comment, is_certain = await asyncio.to_thread(find, sent, comments, known)
            if comment is not None and not is_certain:
                raise IsItYours(comment)
            if comment is None and not are_all:
                raise ArrivalUnknown
            yield comment

    def _sent(self, draft: Draft) -> SentText:
        now, since = self._client.game_now(), draft.sent_at
        if since is None and now is not None:
            # The game has told the time since.
            since = draft.created_at + (now - self._now())
        since = since or draft.created_at - _CLOCKS_DIFFER
        return SentText(draft.text, draft.player_id, since, draft.newest_before)

    def _seen_on(self, draft: Draft) -> PageKey:
        """Return the page at hand that has the comment a draft answers, else the first one."""
        parent_id = draft.comment_id or 0
        for key, page in self._client.comments.items():
            if key.thread_id == draft.thread_id and find_branch(page.entries, parent_id):
                return key
        return PageKey(draft.thread_id)

    async def _places(self, draft: Draft, sent: SentText) -> tuple[Sequence[Comment], bool]:
        """Return the comments among which a text would be, and whether it can be nowhere else.

        A comment is on top of its thread; a reply is below its parent, which is looked for from
        the page on where it was last seen.
        """
        key, parent_id = self._seen_on(draft), draft.comment_id
        newest, unread = list[Comment](), 0
        for _ in range(_MOST_PAGES):
            page = await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0, asker=draft.member_id
            )
            branch = None if parent_id is None else find_branch(page.entries, parent_id)
            if branch is not None:
                above = {one.id for one in (*branch.ancestors, branch.comment)}
                below = [one for one in all_comments([branch.root]) if one.id not in above]
                return below, branch.comment.children_count <= len(branch.comment.children)
            if parent_id is None:
                newest += page.entries
                unread += page.unreadable - sum(map(sent.was_there, page.unreadable_ids))
                is_end = not page.has_next or not page.entries
                if is_end or not may_be_below(sent, newest[-1]):
                    return newest, not unread
            if not page.has_next:
                break
            key = key._replace(page=key.page + 1)
        return newest, False
