"""Find out whether a text whose answer never came is in its thread."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from weakref import WeakValueDictionary

from bot.domain.drafts import Draft, DraftKind
from bot.features.forum.errors import ArrivalUnknown
from bot.features.forum.trees import all_comments, find_branch
from bot.game.client import GameClient
from bot.game.errors import GameError, NoBody, NotJson, UnknownOutcome
from bot.game.models import Comment, Page, PageKey
from storage.authored import AuthoredComments

# The game's clock and ours may differ by this much.
_CLOCKS_DIFFER = timedelta(minutes=10)
_MOST_PAGES = 5


@dataclass(frozen=True)
class _Places:
    """The comments among which a text would be; `are_all` when it can be nowhere else.

    `newest` are the ids of those that came last, going by their place.
    """

    comments: Sequence[Comment]
    newest: Sequence[int]
    are_all: bool


class Reconciler:
    """Looks for texts in their threads, as the game has them now."""

    def __init__(self, client: GameClient, authored: AuthoredComments) -> None:
        self._client = client
        self._authored = authored
        self._locks: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def looking(self, draft: Draft, player_id: int | None) -> AsyncGenerator[Comment | None]:
        """Yield the comment that a draft of this player has become, if it has; an edit has not.

        Nobody else looks in the thread until the block ends, in which the draft is settled:
        otherwise two could be taken for one comment. Raises ArrivalUnknown.
        """
        if draft.kind is DraftKind.EDIT:
            yield None
            return
        async with self._locks.setdefault(draft.thread_id, asyncio.Lock()):
            yield await self._find(draft, player_id)

    async def _find(self, draft: Draft, player_id: int | None) -> Comment | None:
        try:
            is_reply = draft.kind is DraftKind.REPLY
            places = await (self._below_parent(draft) if is_reply else self._on_top(draft))
        except GameError as error:
            raise ArrivalUnknown from error
        since = draft.created_at
        if player_id is not None:
            # A member's own words may be told by the game's clock, however wrong that is: by the
            # newest comment there. Those of anybody else are told by ours.
            since = min(since, max((c.created_at for c in places.comments), default=since))
        for comment in places.comments:
            is_ours = player_id in (None, comment.player.id)
            is_new = comment.created_at >= since - _CLOCKS_DIFFER or comment.id in places.newest
            if not (is_ours and is_new and comment.content.split() == draft.sent.split()):
                continue
            # One that Kiosk knows already was another text.
            if await self._authored.find(comment.id) is None:
                return comment
        if not places.are_all:
            raise ArrivalUnknown
        return None

    async def _on_top(self, draft: Draft) -> _Places:
        newest: list[Comment] = []
        async for page in self._walk(PageKey(draft.thread_id or 0)):
            newest += page.entries
            if not page.entries or page.entries[-1].created_at < draft.created_at - _CLOCKS_DIFFER:
                break
        return _Places(newest, [comment.id for comment in newest[:1]], are_all=True)

    async def _below_parent(self, draft: Draft) -> _Places:
        thread_id, parent_id = draft.thread_id or 0, draft.comment_id or 0
        known = (
            key
            for key, page in self._client.comments.items()
            if key.thread_id == thread_id and find_branch(page.entries, parent_id)
        )
        async for page in self._walk(next(known, PageKey(thread_id))):
            branch = find_branch(page.entries, parent_id)
            if branch is not None:
                replies = branch.comment.children
                return _Places(
                    list(all_comments([branch.root])),
                    # Whether the newest reply stands first or last is not shown.
                    [reply.id for reply in (*replies[:1], *replies[-1:])],
                    are_all=branch.comment.children_count <= len(replies),
                )
        return _Places((), (), are_all=False)

    async def _walk(self, key: PageKey) -> AsyncGenerator[Page[Comment]]:
        for _ in range(_MOST_PAGES):
            page = await self._client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0
            )
            yield page
            if not page.has_next:
                return
            key = replace(key, page=key.page + 1)


def says_taken(error: UnknownOutcome, draft: Draft) -> bool:
    """Return whether an answer that can't be read is a yes all the same.

    A success without a body is. One with a page of HTML may be anybody's but the game's; one
    with other fields than shown is believed only where sending again does no harm.
    """
    if not error.was_taken:
        return False
    if isinstance(error.cause, NoBody):
        return True
    return draft.kind is DraftKind.EDIT and not isinstance(error.cause, NotJson)
