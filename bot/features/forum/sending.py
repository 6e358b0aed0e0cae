"""Send a kept text once, and settle it by the game's answer or by what its thread shows."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from bot.background import BackgroundTasks, to_its_end
from bot.domain.drafts import CHANGES, LONGEST_COMMENT, Draft, DraftKind, DraftState
from bot.domain.links import Link
from bot.errors import AccountError, KioskError
from bot.features.accounts import Accounts
from bot.features.errors import (
    ArrivalUnknown,
    DraftBusy,
    GivenBack,
    IsItYours,
    MayStillArrive,
    NotArrived,
    NotKept,
    TextTooLong,
    Unsent,
)
from bot.features.forum.asking import LEASE, Asker
from bot.features.forum.reconcile import Reconciler
from bot.features.forum.settling import Settler, Written
from bot.game.client import GameClient
from bot.game.errors import GameError, Refused, Unavailable, UnknownOutcome
from bot.game.models import Comment
from storage.drafts import Drafts
from storage.errors import StatementFailed

log = logging.getLogger(__name__)

# A game may show what it has taken so much later; for who looks, what isn't there may still come.
_SHOWN_LATE = timedelta(minutes=5)
# What was refused has hardly arrived, and is not to wait for a walk through a busy thread.
_PAGES_TO_GLANCE_AT = 2


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
        self._asker = Asker(client, accounts, drafts, settler, now)
        self.tasks = tasks
        self._now = now
        self._changing: WeakValueDictionary[int | None, asyncio.Lock] = WeakValueDictionary()

    @to_its_end
    async def send(self, draft: Draft) -> Written:
        """Send a held draft.

        Raises Unsent, GivenBack; for a deletion, KioskError or GameError too.
        """
        # A change waits for the one before it.
        turn = (
            self._changing.setdefault(draft.comment_id, asyncio.Lock())
            if draft.kind in CHANGES
            else nullcontext()
        )
        async with turn:
            try:
                if len(draft.text) > LONGEST_COMMENT:
                    raise TextTooLong(count=len(draft.text), limit=LONGEST_COMMENT)
                link = await self._accounts.require(draft.member_id)
                return await self._send_as(link, draft)
            except UnknownOutcome as error:
                return await self._settle_if_arrived(draft, error)
            except StatementFailed as error:
                raise await self._settler.release(draft, DraftState.OPEN, NotKept()) from error
            except GivenBack:
                await self._settler.forget(draft)
                raise
            except (KioskError, GameError) as error:
                return await self._settle_refused(draft, error)

    async def _send_as(self, link: Link, draft: Draft) -> Written:
        written = await self._asker.ask(draft, link)
        settled = await self._settler.settle(draft, written)
        if written is not None:
            # From the answer alone: a comment found by its words may be somebody else's.
            with suppress(StatementFailed):
                await self._accounts.remember_player(link, written.player)
        return settled

    async def _settle_refused(self, draft: Draft, error: KioskError | GameError) -> Written:
        # It may be a repetition on the way that the game has refused.
        is_said_by_game = isinstance(error, Refused) and error.status is not None
        if is_said_by_game and (settled := await self._settle_if_seen(draft)):
            return settled
        is_busy = isinstance(error, Unavailable | DraftBusy)
        if draft.kind is DraftKind.DELETE and not is_busy:
            # There is nothing to keep of a deletion that was refused.
            await self._settler.forget(draft)
            raise error
        is_unknown = isinstance(error, ArrivalUnknown | IsItYours)
        state = DraftState.UNKNOWN if is_unknown else DraftState.OPEN
        raise await self._settler.release(draft, state, error) from error

    async def _settle_if_arrived(self, draft: Draft, error: UnknownOutcome) -> Written:
        cause: KioskError | GameError = error
        try:
            async with self._reconciler.looking(draft) as arrived:
                if arrived is not None:
                    return await self._settler.settle(draft, arrived)
            if draft.kind not in CHANGES:
                cause = NotArrived()
        except (ArrivalUnknown, IsItYours) as unknown:
            cause = unknown
        raise await self._settler.release(draft, DraftState.UNKNOWN, cause) from error

    async def _settle_if_seen(self, draft: Draft) -> Written | None:
        """Settle a draft that stands in its thread for certain, whatever the game has said."""
        if draft.kind in CHANGES:
            return None
        with suppress(ArrivalUnknown, IsItYours):
            async with self._reconciler.looking(draft, most_pages=_PAGES_TO_GLANCE_AT) as arrived:
                if arrived is not None:
                    return await self._settle_or_reword(draft, arrived)
        return None

    @to_its_end
    async def send_again(self, held: Draft, *, is_sure: bool = False) -> Written:
        """Send a held draft unless it has arrived or may still; `is_sure` leaves out looking.

        Raises Unsent, and DraftBusy where looking took so long that somebody else has the text.
        """
        if held.state is DraftState.UNKNOWN:
            written = await self._look(held, is_sure=is_sure)
        else:
            written = None if is_sure else await self._settle_if_seen(held)
        return written or await self._send_now(held)

    @to_its_end
    async def send_as_post(self, held: Draft) -> Written:
        """Send a held reply as a comment of its thread, unless it has arrived as a reply.

        Raises as `send_again` does.
        """
        if held.state is DraftState.UNKNOWN and (written := await self._look(held, is_sure=False)):
            return written
        post = await self._drafts.become_post(held)
        if post is None:
            raise DraftBusy
        return await self._send_now(post)

    @to_its_end
    async def settle_as(self, held: Draft, comment_id: int) -> Written:
        """End a held draft that has become a comment, as its writer says. Raises as `send` does."""
        if await self._reconciler.is_taken(held, comment_id):
            written = await self._look(held, is_sure=False)
            if written is None:
                raise await self._settler.release(held, DraftState.UNKNOWN, NotArrived())
            return written
        if held.text == held.sent:
            return await self._settler.settle_as(held, comment_id)
        return await self._reword(held, comment_id)

    async def _send_now(self, held: Draft) -> Written:
        try:
            # Without a link it stands as it stood: what may have arrived may have still.
            link = await self._accounts.require(held.member_id)
            sent = await self._drafts.mark_sent(
                held,
                until=self._now() + LEASE,
                sent_at=self._client.game_now(),
                newest_before=self._reconciler.newest_at_hand(held.thread_id),
                player_id=link.player_id,
            )
        except (StatementFailed, AccountError) as error:
            cause = error if isinstance(error, AccountError) else NotKept()
            raise await self._settler.release(held, held.state, cause) from error
        if sent is None:
            raise DraftBusy
        return await self.send(sent)

    async def _look(self, held: Draft, *, is_sure: bool) -> Written | None:
        """Settle a draft that has arrived; return None where it may be sent. Raises Unsent."""
        if not is_sure:
            try:
                async with self._reconciler.looking(held) as arrived:
                    if arrived is not None:
                        return await self._settle_or_reword(held, arrived)
            except (ArrivalUnknown, IsItYours) as error:
                raise await self._settler.release(held, DraftState.UNKNOWN, error) from error
        # The same change made twice does no harm.
        if held.kind in CHANGES and held.text == held.sent:
            return None
        until = held.arrives_until
        if until is not None and not is_sure and held.kind not in CHANGES:
            until += _SHOWN_LATE
        if until is not None and self._now() < until:
            late = MayStillArrive(when=until)
            raise await self._settler.release(held, DraftState.UNKNOWN, late)
        return None

    async def _settle_or_reword(self, draft: Draft, arrived: Comment) -> Written:
        """End a draft whose text has arrived; a text put in its place becomes an edit."""
        if draft.text == draft.sent:
            return await self._settler.settle(draft, arrived)
        return await self._reword(draft, arrived.id)

    async def _reword(self, draft: Draft, comment_id: int) -> Written:
        edit = await self._drafts.become_edit(draft, self._settler.authored(draft, comment_id))
        edit = edit and await self._drafts.mark_sent(edit, until=self._now() + LEASE)
        if edit is None:
            raise DraftBusy
        return await self.send(edit)

    async def look_for_left_behind(self) -> None:
        """Look for what processes that are gone were sending; its writers are told of it later."""
        now = self._now()
        for draft in await self._drafts.left_behind(now=now):
            held = await self._drafts.hold(draft, now=now, until=now + LEASE)
            if held is not None:
                has_arrived = await self._look_for(held)
                log.info("a text was left behind; it has %sarrived", "" if has_arrived else "not ")

    @to_its_end
    async def _look_for(self, held: Draft) -> bool:
        """Settle a held draft if it has arrived, else let it go; return whether it has."""
        if held.is_readable and held.text == held.sent:
            with suppress(Unsent):
                if await self._look(held, is_sure=False) is not None:
                    return True
        await self._settler.release(held, DraftState.UNKNOWN, NotArrived())
        return False
