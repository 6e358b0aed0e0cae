"""Find out whether a text whose answer never came is in its thread."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from bot.domain.drafts import Draft, DraftKind
from bot.features.accounts import Accounts
from bot.features.forum.comment_cache import CommentCache
from bot.features.forum.errors import ArrivalUnknown
from bot.features.forum.screens import PageKey
from bot.features.forum.trees import all_comments, find_branch
from bot.game.errors import GameError, NoBody, NotJson, UnknownOutcome
from bot.game.models import Comment, Page
from storage.authored import AuthoredComments

# The game's clock and ours may differ by this much.
_CLOCKS_DIFFER = timedelta(minutes=10)
_MOST_PAGES = 5


class Reconciler:
    """Looks for texts in their threads, as the game has them now."""

    def __init__(self, pages: CommentCache, authored: AuthoredComments, accounts: Accounts) -> None:
        self._pages = pages
        self._authored = authored
        self._accounts = accounts
        self._looking: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    def alone(self, draft: Draft) -> asyncio.Lock:
        """Return what to hold from looking to settling: who looks in a draft's thread, alone.

        Otherwise two drafts could be taken for one comment.
        """
        return self._looking.setdefault(draft.thread_id, asyncio.Lock())

    async def find(self, draft: Draft) -> Comment | None:
        """Return the comment that a draft has become, if it has. Raises ArrivalUnknown.

        A comment that Kiosk knows already is not it, and an edit becomes none.
        """
        if draft.kind is DraftKind.EDIT:
            return None
        player_id = await self._accounts.player_of(draft.member_id)
        try:
            places = await _places(self._pages, draft)
        except GameError as error:
            raise ArrivalUnknown from error
        since = _since(places, draft, player_id)
        for comment in places.comments:
            is_ours = player_id in (None, comment.player.id)
            is_new = comment.created_at >= since or comment.id in places.newest
            if not (is_ours and is_new and _says_the_same(comment, draft)):
                continue
            if await self._authored.find(comment.id) is None:
                return comment
        if not places.are_all:
            raise ArrivalUnknown
        return None


def says_taken(error: UnknownOutcome, draft: Draft) -> bool:
    """Return whether an answer that can't be read is a yes all the same.

    A success without a body is. One with a page of HTML may be anybody's but the game's; one
    with other fields than shown is believed only where sending again does no harm.
    """
    if error.status is None or error.status >= 300:
        return False
    if isinstance(error.cause, NoBody):
        return True
    return draft.kind is DraftKind.EDIT and not isinstance(error.cause, NotJson)


@dataclass(frozen=True)
class _Places:
    """The comments among which a text would be; `are_all` when it can be nowhere else.

    `newest` are the ids of those that came last, going by their place.
    """

    comments: Sequence[Comment]
    newest: frozenset[int]
    are_all: bool


async def _places(pages: CommentCache, draft: Draft) -> _Places:
    thread_id = draft.thread_id or 0
    if draft.kind is DraftKind.REPLY and draft.comment_id is not None:
        return await _around_parent(pages, thread_id, draft.comment_id)
    newest: list[Comment] = []
    async for page in _walk(pages, PageKey(thread_id)):
        newest += page.entries
        if not page.entries or page.entries[-1].created_at < draft.created_at - _CLOCKS_DIFFER:
            break
    return _Places(newest, frozenset(comment.id for comment in newest[:1]), are_all=True)


async def _around_parent(pages: CommentCache, thread_id: int, parent_id: int) -> _Places:
    known = (key for key, page in pages.at_hand(thread_id) if find_branch(page.entries, parent_id))
    async for page in _walk(pages, next(known, PageKey(thread_id))):
        branch = find_branch(page.entries, parent_id)
        if branch is not None:
            parent = branch.comment
            # Whether the newest reply stands first or last is not shown.
            ends = (*parent.children[:1], *parent.children[-1:])
            return _Places(
                list(all_comments([branch.root])),
                frozenset(comment.id for comment in ends),
                are_all=parent.children_count <= len(parent.children),
            )
    return _Places((), frozenset(), are_all=False)


async def _walk(pages: CommentCache, key: PageKey) -> AsyncGenerator[Page[Comment]]:
    for _ in range(_MOST_PAGES):
        page = await pages.ask(key, fresh=True)
        yield page
        if not page.has_next:
            return
        key = replace(key, page=key.page + 1)


def _says_the_same(comment: Comment, draft: Draft) -> bool:
    return comment.content.split() == draft.sent.split()


def _since(places: _Places, draft: Draft, player_id: int | None) -> datetime:
    """Return the time before which nothing that looks like a draft is one.

    A member's own words may be told by the game's clock, however wrong that is: by the newest
    comment there. Those of anybody else are told by ours.
    """
    moments = [draft.created_at]
    if player_id is not None:
        moments.append(max((c.created_at for c in places.comments), default=draft.created_at))
    return min(moments) - _CLOCKS_DIFFER
