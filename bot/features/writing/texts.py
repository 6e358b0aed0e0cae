"""Write in threads: save, send and look up texts, and let members try again or discard them."""

import asyncio
import contextlib
import dataclasses
import datetime as dt
from collections import abc
from functools import partial
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from bot import visible
from bot.clock import Clock
from bot.errors import KioskError
from bot.features.accounts import Accounts
from bot.features.feature_errors import ThreadNotInGame
from bot.features.reading import trees
from bot.features.writing import outcomes, writing_errors
from bot.game import game_client, game_errors, models
from storage import storage_errors
from storage.links import Link
from storage.writes import CHANGES, MAX_TEXTS, TEXT_KEPT, Text, WriteKind, Writes, WriteState

TEXT_NEWS = "text"
# The game's name for the comment that a reply is for (docs/connect-your-game.md#create-comment).
_PARENT_FIELD = "comment_id"
# A shorter token may be a word.
_MIN_TOKEN_LENGTH = 8
# Without the game's own clock, a text is dated by ours.
_CLOCKS_DIFFER = dt.timedelta(minutes=10)
_MAX_PAGES = 20
# Discord closes a form within three seconds: by then a text is kept, or comes back.
_KEEPING_SECONDS = 1.5
# Is called with each new comment, and the link that it was sent with.
Written = abc.Callable[[Text, models.Comment, Link], abc.Awaitable[object]]


