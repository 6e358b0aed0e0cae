"""Writing with forms and buttons: comments and replies, and what became of any text."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from msgspec.structs import replace

from bot.features.errors import (
    ForumError,
    GivenBack,
    IsItYours,
    NotHeard,
    NotKept,
    Restarting,
    StoppedByAutomod,
)
from bot.features.writing.rules import WriteResult
from bot.game.errors import GameError
from bot.game.models import Comment, PageKey
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.answers import (
    Interaction,
    acknowledge,
    answer,
    is_in_time,
    is_taken,
    leave_to_others,
    tell,
)
from bot.ui.cards import Card
from bot.ui.channels import channels_of, roles_of
from bot.ui.error_cards import add_next_step, error_card, note
from bot.ui.next_steps import offer_again
from bot.ui.router import Press, route
from bot.ui.sent_cards import OpenCards
from cogs.forum.actions import (
    NONE,
    OpenOrReply,
    OpenWriteForm,
    PickComment,
    PostElsewhere,
    PostInThread,
    SendText,
)
from cogs.forum.reading import ThreadHandlers
from cogs.forum.views import writing as views
from cogs.forum.views.comment import CommentView, comment_card
from cogs.forum.views.unsent import text_card
from cogs.forum.views.writing import typed_text, write_form
from storage.writes import TEXTS, Write, WriteKind, WriteState

log = logging.getLogger(__name__)

# A form must be the first answer, and Discord waits three seconds for that.
SECONDS_BEFORE_FORM = 0.8


class WritingHandlers:
    """Answers forms, and presses that open them."""

    def __init__(self, bot: Kiosk, threads: ThreadHandlers) -> None:
        self._threads = threads
        self._reading = bot.features.forum.threads
        self._texts = bot.features.texts
        self._ledger = bot.features.ledger
        self._writes = bot.features.writes
        self._open_cards = OpenCards(bot.tasks)
        self._incoming = bot.tree.incoming
        self._accounts = bot.features.accounts
        self._moderation = bot.features.moderation

    @route(OpenWriteForm, opens_form=True)
    async def on_open_write_form(self, press: Press[OpenWriteForm]) -> None:
        """Open the form from a button."""
        await self.open_write_form(press.interaction, press.action)

    @route(PickComment, opens_form=True)
    async def on_pick(self, press: Press[PickComment]) -> None:
        """Open the form for the comment that was chosen."""
        action = OpenWriteForm(press.action.thread_id, press.number)
        await self.open_write_form(press.interaction, action)

    @route(OpenOrReply, opens_form=True)
    async def on_open_or_reply(self, press: Press[OpenOrReply]) -> None:
        """Open the comment that was chosen, or the form for a reply to it."""
        chosen = press.action.chosen(press.value)
        if isinstance(chosen, OpenWriteForm):
            await self.open_write_form(press.interaction, chosen)
        else:
            acknowledge(press.interaction)
            offer_again(press.interaction, chosen)
            await self._threads.on_comment(Press(press.interaction, press.member_id, chosen))

    async def open_write_form(self, interaction: Interaction, action: OpenWriteForm) -> None:
        """Open the form for a comment or reply; without a link, lead to one and back here."""
        offer_again(interaction, action)
        await self._accounts.require(interaction.user.id)
        form = write_form(action, await self._answered(interaction, action))
        await interaction.response.send_modal(form)

    async def _answered(self, interaction: Interaction, action: OpenWriteForm) -> Comment | None:
        """Return the comment that is replied to, if it can be had before the form must open."""
        if action.parent_id == NONE:
            return None
        viewer = await self._threads.viewer(interaction)
        try:
            found = await self._reading.comment_within(
                SECONDS_BEFORE_FORM, viewer, action.near, action.parent_id
            )
        except (ForumError, GameError):
            # The form names it by its number; sending will say what is wrong.
            return None
        return found and found.comment

    @route(SendText, in_place=False, keeps=True)
    async def on_send(self, press: Press[SendText]) -> None:
        """Post what was typed."""
        new = press.action.written(press.member_id, typed_text(press.texts))
        await self.write(press.interaction, new, press.action.near)

    async def write(
        self, interaction: Interaction, new: Write, near: PageKey | None = None
    ) -> None:
        """Keep and send a new text, or a deletion, and show what became of it."""
        new = replace(new, id=interaction.id, locale=str(interaction.locale))
        keeping = self._texts.keep(new)
        await self.deliver(interaction, keeping, self._texts.send, near, typed=new.body)

    async def deliver(
        self,
        interaction: Interaction,
        keeping: Awaitable[Write | None],
        go_on: Callable[[Write], Awaitable[WriteResult]],
        near: PageKey | None = None,
        *,
        typed: str | None = None,
    ) -> None:
        """Keep a text, tell Discord, send it, and show what became of it; or give it back.

        `near` is the page that its writer was reading, the first where that is not known; `typed`
        the text where it is kept nowhere yet.
        """
        kept = asyncio.ensure_future(keeping)
        try:
            if typed is not None and not await is_in_time(interaction, kept):
                aside = asyncio.ensure_future(self._texts.set_aside(kept))
                await self.give_back(interaction, GivenBack(typed, NotKept()))
                await aside
                return
            held = await kept
        except GivenBack as given:
            await self.give_back(interaction, given)
            return
        if held is None:
            leave_to_others(interaction)
            return
        try:
            if not await is_taken(interaction):
                settled = await self._texts.leave_unsent(held, NotHeard())
            elif self._incoming.is_stopping:
                settled = await self._texts.leave_unsent(held, Restarting())
            elif (stopped := await self._stopped(interaction, held)) is not None:
                settled = await self._texts.leave_unsent(held, stopped)
            else:
                settled = await go_on(held)
            await self._show(interaction, settled, near or PageKey(held.place_id))
            await self._ledger.note_told(settled.write)
        finally:
            self._ledger.let_go(held)

    async def _stopped(self, interaction: Interaction, text: Write) -> StoppedByAutomod | None:
        """Return what says that this server's AutoMod would not let a text pass."""
        may_be_sent = text.state is WriteState.UNKNOWN
        if text.kind is WriteKind.DELETE or may_be_sent or interaction.permissions.manage_guild:
            return None
        hit = await self._moderation.policy.blocks(
            interaction.guild_id, text.body, channels_of(interaction), roles_of(interaction)
        )
        return None if hit is None else StoppedByAutomod(name=hit.rule)

    async def _show(self, interaction: Interaction, settled: WriteResult, near: PageKey) -> None:
        write, cause = settled.write, settled.cause
        if write.state is WriteState.DONE:
            await self._show_written(interaction, settled, near)
        elif isinstance(cause, GivenBack):
            await self.give_back(interaction, cause)
        elif write.state is WriteState.REFUSED and cause is not None:
            card = error_card(cause, note(cause))
            add_next_step(interaction, card, cause)
            await answer(interaction, card)
        else:
            await self.show_text(interaction, settled)

    async def _show_written(
        self, interaction: Interaction, settled: WriteResult, near: PageKey
    ) -> None:
        found, kind = None, settled.write.kind
        if settled.comment is not None:
            viewer = await self._threads.viewer(interaction)
            found = await self._reading.written(viewer, near, settled.comment)
        if found is None:
            await answer(interaction, views.unseen_card(settled.write))
        else:
            place = await self._threads.place(interaction, found.key.thread_id)
            # Whoever has just written it, even where Kiosk does not know yet who they are.
            may = await self._threads.may(interaction)
            view = CommentView(found, place, found.comment.player.id, may=may)
            await answer(interaction, comment_card(view, banner=t(views.BANNERS[kind])))

    async def show_text(
        self, interaction: Interaction, settled: WriteResult, text_page: int = 0
    ) -> None:
        """Show how a text stands, on a card that becomes what comes of it."""
        text = settled.write
        place = await self._threads.place(interaction, text.place_id)
        candidate = None
        if isinstance(settled.cause, IsItYours):
            viewer = await self._threads.viewer(interaction)
            near = PageKey(text.place_id)
            candidate = await self._reading.as_seen(viewer, near, settled.cause.comment)
        card = text_card(
            settled,
            place,
            self._ledger.now(),
            reference=note(settled.cause) if settled.cause else "",
            candidate=candidate,
            text_page=text_page,
        )
        await answer(interaction, card)

        async def redraw() -> Card | None:
            now_is = await self._writes.find(text.id)
            if now_is is None or now_is.state is WriteState.REFUSED:
                return None
            if now_is.state is WriteState.DONE:
                return views.unseen_card(now_is)
            return text_card(WriteResult(now_is), place, self._ledger.now())

        self._open_cards.note(interaction, [text.id], redraw)

    async def refresh(self, text: Write) -> bool:
        """Draw the cards anew that show a text; return whether there was one."""
        return text.kind in TEXTS and await self._open_cards.refresh(text.id, text.member_id)

    async def give_back(self, interaction: Interaction, given: GivenBack) -> None:
        """Say why a text is not kept, and show it, to be copied."""
        first, *rest = views.given_back_cards(given, note(given.cause))
        add_next_step(interaction, first, given.cause)
        await answer(interaction, first)
        for card in rest:
            await tell(interaction, card)

    @route(PostInThread, keeps=True)
    async def on_post_instead(self, press: Press[PostInThread]) -> None:
        """Post a reply in the thread, where it can't stand below a comment."""
        text = await self._texts.find(press.member_id, press.action.text_id)
        await self._send_to(press, text.place_id)

    @route(PostElsewhere, keeps=True)
    async def on_post_elsewhere(self, press: Press[PostElsewhere]) -> None:
        """Post a comment in another thread."""
        await self._send_to(press, press.action.thread_id)

    async def _send_to(
        self, press: Press[PostInThread] | Press[PostElsewhere], thread: int
    ) -> None:
        taking = self._texts.take(press.member_id, press.action.text_id)
        send = partial(self._texts.send_to, thread_id=thread)
        await self.deliver(press.interaction, taking, send)
