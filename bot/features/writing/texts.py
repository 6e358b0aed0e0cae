"""Write in threads: what texts know of the game, and what members may do with theirs."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from functools import partial
from weakref import WeakValueDictionary

from msgspec import Struct, field
from msgspec.structs import replace

from bot.background import uncancellable
from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.errors import ThreadNotInGame
from bot.features.reading.trees import all_comments, change_in_cache, find_branch, with_comment
from bot.features.writing import errors
from bot.features.writing.ledger import Ledger
from bot.features.writing.rules import (
    LEASE,
    NO_ANSWER,
    Failure,
    Outcome,
    WriteResult,
    find,
    is_newer,
    may_be_sent_again,
    was_there,
)
from bot.game.client import GameClient
from bot.game.errors import GameError, Invalid, NotFound, Unavailable, UnknownOutcome
from bot.game.models import Comment, PageKey
from bot.visible import is_visible
from storage.errors import NotUnique, StatementFailed
from storage.writes import CHANGES, MOST_TEXTS, TEXT_KEPT, Write, WriteKind, Writes, WriteState

# Of a text whose writer has not named a thread that there is.
NO_THREAD = 0
NEWS = "text"
# What the game calls the comment that a reply is for (Interface 4.2).
_PARENT_FIELD = "comment_id"
# A shorter token may be a word.
_SHORTEST_TOKEN = 8
# Without the game's own clock, a text is dated by ours.
_CLOCKS_DIFFER = timedelta(minutes=10)
_MOST_PAGES = 20
# The reason of what nobody can say more about.
_GIVEN_UP = "given_up"


class TextDoing(Struct, frozen=True):
    """Sends texts and deletions to the game, and looks for them; `now` tells the time, aware."""

    client: GameClient
    accounts: Accounts
    writes: Writes
    now: Callable[[], datetime]
    news: str = NEWS
    changing: WeakValueDictionary[int, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[int, asyncio.Lock]
    )

    async def prepare(self, claimed: Write) -> Write:
        """Return a text with what its comment is known by, once it was sent."""
        if not claimed.is_readable and claimed.kind is not WriteKind.DELETE:
            raise errors.TextUnreadable
        link = await self.accounts.require(claimed.member_id)
        token = link.token.get_secret_value()
        if len(token) >= _SHORTEST_TOKEN and token in claimed.body:
            # It would be shown to everybody; nor does its writer's card show it.
            raise errors.GivenBack(claimed.body.replace(token, "…"), errors.TokenInText())
        if claimed.token_key not in ("", link.token_key):
            raise errors.AccountChanged
        sent_at, newest, player_id = self.client.game_now(), None, link.player_id
        if claimed.kind not in CHANGES:
            newest = max((one.id for one in self.known(claimed.place_id)), default=None)
        if claimed.state is WriteState.UNKNOWN:
            # What may have arrived of an earlier sending is looked for from there on, and as
            # anybody's where another player sends it now.
            sent_at, newest = claimed.sent_at or sent_at, claimed.newest_before or newest
            player_id = player_id if player_id == claimed.player_id else None
        return replace(
            claimed,
            token_key=link.token_key,
            sent_at=sent_at,
            newest_before=newest,
            player_id=player_id,
        )

    async def ask(self, sent: Write, send_before: float) -> Outcome:
        """Write, change or delete a comment. A change waits for the one before it."""
        thread_id, target_id = sent.place_id, sent.target_id
        changing = self.changing.setdefault(target_id or 0, asyncio.Lock())
        written: Comment | None = None
        link = await self.accounts.require(sent.member_id)
        try:
            async with (
                changing if sent.kind in CHANGES else nullcontext(),
                self.accounts.using(link) as caller,
            ):
                if sent.kind is WriteKind.DELETE:
                    await self.client.delete_comment(
                        caller, thread_id, target_id or 0, send_before=send_before
                    )
                elif sent.kind is WriteKind.EDIT:
                    written = await self.client.update_comment(
                        caller, thread_id, target_id or 0, sent.body, send_before=send_before
                    )
                else:
                    written = await self.client.create_comment(
                        caller, thread_id, sent.body, parent_id=target_id, send_before=send_before
                    )
        except NotFound as error:
            if sent.kind is WriteKind.REPLY:
                raise errors.AnsweredGone from error
            if sent.kind is WriteKind.POST:
                raise ThreadNotInGame(name=str(thread_id)) from error
            if sent.kind is WriteKind.EDIT:
                raise
            # It is gone, which is what was asked: perhaps by a request whose answer was lost.
        if written is not None:
            # Not from a comment that was found by its words: it may be somebody else's.
            await self.accounts.remember_player(link, written.player)
        return self._became(sent, written)

    def _became(self, sent: Write, written: Comment | None) -> Outcome:
        """Show what a text has become on the pages at hand, and return it; None was deleted."""
        thread_id, target_id = sent.place_id, sent.target_id
        if written is None:
            change_in_cache(self.client, thread_id, target_id or 0, lambda _: None)
            return Outcome(WriteState.DONE)
        if sent.kind is WriteKind.EDIT and target_id is not None:
            reworded = partial(dataclasses.replace, content=sent.body)
            change_in_cache(self.client, thread_id, target_id, reworded)
            edited = dataclasses.replace(written, id=target_id)
            return Outcome(WriteState.DONE, comment=edited)
        # Nobody knows its place among the hottest.
        first = PageKey(thread_id)
        self.client.comments.change(
            lambda key: key.thread_id == thread_id if target_id is not None else key == first,
            lambda page: with_comment(page, target_id, written),
        )
        return Outcome(WriteState.DONE, result_id=written.id, comment=written)

    def failed(self, write: Write, error: Failure) -> Outcome:
        """Return that a text waits or may have arrived; of a refused deletion nothing is kept."""
        cause = errors.NotKept() if isinstance(error, StatementFailed) else error
        if write.state is WriteState.UNKNOWN or isinstance(cause, UnknownOutcome):
            return Outcome(WriteState.UNKNOWN, cause, NO_ANSWER)
        may_be_repeated = isinstance(cause, Unavailable | errors.NotKept | errors.Interrupted)
        is_over = write.kind is WriteKind.DELETE and not may_be_repeated
        if is_over or isinstance(cause, errors.GivenBack):
            return Outcome(WriteState.REFUSED, cause)
        is_parent_gone = isinstance(cause, Invalid) and _PARENT_FIELD in cause.fields
        reason = errors.AnsweredGone.code if is_parent_gone else None
        return Outcome(WriteState.KEPT, cause, reason)

    def given_up(self, write: Write) -> Outcome:
        del write
        return Outcome(WriteState.UNKNOWN, reason=_GIVEN_UP)

    async def find_out(self, write: Write) -> Outcome | None:
        """Look for a new text in its thread, as the game has it now."""
        if not write.is_readable:
            return None
        now, since = self.client.game_now(), write.sent_at
        if since is None and now is not None:
            # The game has told the time since.
            since = write.created_at + (now - self.now())
        since = since or write.created_at - _CLOCKS_DIFFER
        sent = replace(write, sent_at=since)
        try:
            comments, are_all = await self._places(sent)
            known = await self.writes.known_among([one.id for one in comments])
        except (GameError, StatementFailed):
            return None
        known |= write.ruled_out
        comment, is_certain = await asyncio.to_thread(find, sent, comments, known)
        if comment is None:
            return Outcome(WriteState.KEPT, errors.NotArrived()) if are_all else None
        if is_certain:
            return self._became(write, comment)
        return Outcome(WriteState.UNKNOWN, errors.IsItYours(comment))

    def known(self, thread_id: int) -> Iterator[Comment]:
        for key, page in self.client.comments.items():
            if key.thread_id == thread_id:
                yield from all_comments(page.entries)

    async def _places(self, sent: Write) -> tuple[Sequence[Comment], bool]:
        """Return the comments among which a text would be, and whether it can be nowhere else."""
        key, parent_id = PageKey(sent.place_id), sent.target_id
        for cached, page in self.client.comments.items():
            if cached.thread_id == sent.place_id and find_branch(page.entries, parent_id or 0):
                key = cached
                break
        newest, unread = list[Comment](), 0
        for _ in range(_MOST_PAGES):
            page = await self.client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0, asker=sent.member_id
            )
            if parent_id is not None and (branch := find_branch(page.entries, parent_id)):
                above, parent = {one.id for one in branch}, branch[-1]
                below = [one for one in all_comments(branch[:1]) if one.id not in above]
                return below, parent.children_count <= len(parent.children)
            if parent_id is None:
                newest += page.entries
                unread += page.unreadable - sum(
                    was_there(sent, each) for each in page.unreadable_ids
                )
                is_end = not page.has_next or not page.entries
                if is_end or is_newer(sent, newest[-1]) is False:
                    return newest, not unread
            if not page.has_next:
                break
            key = key._replace(page=key.page + 1)
        return newest, False


class TextService:
    def __init__(self, ledger: Ledger, doing: TextDoing, accounts: Accounts) -> None:
        self.ledger = ledger
        self.tasks = ledger.tasks
        self._doing = doing
        self._accounts = accounts

    @uncancellable
    async def keep(self, new: Write) -> Write | None:
        """Keep a text; None where another process heard of it. Raises TextMissing, GivenBack."""
        new = replace(new, body=new.body.strip())
        if new.kind is not WriteKind.DELETE and not is_visible(new.body):
            raise errors.TextMissing
        if new.id in self.ledger.in_hand:
            return None
        now = self.ledger.now()
        try:
            kept = await self.ledger.writes.keep_text(new, now=now, until=now + LEASE)
        except NotUnique:
            return None
        except StatementFailed as error:
            raise errors.GivenBack(new.body, errors.NotKept()) from error
        if kept is None:
            raise errors.GivenBack(new.body, errors.TooManyUnsent(limit=MOST_TEXTS))
        self.ledger.in_hand.add(kept.id)
        return kept

    @uncancellable
    async def claim(self, member_id: int, write_id: int, *, body: str | None = None) -> Write:
        """Claim a member's text, to send it or to give it another body.

        Raises TextGone, WriteBusy, TextUnreadable, TextMissing; GivenBack with the other body.
        """
        body = body and body.strip()
        if body is not None and not is_visible(body):
            raise errors.TextMissing
        try:
            text = await self.find(member_id, write_id)
            if body is not None and text.state is not WriteState.KEPT:
                raise errors.TextInDoubt
            claimed = await self.ledger.claim(text)
            if claimed is not None and body is not None:
                claimed = await self.ledger.writes.save(replace(claimed, body=body))
            if claimed is None:
                # It may have been sent meanwhile: then it is gone.
                await self.find(member_id, write_id)
                raise errors.WriteBusy
        except (KioskError, StatementFailed) as error:
            if body is None:
                raise
            cause = error if isinstance(error, KioskError) else errors.NotKept()
            raise errors.GivenBack(body, cause) from error
        self.ledger.in_hand.add(claimed.id)
        # Its writer decides whose it is.
        return replace(claimed, token_key="")

    async def send(self, claimed: Write) -> WriteResult:
        """Send a text; one in doubt is looked for first. Raises WriteBusy."""
        if claimed.state is WriteState.KEPT or claimed.kind in CHANGES:
            return await self.ledger.carry_out(claimed)
        if not may_be_sent_again(claimed, self.ledger.now()):
            raise errors.WriteBusy
        return await self.ledger.send_again(claimed)

    async def look_now(self, claimed: Write) -> WriteResult:
        if claimed.state is WriteState.KEPT:
            return WriteResult(claimed)
        return await self.ledger.settle_by_looking(claimed)

    async def send_to(self, claimed: Write, thread_id: int | None = None) -> WriteResult:
        """Send a text to a thread or its own; a reply stays one if it had no thread before."""
        moved = replace(claimed, place_id=claimed.place_id if thread_id is None else thread_id)
        if claimed.place_id != NO_THREAD:
            moved = replace(moved, kind=WriteKind.POST, target_id=None)
        changed = await self.ledger.writes.save(moved)
        if changed is None:
            raise errors.WriteBusy
        return await self.ledger.carry_out(replace(changed, token_key=""))

    @uncancellable
    async def settle_as(self, claimed: Write, comment_id: int) -> WriteResult:
        """End a claimed text that has become a comment, as its writer says."""
        known = self._doing.known(claimed.place_id)
        comment = next((one for one in known if one.id == comment_id), None)
        link = await self._accounts.find(claimed.member_id)
        if link is not None and comment is not None:
            await self._accounts.remember_player(link, comment.player)
        found = Outcome(WriteState.DONE, result_id=comment_id, comment=comment)
        return await self.ledger.settle(claimed, found, is_answer=False)

    async def leave_unsent(self, claimed: Write, cause: KioskError) -> WriteResult:
        return await self.ledger.settle(claimed, self._doing.failed(claimed, cause))

    async def set_aside(self, keeping: Awaitable[Write | None]) -> None:
        """Leave what is kept too late unsent: its writer was given it back."""
        with suppress(KioskError):
            kept = await keeping
            if kept is not None:
                settled = await self.leave_unsent(kept, errors.AnswerNotTaken())
                await self.ledger.save_told(settled.write)
                self.ledger.in_hand.discard(kept.id)

    async def find(self, member_id: int, write_id: int, *, unreadable: bool = False) -> Write:
        """Return a member's text, `unreadable` ones on demand. Raises TextGone, TextUnreadable."""
        texts = await self.unsent(member_id)
        text = next((text for text in texts if text.id == write_id), None)
        if text is None:
            raise errors.TextGone
        if not (text.is_readable or unreadable):
            raise errors.TextUnreadable
        return text

    async def unsent(self, member_id: int) -> Sequence[Write]:
        return await self.ledger.writes.unsent(member_id, oldest=self.ledger.now() - TEXT_KEPT)

    async def rule_out(self, member_id: int, write_id: int, comment_id: int) -> Write:
        """Note that a comment is not what a text became, as its writer says. Raises TextGone."""
        await self.ledger.writes.rule_out(write_id, member_id, comment_id)
        return await self.find(member_id, write_id)

    async def discard(self, member_id: int, write_id: int) -> None:
        """Forget a text. Raises TextGone, WriteBusy."""
        if not await self.ledger.writes.discard(write_id, member_id, now=self.ledger.now()):
            await self.find(member_id, write_id)
            raise errors.WriteBusy
