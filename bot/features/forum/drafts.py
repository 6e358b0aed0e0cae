"""Write in threads: every text is kept before it is sent, sent once, and settled.

A text is held while it is sent, so that nobody else sends it. Where it may have arrived, the
thread is looked through before it is sent again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.background import BackgroundTasks
from bot.domain.drafts import (
    KEPT,
    LONGEST_COMMENT,
    Authored,
    Draft,
    DraftKind,
    DraftState,
    NewDraft,
)
from bot.domain.links import Link
from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.forum.comment_cache import CommentCache
from bot.features.forum.errors import (
    ArrivalUnknown,
    CommentNotInGame,
    DraftBusy,
    DraftGone,
    NotArrived,
    TextMissing,
    TextTooLong,
    ThreadNotInGame,
    Unsent,
)
from bot.features.forum.reconcile import Reconciler, says_taken
from bot.features.forum.trees import listed
from bot.game.client import GameClient
from bot.game.errors import GameError, NotFound, Timeout, UnknownOutcome
from bot.game.models import Comment, WrittenComment
from storage.authored import AuthoredComments
from storage.drafts import Drafts

# Longer than sending can take: whoever held a text for this long is gone.
_LEASE = timedelta(seconds=45)
# A game that was too slow to answer may still take the text; no later than this, one hopes.
_LONGEST_DELAY = timedelta(seconds=30)
_EXCERPT_LENGTH = 90


@dataclass(frozen=True)
class Written:
    """What became of a text; `comment` is None when the game took it but did not show it."""

    kind: DraftKind
    thread_id: int | None
    comment: Comment | None


class DraftService:
    """What members write. `now` tells the time, aware.

    What has begun is finished: a member who gives up waiting, or a bot that stops, must not leave
    a text half sent.
    """

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        pages: CommentCache,
        drafts: Drafts,
        authored: AuthoredComments,
        tasks: BackgroundTasks,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._pages = pages
        self._drafts = drafts
        self._authored = authored
        self._now = now
        self._tasks = tasks
        self._reconciler = Reconciler(client, authored)

    async def write(self, new: NewDraft) -> Written:
        """Send a comment, a reply or a comment's new text. Raises TextMissing, Unsent."""
        return await self._tasks.run(self._keep_and_send(new), finish=True)

    async def retry(
        self, member_id: int, draft_id: int, *, text: str | None = None, is_sure: bool = False
    ) -> Written:
        """Send a kept text, or another in its place, unless the first has arrived meanwhile.

        `is_sure` sends it without looking. Raises DraftGone, DraftBusy, TextMissing, Unsent.
        """
        draft = await self.draft(member_id, draft_id)
        text = (draft.text if text is None else text).strip()
        if not text:
            raise TextMissing
        now = self._now()
        held = await self._drafts.take(draft, text=text, now=now, until=now + _LEASE)
        if held is None:
            # Whoever held it may have sent it meanwhile: then it is gone.
            await self.draft(member_id, draft_id)
            raise DraftBusy
        return await self._tasks.run(self._send_again(held, is_sure=is_sure), finish=True)

    async def delete(self, member_id: int, thread_id: int | None, comment_id: int) -> None:
        """Delete the member's own comment. Raises CommentNotInGame, AccountError, GameError."""
        await self._tasks.run(self._delete(member_id, thread_id, comment_id), finish=True)

    async def draft(self, member_id: int, draft_id: int) -> Draft:
        """Return a member's kept text. Raises DraftGone."""
        draft = await self._drafts.find(draft_id, member_id, oldest=self._now() - KEPT)
        if draft is None:
            raise DraftGone
        return draft

    async def waiting(self, member_id: int) -> Sequence[Draft]:
        """Return the texts of a member that wait to be sent, the newest first."""
        now = self._now()
        return await self._drafts.waiting(member_id, now=now, oldest=now - KEPT)

    async def was_interrupted(self, member_id: int) -> bool:
        """Return, once, whether a text was being sent when Kiosk itself was cut off."""
        now = self._now()
        return await self._drafts.give_up(member_id, now=now, oldest=now - KEPT)

    async def discard(self, member_id: int, draft_id: int) -> None:
        """Forget a kept text. Raises DraftGone, DraftBusy."""
        if not await self._drafts.discard(draft_id, member_id, now=self._now()):
            await self.draft(member_id, draft_id)
            raise DraftBusy

    async def purge(self) -> int:
        """Forget what is older than a day; return how many texts went."""
        return await self._drafts.purge(oldest=self._now() - KEPT)

    async def _keep_and_send(self, new: NewDraft) -> Written:
        new = replace(new, text=new.text.strip())
        if not new.text:
            raise TextMissing
        now = self._now()
        return await self._send(await self._drafts.add(new, now=now, until=now + _LEASE))

    async def _send_again(self, held: Draft, *, is_sure: bool) -> Written:
        """Send a held text, unless it has arrived; `is_sure` leaves out looking.

        Raises Unsent, and DraftBusy where looking took so long that somebody else has the text.
        """
        if held.state is DraftState.UNKNOWN and not is_sure:
            player_id = await self._accounts.player_of(held.member_id)
            try:
                async with self._reconciler.looking(held, player_id) as arrived:
                    if arrived is not None:
                        return await self._settle_or_reword(held, arrived)
            except ArrivalUnknown as error:
                kept = await self._drafts.release(held, DraftState.UNKNOWN, due_at=self._now())
                raise Unsent(kept, error) from error
        sent = await self._drafts.mark_sent(held, until=self._now() + _LEASE)
        if sent is None:
            raise DraftBusy
        return await self._send(sent)

    async def _settle_or_reword(self, draft: Draft, arrived: WrittenComment) -> Written:
        """End a draft whose text has arrived; a text put in its place becomes an edit."""
        if draft.text == draft.sent:
            return await self._settle(draft, arrived)
        now = self._now()
        edit = NewDraft(draft.member_id, DraftKind.EDIT, draft.thread_id, arrived.id, draft.text)
        kept = await self._drafts.add(edit, now=now, until=now + _LEASE)
        await self._settle(draft, arrived)
        return await self._send(kept)

    async def _send(self, draft: Draft) -> Written:
        """Send a held text once. Raises Unsent."""
        player_id = None
        try:
            if len(draft.text) > LONGEST_COMMENT:
                raise TextTooLong(count=len(draft.text), limit=LONGEST_COMMENT)
            link = await self._accounts.require(draft.member_id)
            player_id = link.player_id
            written = await self._ask_game(draft, link)
        except UnknownOutcome as error:
            return await self._settle_if_arrived(draft, player_id, error)
        except (KioskError, GameError) as error:
            kept = await self._drafts.release(draft, DraftState.OPEN, due_at=self._now())
            raise Unsent(kept, error) from error
        settled = await self._settle(draft, written)
        # From the answer alone: a comment that was found by its words may be somebody else's.
        await self._accounts.remember_player(link, written.player)
        return settled

    async def _ask_game(self, draft: Draft, link: Link) -> WrittenComment:
        async with self._accounts.using(link) as caller:
            if self._now() >= draft.due_at:
                # This process stood still, and somebody else may have the text by now.
                raise DraftBusy
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

    async def _settle_if_arrived(
        self, draft: Draft, player_id: int | None, error: UnknownOutcome
    ) -> Written:
        try:
            async with self._reconciler.looking(draft, player_id) as arrived:
                if arrived is not None:
                    return await self._settle(draft, arrived)
            # An edit is not looked for.
            cause = error if draft.kind is DraftKind.EDIT else NotArrived()
        except ArrivalUnknown as unknown:
            cause = unknown
        if says_taken(error, draft):
            return await self._settle(draft, None)
        delay = _LONGEST_DELAY if isinstance(error.cause, Timeout) else timedelta()
        kept = await self._drafts.release(draft, DraftState.UNKNOWN, due_at=self._now() + delay)
        raise Unsent(kept, cause) from error

    async def _settle(self, draft: Draft, written: WrittenComment | None) -> Written:
        """Forget a draft; show and remember the comment that it has become."""
        authored = None
        excerpt = " ".join(draft.text.split())[:_EXCERPT_LENGTH]
        if draft.kind is DraftKind.EDIT and draft.comment_id is not None:
            self._pages.reword(draft.thread_id, draft.comment_id, draft.text)
            await self._authored.reword(draft.comment_id, excerpt)
        elif written is not None and draft.thread_id is not None:
            self._pages.add(draft.thread_id, draft.comment_id, written)
            authored = Authored(draft.member_id, written.id, draft.thread_id, excerpt, self._now())
        await self._drafts.settle(draft, authored)
        return Written(draft.kind, draft.thread_id, None if written is None else listed(written))

    async def _delete(self, member_id: int, thread_id: int | None, comment_id: int) -> None:
        missing = None
        try:
            async with self._accounts.acting_as(member_id) as caller:
                await self._client.delete_comment(caller, comment_id)
        except NotFound as error:
            missing = error
        except UnknownOutcome as error:
            if not error.was_taken:
                raise
        self._pages.remove(thread_id, comment_id)
        await self._authored.remove(comment_id)
        if missing is not None:
            raise CommentNotInGame(name=str(comment_id)) from missing
