"""Send a kept text once, and settle it by the game's answer or by what its thread shows."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from bot.background import BackgroundTasks, to_its_end
from bot.domain.drafts import CHANGES, LONGEST_COMMENT, Draft, DraftKind, DraftState
from bot.errors import AccountError, KioskError
from bot.features.accounts import Accounts
from bot.features.errors import (
    AnsweredGone,
    ArrivalUnknown,
    CommentNotInGame,
    DraftBusy,
    GivenBack,
    IsItYours,
    MayStillArrive,
    NotArrived,
    NotKept,
    TextTooLong,
    ThreadNotInGame,
    TokenInText,
    Unsent,
)
from bot.features.forum.reconcile import Reconciler
from bot.features.forum.settling import Settler, Written
from bot.game.client import GameClient
from bot.game.errors import GameError, NotFound, Unavailable, UnknownOutcome
from bot.game.models import WrittenComment
from storage.drafts import Drafts
from storage.errors import StatementFailed
from storage.links import Link

log = logging.getLogger(__name__)

# A text goes out within the first of these, and what went out may arrive for the second: whoever
# held it for longer is gone, and the game has it or never will.
_SENDING = timedelta(seconds=10)
_ARRIVING = timedelta(seconds=35)
LEASE = _SENDING + _ARRIVING
# A game may show what it has taken so much later; for who looks, what isn't there may still come.
_SHOWN_LATE = timedelta(minutes=5)
# A shorter token may be a word.
_SHORTEST_TOKEN = 8


class Sender:
    """Sends what it is handed; `now` tells the time, aware."""

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        drafts: Drafts,
        reconciler: Reconciler,
        settler: Settler,
        tasks: BackgroundTasks,
        now: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._drafts = drafts
        self._reconciler = reconciler
        self._settler = settler
        self.tasks = tasks
        self._now = now
        self._changing: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    @to_its_end
    async def send(self, held: Draft, *, is_sure: bool = False) -> Written:
        """Send a held text, unless it has arrived or may still; `is_sure` leaves out looking.

        Raises Unsent; GivenBack; DraftBusy where somebody else has it by now; for a deletion,
        KioskError or GameError too.
        """
        return await self._look(held, is_sure=is_sure) or await self._send_now(held)

    @to_its_end
    async def send_as_post(self, held: Draft) -> Written:
        """Send a held reply as a comment of its thread, unless it has arrived as a reply."""
        if written := await self._look(held, is_sure=False):
            return written
        post = await self._drafts.become_post(held)
        if post is None:
            raise DraftBusy
        return await self._send_now(post)

    @to_its_end
    async def settle_as(self, held: Draft, comment_id: int) -> Written:
        """End a held draft that has become a comment, as its writer says. Raises Unsent."""
        try:
            return await self._settler.settle(held, None, comment_id=comment_id)
        except ArrivalUnknown as error:
            raise await self._settler.release(held, DraftState.UNKNOWN, error) from error

    async def _look(self, held: Draft, *, is_sure: bool) -> Written | None:
        """Settle a text in doubt that has arrived; None where it may be sent. Raises Unsent."""
        # The same change made twice does no harm.
        if held.state is DraftState.OPEN or held.kind in CHANGES:
            return None
        until = held.arrives_until
        if not is_sure:
            try:
                async with self._reconciler.looking(held) as arrived:
                    if arrived is not None:
                        return await self._settler.settle(held, arrived)
            except (ArrivalUnknown, IsItYours) as error:
                raise await self._settler.release(held, DraftState.UNKNOWN, error) from error
            until = until and until + _SHOWN_LATE
        if until is not None and self._now() < until:
            late = MayStillArrive(when=until)
            raise await self._settler.release(held, DraftState.UNKNOWN, late)
        return None

    async def _send_now(self, held: Draft) -> Written:
        """Note that a text is sent, and send it. A change waits for the one before it."""
        changing = self._changing.setdefault(held.comment_id, asyncio.Lock())
        async with changing if held.kind in CHANGES else nullcontext():
            link, sent = await self._mark_sent(held)
            try:
                written = await self._ask(sent, link)
                settled = await self._settler.settle(sent, written)
            except UnknownOutcome as error:
                return await self._settle_if_arrived(sent, error)
            except GivenBack:
                await self._settler.forget(sent)
                raise
            except ArrivalUnknown as error:
                raise await self._settler.release(sent, DraftState.UNKNOWN, error) from error
            except (KioskError, GameError) as error:
                raise await self._unsent(sent, error, DraftState.OPEN) from error
        if written is not None:
            # From the answer alone: a comment found by its words may be somebody else's.
            with suppress(StatementFailed):
                await self._accounts.remember_player(link, written.player)
        return settled

    async def _mark_sent(self, held: Draft) -> tuple[Link, Draft]:
        try:
            if len(held.text) > LONGEST_COMMENT:
                raise TextTooLong(count=len(held.text), limit=LONGEST_COMMENT)
            link = await self._accounts.require(held.member_id)
            sent = await self._drafts.mark_sent(
                held,
                until=self._now() + LEASE,
                sent_at=self._client.game_now(),
                newest_before=self._reconciler.newest_at_hand(held.thread_id),
                player_id=link.player_id,
            )
        except StatementFailed as error:
            raise await self._settler.release(held, held.state, NotKept()) from error
        except (AccountError, TextTooLong) as error:
            # What may have arrived may have still.
            raise await self._unsent(held, error, held.state) from error
        if sent is None:
            raise DraftBusy
        return link, sent

    async def _ask(self, draft: Draft, link: Link) -> WrittenComment | None:
        """Return the comment as the game has it now, None after a deletion."""
        async with self._accounts.using(link) as caller:
            left = (draft.due_at - _ARRIVING - self._now()).total_seconds()
            if left <= 0:
                # This process stood still, and somebody else may have the text by now.
                raise DraftBusy
            before = time.monotonic() + left
            comment_id, text = draft.comment_id, draft.text
            token = caller.token.get_secret_value()
            if len(token) >= _SHORTEST_TOKEN and token in text:
                # It would be shown to everybody; nor does its writer's card show it.
                raise GivenBack(text.replace(token, "…"), TokenInText())
            try:
                if draft.kind is DraftKind.DELETE and comment_id is not None:
                    await self._client.delete_comment(
                        caller, comment_id, thread_id=draft.thread_id, send_before=before
                    )
                    return None
                if draft.kind is DraftKind.EDIT and comment_id is not None:
                    return await self._client.update_comment(
                        caller, comment_id, text, thread_id=draft.thread_id, send_before=before
                    )
                return await self._client.create_comment(
                    caller, draft.thread_id, text, parent_id=comment_id, send_before=before
                )
            except NotFound as error:
                if draft.kind is DraftKind.DELETE:
                    await self._settler.forget_comment(draft)
                if draft.kind is DraftKind.REPLY:
                    raise AnsweredGone from error
                raise (
                    ThreadNotInGame(name=str(draft.thread_id))
                    if comment_id is None
                    else CommentNotInGame(name=str(comment_id))
                ) from error

    async def _unsent(
        self, draft: Draft, error: KioskError | GameError, state: DraftState
    ) -> Unsent:
        """Let go of a draft that the game does not have; raises the error for a deletion."""
        is_busy = isinstance(error, Unavailable | DraftBusy)
        if draft.kind is DraftKind.DELETE and state is DraftState.OPEN and not is_busy:
            # There is nothing to keep of a deletion that was refused.
            await self._settler.forget(draft)
            raise error
        return await self._settler.release(draft, state, error)

    async def _settle_if_arrived(self, draft: Draft, error: UnknownOutcome) -> Written:
        cause: KioskError | GameError = error
        if draft.kind not in CHANGES:
            cause = NotArrived()
            try:
                async with self._reconciler.looking(draft) as arrived:
                    if arrived is not None:
                        return await self._settler.settle(draft, arrived)
            except (ArrivalUnknown, IsItYours) as unknown:
                cause = unknown
        raise await self._settler.release(draft, DraftState.UNKNOWN, cause) from error

    async def look_for_left_behind(self) -> None:
        """Look for what processes that are gone had in hand; its writers are told of it later."""
        now = self._now()
        for draft in await self._drafts.left_behind(now=now):
            held = await self._drafts.take(draft, now=now, until=now + LEASE)
            if held is not None:
                has_arrived = await self._look_for(held)
                log.info("a text was left behind; it has %sarrived", "" if has_arrived else "not ")

    @to_its_end
    async def _look_for(self, held: Draft) -> bool:
        """Settle a held draft if it has arrived, else let it go; return whether it has."""
        if held.kind in CHANGES and await self._drafts.drop_overtaken(held):
            return False
        if held.is_readable:
            with suppress(Unsent):
                if await self._look(held, is_sure=False) is not None:
                    return True
        await self._settler.release(held, held.state, NotArrived())
        return False
