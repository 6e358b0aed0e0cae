"""Send a kept text once, and settle what became of it.

A text is held while it is sent, so that nobody else sends it. Where it may have arrived, the
thread is looked through before it is sent again.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.forum.arrival import find_arrived
from bot.features.forum.comment_cache import CommentCache
from bot.features.forum.errors import (
    ArrivalUnknown,
    CommentNotInGame,
    DraftBusy,
    NotArrived,
    TextTooLong,
    ThreadNotInGame,
)
from bot.features.forum.trees import listed
from bot.game.client import GameClient
from bot.game.errors import GameError, NoBody, NotFound, NotJson, Timeout, UnknownOutcome
from bot.game.models import Comment, WrittenComment
from storage.authored import Authored, AuthoredComments
from storage.drafts import Draft, DraftKind, Drafts, DraftState, NewDraft

# What the game's service takes; a game that takes less says so itself.
LONGEST_COMMENT = 5000
# Longer than sending can take: whoever held a text for this long is gone.
_LONGEST_SENDING = timedelta(seconds=45)
# A game that was too slow to answer may still take the text; no later than this, one hopes.
_LONGEST_DELAY = timedelta(seconds=30)
_EXCERPT_LENGTH = 90


@dataclass(frozen=True)
class Written:
    """What became of a text; `comment` is None when the game took it but did not show it."""

    kind: DraftKind
    thread_id: int | None
    parent_id: int | None
    comment: Comment | None


class Unsent(KioskError):
    """A text was not sent; it is kept as `draft`, and `cause` says what stands in the way."""

    def __init__(self, draft: Draft, cause: KioskError | GameError) -> None:
        super().__init__()
        self.draft = draft
        self.cause = cause


class Delivery:
    """Brings texts to the game. Its methods must be let run to their end; they raise Unsent."""

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        pages: CommentCache,
        drafts: Drafts,
        authored: AuthoredComments,
        now: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._pages = pages
        self._drafts = drafts
        self._authored = authored
        self._now = now
        self._claims: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    async def send(self, new: NewDraft) -> Written:
        """Keep a text, then send it."""
        now = self._now()
        return await self._deliver(
            await self._drafts.add(new, now=now, held_until=now + _LONGEST_SENDING)
        )

    async def hold(self, draft: Draft, text: str) -> Draft | None:
        """Take the right to send `text` for a draft, or give None if somebody else has it."""
        now = self._now()
        return await self._drafts.hold(draft, text=text, now=now, held_until=now + _LONGEST_SENDING)

    async def send_again(self, held: Draft, *, is_sure: bool) -> Written:
        """Send a held text, unless it has arrived; `is_sure` leaves out looking.

        Raises DraftBusy where looking took so long that somebody else holds the text.
        """
        may_have_arrived = held.state is not DraftState.OPEN and not is_sure
        if may_have_arrived and held.kind is not DraftKind.EDIT:
            async with self._claim(held):
                try:
                    arrived = await self._look(held)
                except ArrivalUnknown as error:
                    raise await self._keep(held, DraftState.UNKNOWN, error) from error
                if arrived is not None:
                    return await self._settle_or_reword(held, arrived)
        renewed = await self._drafts.renew(held, held_until=self._now() + _LONGEST_SENDING)
        if renewed is None:
            raise DraftBusy
        return await self._deliver(renewed)

    async def _settle_or_reword(self, draft: Draft, arrived: WrittenComment) -> Written:
        """End a draft whose text has arrived; a text put in its place becomes an edit."""
        if draft.text == draft.sent:
            return await self._settle(draft, arrived)
        now = self._now()
        edit = NewDraft(draft.member_id, DraftKind.EDIT, draft.thread_id, arrived.id, draft.text)
        kept = await self._drafts.add(edit, now=now, held_until=now + _LONGEST_SENDING)
        await self._settle(draft, arrived)
        return await self._deliver(kept)

    async def _deliver(self, draft: Draft) -> Written:
        try:
            written = await self._ask_game(draft)
        except UnknownOutcome as error:
            return await self._after_silence(draft, error)
        except (KioskError, GameError) as error:
            raise await self._keep(draft, DraftState.OPEN, error) from error
        settled = await self._settle(draft, written)
        # From the answer alone: a comment that was found by its words may be somebody else's.
        await self._accounts.remember_player(
            draft.member_id, written.player.id, written.player.screen_name
        )
        return settled

    async def _ask_game(self, draft: Draft) -> WrittenComment:
        if len(draft.text) > LONGEST_COMMENT:
            raise TextTooLong(count=len(draft.text), limit=LONGEST_COMMENT)
        async with self._accounts.acting_as(draft.member_id) as caller:
            try:
                if draft.kind is DraftKind.EDIT and draft.comment_id is not None:
                    return await self._client.update_comment(caller, draft.comment_id, draft.text)
                thread_id = draft.thread_id or 0
                return await self._client.create_comment(
                    caller, thread_id, draft.text, parent_id=draft.comment_id
                )
            except NotFound as error:
                if draft.comment_id is None:
                    raise ThreadNotInGame(name=str(draft.thread_id)) from error
                raise CommentNotInGame(name=str(draft.comment_id)) from error

    async def _after_silence(self, draft: Draft, error: UnknownOutcome) -> Written:
        doubt: KioskError = NotArrived()
        async with self._claim(draft):
            try:
                arrived = None if draft.kind is DraftKind.EDIT else await self._look(draft)
            except ArrivalUnknown as unknown:
                arrived, doubt = None, unknown
            if arrived is not None or _says_taken(error, draft):
                return await self._settle(draft, arrived)
        delay = _LONGEST_DELAY if isinstance(error.cause, Timeout) else timedelta()
        cause = error if draft.kind is DraftKind.EDIT else doubt
        raise await self._keep(draft, DraftState.UNKNOWN, cause, delay) from error

    async def _keep(
        self,
        draft: Draft,
        state: DraftState,
        cause: KioskError | GameError,
        delay: timedelta = timedelta(),
    ) -> Unsent:
        kept = await self._drafts.release(draft, state, held_until=self._now() + delay)
        return Unsent(kept, cause)

    def _claim(self, draft: Draft) -> asyncio.Lock:
        """Keep two drafts of a thread from being taken for one comment while they are looked for.

        Between looking and settling nobody else may look.
        """
        return self._claims.setdefault(draft.thread_id, asyncio.Lock())

    async def _look(self, draft: Draft) -> WrittenComment | None:
        """Look whether a text has arrived. Raises ArrivalUnknown."""
        player_id = await self._accounts.player_of(draft.member_id)
        try:
            return await find_arrived(self._pages, self._authored, draft, player_id)
        except GameError as error:
            raise ArrivalUnknown from error

    async def _settle(self, draft: Draft, written: WrittenComment | None) -> Written:
        authored = None
        parent_id = draft.comment_id if draft.kind is DraftKind.REPLY else None
        if draft.kind is DraftKind.EDIT and draft.comment_id is not None:
            self._pages.reword(draft.thread_id, draft.comment_id, draft.text)
            await self._authored.reword(draft.comment_id, _excerpt(draft.text))
        elif written is not None and draft.thread_id is not None:
            self._pages.add(draft.thread_id, parent_id, written)
            authored = Authored(
                draft.member_id, written.id, draft.thread_id, _excerpt(draft.text), self._now()
            )
        await self._drafts.settle(draft, authored)
        comment = None if written is None else listed(written)
        return Written(draft.kind, draft.thread_id, parent_id, comment)


def _says_taken(error: UnknownOutcome, draft: Draft) -> bool:
    """Tell whether an answer that can't be read is a yes all the same.

    A success without a body is. One with a page of HTML may be anybody's but the game's; one
    with other fields than shown is believed only where sending again does no harm.
    """
    if error.status is None or error.status >= 300:
        return False
    if isinstance(error.cause, NoBody):
        return True
    return draft.kind is DraftKind.EDIT and not isinstance(error.cause, NotJson)


def _excerpt(text: str) -> str:
    return " ".join(text.split())[:_EXCERPT_LENGTH]
