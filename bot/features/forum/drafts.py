"""Write in threads: every text is kept before it is sent, sent once, and settled."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks, to_its_end
from bot.domain.drafts import KEPT, MOST_KEPT, Draft, DraftKind, DraftState, NewDraft, Outcome
from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.errors import (
    DraftBusy,
    DraftGone,
    DraftUnreadable,
    ForumError,
    GivenBack,
    NotKept,
    TextInDoubt,
    TextMissing,
    TooManyUnsent,
)
from bot.features.forum.reconcile import Reconciler
from bot.features.forum.sending import LEASE, Sender
from bot.features.forum.settling import Settler, Written
from bot.features.forum.trees import CommentCache
from bot.game.client import GameClient
from bot.visible import is_visible
from storage.drafts import Drafts
from storage.errors import NotUnique, StatementFailed
from storage.outcomes import AuthoredComments, Untold

log = logging.getLogger(__name__)

# Between two attempts to write down what the game has answered, in seconds.
_PAUSE = 0.3
# By then, whoever was about to tell a member in answer to a press has done so.
_UNTOLD = timedelta(minutes=1)

T = TypeVar("T", Draft, Outcome)


class UntoldTexts(Struct, frozen=True):
    """What a member was not told: texts whose sending was cut off, and what others came to."""

    drafts: Sequence[Draft]
    outcomes: Sequence[Outcome]


class DraftService:
    """What members write. `now` tells the time, aware; `untold` is what nobody told them yet.

    A draft that is kept or taken is sent next, by the same caller, who then says that the member
    was told, or lets it go. What has begun is finished: a member who gives up waiting, or a bot
    that stops, must not leave a text half sent.
    """

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        drafts: Drafts,
        authored: AuthoredComments,
        untold: Untold,
        tasks: BackgroundTasks,
        now: Callable[[], datetime],
        *,
        pause: float = _PAUSE,
    ) -> None:
        self._drafts = drafts
        self.untold = untold
        self._now = now
        self.tasks = tasks
        self.settler = Settler(CommentCache(client), drafts, authored, tasks, now, pause)
        self.sender = Sender(
            client, accounts, drafts, Reconciler(client, authored, now), self.settler, tasks, now
        )
        # The drafts that this process is at work on: their writers wait for the answer.
        self._in_hand: set[int] = set()

    @to_its_end
    async def keep(self, new: NewDraft, draft_id: int) -> Draft | None:
        """Write a text down, to be sent. Raises TextMissing, GivenBack.

        `draft_id` is the id of the interaction that brought it. Two processes may hear of one, as
        where a stalled one wakes up; returns None where another was first, and sends it.
        """
        new = replace(new, text=new.text.strip())
        if not is_visible(new.text) and new.kind is not DraftKind.DELETE:
            raise TextMissing
        if draft_id in self._in_hand:
            return None
        now = self._now()
        self._in_hand.add(draft_id)
        draft = None
        try:
            draft = await self._drafts.add(
                new, draft_id=draft_id, now=now, until=now + LEASE, oldest=now - KEPT
            )
        except NotUnique:
            log.info("what brought a text was heard before, and is answered elsewhere")
            return None
        except StatementFailed as error:
            log.warning("a text can't be written down: %s", error)
            raise GivenBack(new.text, NotKept()) from error
        finally:
            if draft is None:
                self._in_hand.discard(draft_id)
        if draft is None:
            raise GivenBack(new.text, TooManyUnsent(limit=MOST_KEPT))
        return draft

    @to_its_end
    async def take(self, member_id: int, draft_id: int, *, text: str | None = None) -> Draft:
        """Take a kept text, or another in its place, to be sent again.

        Raises DraftGone, DraftBusy, DraftUnreadable, TextMissing; GivenBack with another text that
        can't take its place.
        """
        now, text = self._now(), text and text.strip()
        if text is not None and not is_visible(text):
            raise TextMissing
        try:
            draft = await self.draft(member_id, draft_id)
            held = await self._drafts.take(draft, now=now, until=now + LEASE, text=text)
            if held is None:
                # Whoever held it may have sent it meanwhile: then it is gone.
                draft = await self.draft(member_id, draft_id)
                is_changed = text is not None and draft.state is DraftState.UNKNOWN
                raise TextInDoubt if is_changed else DraftBusy
        except (ForumError, StatementFailed) as error:
            if text is None:
                raise
            cause = error if isinstance(error, ForumError) else NotKept()
            raise GivenBack(text, cause) from error
        self._in_hand.add(held.id)
        return held

    async def rule_out(self, member_id: int, draft_id: int, comment_id: int) -> Draft:
        """Note that a comment is not what a text became, as its writer says. Raises DraftGone."""
        await self._drafts.rule_out(draft_id, member_id, comment_id)
        return await self.draft(member_id, draft_id)

    async def draft(self, member_id: int, draft_id: int) -> Draft:
        """Return a member's kept text. Raises DraftGone, DraftUnreadable."""
        draft = await self._drafts.find(draft_id, member_id, oldest=self._now() - KEPT)
        if draft is None:
            raise DraftGone
        if not draft.is_readable:
            raise DraftUnreadable
        return self._as_of_now(draft)

    async def unsent(self, member_id: int) -> Sequence[Draft]:
        """Return the texts of a member that are kept, the newest first."""
        kept = await self._drafts.of_member(member_id, oldest=self._now() - KEPT)
        return [self._as_of_now(one) for one in kept]

    async def news(self, member_id: int) -> UntoldTexts:
        """Return what a member was not told of their texts."""
        oldest = self._now() - KEPT
        try:
            outcomes = await self.untold.outcomes(member_id, oldest=oldest)
            kept = await self._drafts.of_member(member_id, oldest=oldest)
        except StatementFailed as error:
            log.warning("what a member was not told can't be read now: %s", error)
            return UntoldTexts((), ())
        untold = [one for one in kept if not one.is_told]
        return UntoldTexts(await self._tellable(untold), await self._tellable(outcomes))

    async def note_told(self, *told: Draft | Outcome | Written) -> None:
        """Note that Discord took what says how these stand."""
        # Where that can't be written down, the member is told twice.
        with suppress(StatementFailed):
            for one in told:
                if isinstance(one, Draft):
                    await self._drafts.note_told(one)
                else:
                    await self.untold.remove_outcome(one.id)

    def let_go(self, draft: Draft) -> None:
        """Note that nobody here is at work on a draft any more."""
        self._in_hand.discard(draft.id)

    @to_its_end
    async def set_aside(self, keeping: Awaitable[Draft | None]) -> None:
        """Leave what was kept too late unsent: its writer was given it back."""
        with suppress(KioskError):
            draft = await keeping
            if draft is not None:
                await self.settler.release(draft, DraftState.OPEN, NotKept())
                self.let_go(draft)

    async def discard(self, member_id: int, draft_id: int) -> None:
        """Forget a kept text. Raises DraftGone, DraftBusy."""
        if not await self._drafts.discard(draft_id, member_id, now=self._now()):
            await self.draft(member_id, draft_id)
            raise DraftBusy

    async def look_after(self) -> None:
        """Look for texts whose sending was cut off, and owe their writers the news."""
        await self.sender.look_for_left_behind()
        now = self._now()
        await self.untold.owe(before=now - _UNTOLD, oldest=now - KEPT)

    async def _tellable(self, untold: Sequence[T]) -> Sequence[T]:
        """Return those that nobody is telling just now; no message is owed for them any more."""
        waiting = [one for one in untold if one.id not in self._in_hand]
        return [one for one in waiting if await self.untold.take_back(one)]

    def _as_of_now(self, draft: Draft) -> Draft:
        """Return a draft without its claim where that has run out."""
        return replace(draft, claimed_by="") if draft.due_at <= self._now() else draft