class Texts(msgspec.Struct, frozen=True):
    """Saves texts and deletions, sends them and looks for them."""

    client: game_client.GameClient
    accounts: Accounts
    writes: Writes
    written: Written
    clock: Clock
    news: str = TEXT_NEWS
    changing: WeakValueDictionary[int, asyncio.Lock] = msgspec.field(
        default_factory=WeakValueDictionary[int, asyncio.Lock]
    )

    async def keep(self, new: Text) -> Text | None:
        """Save a text. None: another process has it. Raises TextMissing, TextReturned."""
        new = replace(new, body=new.body.strip())
        if new.kind is not WriteKind.DELETE and not visible.is_visible(new.body):
            raise writing_errors.TextMissing
        keeping = asyncio.ensure_future(self.writes.keep_text(new, now=self.clock.now()))
        try:
            # A text that is kept later is found once its lease is over.
            async with self.clock.timeout(_KEEPING_SECONDS):
                kept = await asyncio.shield(keeping)
        except storage_errors.NotUnique:
            return None
        except (storage_errors.StatementFailed, TimeoutError) as error:
            # Its author was told already: a later failure is no news.
            keeping.add_done_callback(lambda late: late.cancelled() or late.exception())
            raise writing_errors.TextReturned(new.body, writing_errors.NotKept()) from error
        if kept is None:
            raise writing_errors.TextReturned(
                new.body, writing_errors.TooManyUnsent(limit=MAX_TEXTS)
            )
        return kept

    async def prepare(self, held: Text) -> tuple[Text, Link]:
        """Return a text with what its comment is known by once it is sent, and the link."""
        if not held.is_readable and held.kind is not WriteKind.DELETE:
            raise writing_errors.TextUnreadable
        found = await self.accounts.find(held.member_id)
        if found is not None:
            token = found.token.get_secret_value()
            shown = visible.visible(held.body)
            if token not in shown:
                # No one sees the blanks that a token may be pasted with, and they don't hide it.
                shown = "".join(sign for sign in shown if sign == " " or not sign.isspace())
            if len(token) >= _MIN_TOKEN_LENGTH and token in shown:
                # Everyone would see the token. Its author's card doesn't show it, either.
                raise writing_errors.TextReturned(
                    shown.replace(token, "…"), writing_errors.TokenInText()
                )
        link = self.accounts.valid(found)
        if held.token_key not in ("", link.token_key):
            raise writing_errors.AccountChanged
        sent_at = self.client.game_now()
        newest = None
        player_id = link.player_id
        if held.kind not in CHANGES:
            newest = trees.newest_at_hand(self.client, held.place_id)
        if held.state is WriteState.UNKNOWN:
            # A text that may have arrived by an earlier sending is looked for from there on, and as
            # anyone's if another player sends it now.
            sent_at = held.sent_at or sent_at
            newest = held.newest_before or newest
            player_id = player_id if player_id == held.player_id else None
        prepared = replace(
            held,
            token_key=link.token_key,
            sent_at=sent_at,
            newest_before=newest,
            player_id=player_id,
        )
        return prepared, link

    async def send(self, sent: Text, link: Link, send_before: float) -> outcomes.Outcome:
        """Write, change or delete a comment. A change waits for the one before it."""
        changing = self.changing.setdefault(sent.target_id, asyncio.Lock())
        written: models.Comment | None = None
        try:
            async with (
                changing if sent.kind in CHANGES else contextlib.nullcontext(),
                self.accounts.using(link) as caller,
            ):
                written = await self._write(caller, sent, send_before)
        except game_errors.NotFound as error:
            if sent.kind is WriteKind.REPLY:
                raise writing_errors.ParentCommentMissing from error
            if sent.kind is WriteKind.POST:
                raise ThreadNotInGame(name=str(sent.place_id)) from error
            if sent.kind is WriteKind.EDIT:
                raise
            # It is gone, which is what was asked: perhaps by a request whose answer was lost.
        except game_errors.Invalid as error:
            if _PARENT_FIELD not in error.fields:
                raise
            return outcomes.Outcome(
                outcomes.Result.NO, error, writing_errors.ParentCommentMissing.code
            )
        if written is not None:
            # Not from a comment that was found by its words: it may be someone else's.
            await self.accounts.remember_player(link, written.player)
        comment = self._put_on_pages(sent, written)
        await self._note_written(sent, comment, link)
        return outcomes.Outcome(outcomes.Result.YES, comment=comment)

    async def _note_written(
        self, text: Text, comment: models.Comment | None, link: Link | None
    ) -> None:
        if comment is not None and link is not None and text.kind not in CHANGES:
            await self.written(text, comment, link)

    async def _write(
        self, caller: game_client.Caller, sent: Text, send_before: float
    ) -> models.Comment | None:
        where = (caller, sent.place_id)
        target_id = sent.target_id
        if sent.kind is WriteKind.DELETE:
            await self.client.delete_comment(*where, target_id, send_before=send_before)
            return None
        if sent.kind is WriteKind.EDIT:
            return await self.client.update_comment(
                *where, target_id, sent.body, send_before=send_before
            )
        return await self.client.create_comment(
            *where, sent.body, parent_id=target_id or None, send_before=send_before
        )

    def _put_on_pages(self, sent: Text, written: models.Comment | None) -> models.Comment | None:
        """Put a text's comment on the loaded pages, and return it. None means it was deleted."""
        thread_id = sent.place_id
        target_id = sent.target_id
        if written is None:
            trees.change_in_cache(self.client, thread_id, target_id, lambda _: None)
            return None
        if sent.kind is WriteKind.EDIT:
            reworded = partial(dataclasses.replace, content=sent.body)
            trees.change_in_cache(self.client, thread_id, target_id, reworded)
            return dataclasses.replace(written, id=target_id)
        # Its place among the hottest isn't known.
        first = models.PageKey(thread_id)
        self.client.comments.change(
            lambda key: key.thread_id == thread_id if target_id else key == first,
            lambda page: trees.with_comment(page, target_id or None, written),
        )
        return written

    async def look_up(self, write: Text, link: Link | None = None) -> outcomes.Outcome:
        """Look for a new text in its thread, as the game has it now."""
        if not write.is_readable:
            return outcomes.Outcome(outcomes.Result.UNSEEN)
        since = write.sent_at
        if since is None and (now := self.client.game_now()) is not None:
            # The game has sent its time since then.
            since = write.created_at + (now - self.clock.now())
        sent = replace(write, sent_at=since or write.created_at - _CLOCKS_DIFFER)
        try:
            comments, are_all = await self._find_candidates(sent)
            known = await self.writes.known_among([comment.id for comment in comments])
        except (game_errors.GameError, storage_errors.StatementFailed):
            return outcomes.Outcome(outcomes.Result.UNSEEN)
        outcome = await asyncio.to_thread(outcomes.look_for, sent, comments, known)
        if outcome.result is outcomes.Result.FOUND:
            self._put_on_pages(write, outcome.comment)
            with contextlib.suppress(KioskError):
                link = link or await self.accounts.find(write.member_id)
            await self._note_written(write, outcome.comment, link)
        elif outcome.result is outcomes.Result.MISSING and not are_all:
            return outcomes.Outcome(outcomes.Result.UNSEEN)
        return outcome

    async def _find_candidates(self, sent: Text) -> tuple[abc.Sequence[models.Comment], bool]:
        """Return the comments among which a text would be, and whether it can be nowhere else."""
        key = models.PageKey(sent.place_id)
        parent_id = sent.target_id
        for cached, page in self.client.comments.items():
            if cached.thread_id == sent.place_id and trees.find_branch(page.entries, parent_id):
                key = cached
                break
        newest = list[models.Comment]()
        unread = 0
        for _ in range(_MAX_PAGES):
            page = await self.client.list_comments(
                key.thread_id, sort=key.sort, page=key.page, max_age=0, asker=sent.member_id
            )
            if parent_id and (branch := trees.find_branch(page.entries, parent_id)):
                above = {comment.id for comment in branch}
                parent = branch[-1]
                below = [
                    comment for comment in trees.all_comments(branch[:1]) if comment.id not in above
                ]
                return below, parent.children_count <= len(parent.children)
            if not parent_id:
                newest += page.entries
                unread += page.unreadable - sum(
                    outcomes.was_there(sent, number) for number in page.unreadable_ids
                )
                is_end = not page.has_next or not page.entries
                if is_end or outcomes.is_newer(sent, newest[-1]) is False:
                    return newest, not unread
            if not page.has_next:
                break
            key = key._replace(page=key.page + 1)
        return newest, False

    async def take(self, member_id: int, text_id: int, *, body: str | None = None) -> Text:
        """Hold a member's text, to send it as it is or with another body.

        Raises TextGone, WriteBusy, TextUnreadable, TextMissing, or TextReturned with the other
        body.
        """
        body = body and body.strip()
        if body is not None and not visible.is_visible(body):
            raise writing_errors.TextMissing
        try:
            text = await self.find_unsent(member_id, text_id)
            if body is not None and text.state is not WriteState.KEPT:
                raise writing_errors.TextInDoubt
            held = None
            is_late = text.state is WriteState.KEPT or outcomes.may_be_sent_again(
                text, self.clock.now()
            )
            if is_late or text.kind in CHANGES:
                held = await self.writes.hold_write(text)
            if held is not None and body is not None:
                held = await self.writes.save_write(replace(held, body=body))
            if held is None:
                # It may have been sent in between: then it is gone.
                await self.find_unsent(member_id, text_id)
                raise writing_errors.WriteBusy
        except (KioskError, storage_errors.StatementFailed) as error:
            if body is None:
                raise
            cause = error if isinstance(error, KioskError) else writing_errors.NotKept()
            raise writing_errors.TextReturned(body, cause) from error
        # It is sent with whichever account its author has linked then.
        return replace(held, token_key="")

    async def find_unsent(self, member_id: int, text_id: int, *, unreadable: bool = False) -> Text:
        """Return a member's text, `unreadable` ones on demand. Raises TextGone, TextUnreadable."""
        texts = await self.unsent(member_id)
        text = next((text for text in texts if text.id == text_id), None)
        if text is None:
            raise writing_errors.TextGone
        if not (text.is_readable or unreadable):
            raise writing_errors.TextUnreadable
        return text

    async def unsent(self, member_id: int) -> abc.Sequence[Text]:
        return await self.writes.unsent_texts(member_id, oldest=self.clock.now() - TEXT_KEPT)

    async def discard(self, member_id: int, text_id: int) -> None:
        """Forget a text. Raises TextGone, WriteBusy."""
        if not await self.writes.discard_text(text_id, member_id, now=self.clock.now()):
            await self.find_unsent(member_id, text_id)
            raise writing_errors.WriteBusy
