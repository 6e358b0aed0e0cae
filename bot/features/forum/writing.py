"""Writing in threads: every text is kept before it is sent, and sent once."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from bot.errors import (
    ArrivalUnknown,
    CommentNotInGame,
    DraftBusy,
    DraftGone,
    KioskError,
    NotArrived,
    TextMissing,
    TextTooLong,
    ThreadNotInGame,
)
from bot.features.accounts import Accounts
from bot.features.forum.arrival import find_arrived
from bot.features.forum.pages import Pages
from bot.features.forum.trees import listed
from bot.game.client import GameClient
from bot.game.detached import DetachedTasks
from bot.game.errors import GameError, NotFound, Timeout, UnknownOutcome
from bot.game.models import Comment, WrittenComment
from storage.authored import Authored, AuthoredComments
from storage.drafts import Draft, DraftKind, Drafts, DraftState, NewDraft

# Cogs know these from here: storage is not theirs to import.
__all__ = [
    "KEPT",
    "LONGEST_COMMENT",
    "Authored",
    "Draft",
    "DraftKind",
    "DraftState",
    "Unsent",
    "Writing",
    "Written",
]

T = TypeVar("T")

# What the game's service takes; a game that takes less says so itself.
LONGEST_COMMENT = 5000
# How long an unsent text is kept.
KEPT = timedelta(hours=24)
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


class Writing:
    """What members write. `now` tells the time, aware."""

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        pages: Pages,
        drafts: Drafts,
        authored: AuthoredComments,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._pages = pages
        self._drafts = drafts
        self._authored = authored
        self._now = now
        self._tasks = DetachedTasks()

    async def close(self) -> None:
        """Let what is being sent come to its end."""
        await self._tasks.finish(cancel=False)

    async def post(
        self, member_id: int, thread_id: int, text: str, *, parent_id: int | None = None
    ) -> Written:
        """Write a comment, or a reply to `parent_id`. Raises TextMissing, Unsent."""
        kind = DraftKind.POST if parent_id is None else DraftKind.REPLY
        return await self._begin(NewDraft(member_id, kind, thread_id, parent_id, text.strip()))

    async def edit(
        self, member_id: int, thread_id: int | None, comment_id: int, text: str
    ) -> Written:
        """Change the text of the member's own comment. Raises TextMissing, Unsent."""
        return await self._begin(
            NewDraft(member_id, DraftKind.EDIT, thread_id, comment_id, text.strip())
        )

    async def retry(
        self, member_id: int, draft_id: int, *, text: str | None = None, is_sure: bool = False
    ) -> Written:
        """Send a kept text, or another in its place, unless the first has arrived meanwhile.

        `is_sure` sends it without looking. Raises DraftGone, DraftBusy, TextMissing, Unsent.
        """
        if text is not None and not text.strip():
            raise TextMissing
        draft = await self.draft(member_id, draft_id)
        now = self._now()
        held = await self._drafts.hold(
            draft,
            text=draft.text if text is None else text.strip(),
            now=now,
            held_until=now + _LONGEST_SENDING,
        )
        if held is None:
            # Whoever held it may have sent it meanwhile: then it is gone.
            await self.draft(member_id, draft_id)
            raise DraftBusy
        may_have_arrived = held.state is not DraftState.OPEN and not is_sure
        return await self._detached(self._resume(held, may_have_arrived))

    async def delete(self, member_id: int, comment_id: int) -> None:
        """Delete the member's own comment. Raises CommentNotInGame, KioskError, GameError."""
        await self._detached(self._delete(member_id, comment_id))

    async def draft(self, member_id: int, draft_id: int) -> Draft:
        """Give a member's kept text. Raises DraftGone."""
        draft = await self._drafts.find(draft_id, member_id, oldest=self._now() - KEPT)
        if draft is None:
            raise DraftGone
        return draft

    async def waiting(self, member_id: int) -> Sequence[Draft]:
        """Give the texts of a member that wait to be sent, the newest first."""
        now = self._now()
        return await self._drafts.waiting(member_id, now=now, oldest=now - KEPT)

    async def was_interrupted(self, member_id: int) -> bool:
        """Tell, once, whether a text was being sent when Kiosk itself was cut off."""
        return await self._drafts.give_up(member_id, now=self._now())

    async def discard(self, member_id: int, draft_id: int) -> None:
        """Forget a kept text. Raises DraftGone, DraftBusy."""
        if not await self._drafts.discard(draft_id, member_id, now=self._now()):
            await self.draft(member_id, draft_id)
            raise DraftBusy

    async def purge(self) -> int:
        """Forget what is older than a day; gives how many texts went."""
        return await self._drafts.purge(oldest=self._now() - KEPT)

    async def authored(self, member_id: int, limit: int) -> Sequence[Authored]:
        """Give what a member wrote last through Kiosk."""
        return await self._authored.latest(member_id, limit)

    async def find_authored(self, comment_id: int) -> Authored | None:
        """Give what Kiosk knows of a comment it wrote for anybody."""
        return await self._authored.find(comment_id)

    async def _detached(self, work: Coroutine[Any, Any, T]) -> T:
        # A member who gives up waiting, or a bot that stops, must not leave a text half sent.
        return await asyncio.shield(self._tasks.start(work))

    async def _begin(self, new: NewDraft) -> Written:
        if not new.text:
            raise TextMissing
        return await self._detached(self._keep_and_deliver(new))

    async def _keep_and_deliver(self, new: NewDraft) -> Written:
        now = self._now()
        draft = await self._drafts.add(new, now=now, held_until=now + _LONGEST_SENDING)
        return await self._deliver(draft)

    async def _resume(self, draft: Draft, may_have_arrived: bool) -> Written:
        if may_have_arrived and draft.kind is not DraftKind.EDIT:
            try:
                arrived = await self._look(draft)
            except ArrivalUnknown as error:
                raise await self._keep(draft, DraftState.UNKNOWN, error) from error
            if arrived is not None:
                return await self._settle_or_reword(draft, arrived)
        # Looking may have taken longer than the text was held for.
        held = await self._drafts.renew(draft, held_until=self._now() + _LONGEST_SENDING)
        if held is None:
            raise DraftBusy
        return await self._deliver(held)

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
            written = await self._send(draft)
        except UnknownOutcome as error:
            return await self._after_silence(draft, error)
        except (KioskError, GameError) as error:
            raise await self._keep(draft, DraftState.OPEN, error) from error
        return await self._settle(draft, written)

    async def _send(self, draft: Draft) -> WrittenComment:
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
        was_taken = error.status is not None and error.status < 300
        arrived, doubt = None, NotArrived()
        try:
            arrived = None if draft.kind is DraftKind.EDIT else await self._look(draft)
        except ArrivalUnknown as unknown:
            doubt = unknown
        if arrived is not None or was_taken:
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

    async def _look(self, draft: Draft) -> WrittenComment | None:
        """Look whether a text has arrived. Raises ArrivalUnknown."""
        try:
            player_id = await self._accounts.player_of(draft.member_id)
            return await find_arrived(self._pages, self._authored, draft, player_id)
        except GameError as error:
            raise ArrivalUnknown from error

    async def _settle(self, draft: Draft, written: WrittenComment | None) -> Written:
        authored = None
        parent_id = draft.comment_id if draft.kind is DraftKind.REPLY else None
        if draft.kind is DraftKind.EDIT and draft.comment_id is not None:
            self._pages.reword(draft.comment_id, draft.text)
            await self._authored.reword(draft.comment_id, _excerpt(draft.text))
        elif written is not None and draft.thread_id is not None:
            self._pages.add(draft.thread_id, parent_id, written)
            authored = Authored(
                draft.member_id, written.id, draft.thread_id, _excerpt(draft.text), self._now()
            )
        await self._drafts.settle(draft, authored)
        if written is not None:
            await self._accounts.remember_player(
                draft.member_id, written.player.id, written.player.screen_name
            )
        comment = None if written is None else listed(written)
        return Written(draft.kind, draft.thread_id, parent_id, comment)

    async def _delete(self, member_id: int, comment_id: int) -> None:
        try:
            async with self._accounts.acting_as(member_id) as caller:
                await self._client.delete_comment(caller, comment_id)
        except NotFound as error:
            await self._forget(comment_id)
            raise CommentNotInGame(name=str(comment_id)) from error
        except UnknownOutcome as error:
            if error.status is None or error.status >= 300:
                raise
        await self._forget(comment_id)

    async def _forget(self, comment_id: int) -> None:
        self._pages.remove(comment_id)
        await self._authored.remove(comment_id)


def _excerpt(text: str) -> str:
    return " ".join(text.split())[:_EXCERPT_LENGTH]
