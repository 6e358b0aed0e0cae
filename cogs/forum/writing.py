"""Writing, changing and deleting comments, and what became of any text."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from msgspec.structs import replace

from bot.errors import KioskError
from bot.features.errors import CommentGone, CommentNotFound, NotYours
from bot.features.names import Place
from bot.features.reading.threads import Found, HeldBack
from bot.features.writing.errors import AnswerNotTaken, GivenBack, Interrupted, IsItYours, NotKept
from bot.features.writing.rules import WriteResult
from bot.features.writing.texts import NO_THREAD
from bot.game.errors import GameError
from bot.game.models import PageKey
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action
from bot.ui.cards import Card
from bot.ui.codes import in_words
from bot.ui.error_cards import add_next_step, error_card, log_error, offer_report, send_with_texts
from bot.ui.here import Here
from bot.ui.router import route
from bot.ui.sent_cards import OpenCards
from bot.ui.text import paginate
from cogs.forum import actions, text_cards
from cogs.forum.reading import ThreadHandlers
from storage.moderation import Subject
from storage.names import PlaceKind
from storage.writes import TEXTS, Write, WriteState

log = logging.getLogger(__name__)

# A form must be the first answer, and Discord waits three seconds for that.
SECONDS_BEFORE_FORM = 0.8
_GIVEN_ROOM = 2600


class WritingHandlers:
    """Offers a comment's change and deletion to whoever wrote it, and to nobody else."""

    def __init__(self, bot: Kiosk, threads: ThreadHandlers) -> None:
        self._threads = threads
        self._reading = bot.features.threads
        self._texts = bot.features.texts
        self._ledger = bot.features.ledger
        self._writes = bot.features.writes
        self._open_cards = OpenCards()
        self._router = bot.router
        self._accounts = bot.features.accounts

    @route(actions.OpenWriteForm, opens_form=True)
    async def open_write_form(self, here: Here, action: actions.WriteAction) -> None:
        """Open the form for a comment or reply; without a link, lead to one and back here."""
        here.again = action
        await self._accounts.require(here.member_id)
        answered = None
        if action.parent_id != actions.NONE:
            near = PageKey(action.thread_id, action.sort, action.page)
            # Else the form names it by its number, and sending will say what is wrong.
            try:
                answered = await self._reading.comment_within(
                    SECONDS_BEFORE_FORM, here.viewer, near, action.parent_id
                )
            except CommentGone:
                raise
            except (KioskError, GameError) as error:
                log.info("a form opens without the comment that it is for: %s", error)
        form = actions.write_form(action, answered and answered.comment)
        await here.open_form(form)

    @route(actions.OpenEditForm, opens_form=True)
    async def open_edit_form(self, here: Here, action: actions.CommentAction) -> None:
        """Open the form with a comment's present text, where that can be had in time."""
        here.again = action
        await self._accounts.require(here.member_id)
        own = await self._own(here.member_id, action.comment_id)
        text = None
        try:
            found = await self._reading.comment_within(
                SECONDS_BEFORE_FORM, here.viewer, action.near, action.comment_id
            )
        except CommentNotFound:
            if own is None:
                raise
        else:
            if found is None:
                here.acknowledge(in_place=False)
                found = await self._reading.comment(here.viewer, action.near, action.comment_id)
                _require_own(found, await here.player_id())
                await here.answer(text_cards.ready_to_edit_card(action))
                return
            _require_own(found, await here.player_id())
            if not isinstance(found.comment, HeldBack):
                text = found.comment.content
        form = actions.edit_form(action.thread_id, action.comment_id, text)
        await here.open_form(form)

    @route(actions.AskDelete)
    async def ask_delete(self, here: Here, action: actions.CommentAction) -> None:
        comment_id = action.comment_id
        own = await self._own(here.member_id, comment_id)
        try:
            found = await self._reading.comment(here.viewer, action.near, comment_id)
        except CommentNotFound:
            view = await self._reading.policy.prepare(here.viewer)
            seen = view.see(Subject(comment_id, player_id=await here.player_id()))
            if own is None or seen.is_hidden:
                raise
            card = text_cards.unseen_delete_card(own.place_id, comment_id, own.body)
        else:
            _require_own(found, await here.player_id())
            card = text_cards.delete_card(
                found, await here.place(PlaceKind.THREAD, found.key.thread_id)
            )
        await here.answer(card)

    async def _own(self, member_id: int, comment_id: int) -> Write | None:
        written = await self._writes.find_comment(comment_id)
        return written if written and written.member_id == member_id else None

    @route(actions.SendText, actions.SendEdit, in_place=False, keeps=True)
    async def _on_send(self, here: Here, action: actions.WriteAction | actions.OfComment) -> None:
        action, near = action, None
        if isinstance(action, actions.WriteAction):
            near = PageKey(action.thread_id, action.sort, action.page)
            again = actions.OpenWriteForm(
                action.thread_id, action.parent_id, action.sort, action.page
            )
        else:
            again = actions.OpenEditForm(*PageKey(action.thread_id), action.comment_id)
        new = action.written(here.member_id, here.texts.get(actions.TEXT, ""))
        await self.write(here, new, near, again=again)

    @route(actions.Delete, keeps=True)
    async def _on_delete(self, here: Here, action: actions.OfComment) -> None:
        await self.write(here, action.written(here.member_id))

    async def check(self, here: Here, comment_id: int, near: PageKey) -> None:
        """Raise NotYours where a comment is known to be another's; else the game decides."""
        found = await self._reading.known_comment(here.viewer, near, comment_id)
        if found is not None:
            _require_own(found, await here.player_id())

    async def write(
        self,
        here: Here,
        new: Write,
        near: PageKey | None = None,
        *,
        why_not: KioskError | None = None,
        again: Action | None = None,
    ) -> None:
        """Keep and send a text or a deletion; `again` opens its form, should keeping it fail."""
        body = await in_words(here, new.body)
        new = replace(new, id=here.interaction.id, locale=here.locale, body=body)
        keeping = self._texts.keep(new)
        send = self._ledger.carry_out
        if why_not is not None:
            send = partial(self._texts.leave_unsent, cause=why_not)
        await self.deliver(here, keeping, send, near, typed=new.body, again=again)

    async def deliver(
        self,
        here: Here,
        keeping: Awaitable[Write | None],
        send: Callable[[Write], Awaitable[WriteResult]],
        near: PageKey | None = None,
        *,
        typed: str | None = None,
        again: Action | None = None,
    ) -> None:
        """Send a text, and show it; `near` is where its writer reads, `typed` what isn't kept."""
        try:
            text = await self._kept_in_time(here, keeping, typed)
        except GivenBack as given:
            if again is not None:
                here.again = again
            await self.give_back(here, given)
            return
        if text is None:
            here.leave_to_others()
            return
        try:
            if not await here.give_first():
                result = await self._texts.leave_unsent(text, AnswerNotTaken())
            elif self._router.is_stopping:
                result = await self._texts.leave_unsent(text, Interrupted())
            else:
                result = await send(text)
            await self._show(here, result, near or PageKey(text.place_id))
            await self._ledger.save_told(result.write)
        finally:
            self._ledger.in_hand.discard(text.id)

    async def _kept_in_time(
        self, here: Here, keeping: Awaitable[Write | None], typed: str | None
    ) -> Write | None:
        """Raise GivenBack where Discord waits no more; what is kept later is left unsent."""
        kept = asyncio.ensure_future(keeping)
        if typed is None or await here.wait_in_time(kept):
            return await kept
        self._texts.tasks.start(self._texts.set_aside(kept), finish=True)
        raise GivenBack(typed, NotKept())

    async def _show(self, here: Here, settled: WriteResult, near: PageKey) -> None:
        write, cause, found = settled.write, settled.cause, None
        if write.state is WriteState.DONE:
            if settled.comment is not None:
                found = await self._reading.known_comment(here.viewer, near, settled.comment.id)
                # One that is not at hand is shown by itself.
                if not found and (
                    seen := await self._reading.as_shown(here.viewer, near, settled.comment)
                ):
                    found = Found(near, (), seen)
            if found is None:
                await here.answer(text_cards.done_card(write))
            else:
                # Whoever has just written it, even where Kiosk does not know yet who they are.
                player_id, banner = found.comment.player.id, t(text_cards.BANNERS[write.kind])
                await self._threads.show_comment(here, found, player_id, banner=banner)
        elif isinstance(cause, GivenBack):
            await self.give_back(here, cause)
        elif write.state is WriteState.REFUSED and cause is not None:
            card = error_card(cause, log_error(cause))
            add_next_step(here, card, cause)
            await here.answer(card)
        else:
            await self.show_text(here, settled)

    async def show_text(self, here: Here, settled: WriteResult, text_page: int = 0) -> None:
        """Show how a text stands, on a card that becomes what comes of it."""
        text, cause = settled.write, settled.cause
        place = await here.place(PlaceKind.THREAD, text.place_id)
        candidate = None
        if isinstance(cause, IsItYours):
            near = PageKey(text.place_id)
            candidate = await self._reading.as_shown(here.viewer, near, cause.comment)
        threads: dict[int, str] = {}
        if text.place_id == NO_THREAD:
            meant = cause.candidates if cause else ()
            threads = {each.game_id: each.label for each in meant if isinstance(each, Place)}
            names = await here.names(PlaceKind.THREAD)
            threads = threads or {each.game_id: each.name for each in names}
        card = text_cards.text_card(
            settled,
            place,
            self._ledger.now(),
            reference=log_error(cause) if cause else "",
            candidate=candidate,
            threads=threads,
            text_page=text_page,
        )
        if cause:
            offer_report(here, card, cause)
        await here.answer(card)

        async def redraw() -> Card | None:
            now_is = await self._writes.find(text.id)
            if now_is is None or now_is.state is WriteState.REFUSED:
                return None
            if now_is.state is WriteState.DONE:
                return text_cards.done_card(now_is)
            return text_cards.text_card(WriteResult(now_is), place, self._ledger.now())

        self._open_cards.note(here, [text.id], redraw)

    async def refresh(self, text: Write) -> bool:
        return text.kind in TEXTS and await self._open_cards.refresh(text.id, text.member_id)

    async def give_back(self, here: Here, given: GivenBack) -> None:
        """Say why a text is not kept, and show it, to be copied."""
        card = error_card(given.cause, log_error(given.cause))
        add_next_step(here, card, given.cause)
        pages = [f">>> {page}" for page in paginate(given.text, _GIVEN_ROOM)]
        await send_with_texts(here, card, pages, send=here.answer)


def _require_own(found: Found, player_id: int | None) -> None:
    writer_id = found.comment.player.id
    if None not in (player_id, writer_id) and writer_id != player_id:
        raise NotYours
