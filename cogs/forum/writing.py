"""Writing with forms and buttons: comments and replies, and what became of any text."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from bot.domain.drafts import Draft, DraftKind, DraftState, NewDraft
from bot.features.errors import (
    ForumError,
    GivenBack,
    IsItYours,
    NotHeard,
    NotKept,
    StoppedByAutomod,
    Unsent,
)
from bot.features.forum.settling import Written
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
from bot.ui.channels import channels_of, roles_of
from bot.ui.error_cards import add_next_step, note
from bot.ui.next_steps import offer_again
from bot.ui.router import Press, route
from cogs.forum.actions import NONE, OpenOrReply, OpenWriteForm, PickComment, PostInThread, SendText
from cogs.forum.reading import ThreadHandlers
from cogs.forum.views import writing as views
from cogs.forum.views.comment import CommentView, comment_card
from cogs.forum.views.drafts import unsent_card
from cogs.forum.views.writing import typed_text, write_form

log = logging.getLogger(__name__)

# A form must be the first answer, and Discord waits three seconds for that.
SECONDS_BEFORE_FORM = 0.8


class WritingHandlers:
    """Answers forms, and presses that open them."""

    def __init__(self, bot: Kiosk, threads: ThreadHandlers) -> None:
        self._threads = threads
        self._reading = bot.features.forum.threads
        self._drafts = bot.features.forum.drafts
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
        new = press.action.draft(press.member_id, typed_text(press.texts))
        await self.write(press.interaction, new, press.action.near)

    async def write(
        self, interaction: Interaction, new: NewDraft, near: PageKey | None = None
    ) -> None:
        """Keep and send a new text, or a deletion, and show what became of it."""
        new = replace(new, locale=str(interaction.locale))
        keeping, send = self._drafts.keep(new, interaction.id), self._drafts.sender.send
        await self.deliver(interaction, keeping, send, near, typed=new.text)

    async def deliver(
        self,
        interaction: Interaction,
        keeping: Awaitable[Draft | None],
        send: Callable[[Draft], Awaitable[Written]],
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
                aside = asyncio.ensure_future(self._drafts.set_aside(kept))
                await self.give_back(interaction, GivenBack(typed, NotKept()))
                await aside
                return
            draft = await kept
        except GivenBack as given:
            await self.give_back(interaction, given)
            return
        if draft is None:
            leave_to_others(interaction)
            return
        try:
            if not await is_taken(interaction):
                raise await self._drafts.settler.release(draft, draft.state, NotHeard())
            await self._check(interaction, draft)
            written = await send(draft)
            await self._show_written(interaction, written, near)
            await self._drafts.note_told(written)
        except GivenBack as given:
            await self.give_back(interaction, given)
        except Unsent as unsent:
            near = near or PageKey(unsent.draft.thread_id)
            reference = note(unsent.cause)
            place = await self._threads.place(interaction, unsent.draft.thread_id)
            candidate = await self._candidate(interaction, unsent, near)
            await answer(interaction, unsent_card(unsent, place, reference, candidate))
            await self._drafts.note_told(unsent.draft)
        finally:
            self._drafts.let_go(draft)

    async def _check(self, interaction: Interaction, draft: Draft) -> None:
        """Raise Unsent for a text that this server's AutoMod would not let pass."""
        may_be_sent = draft.state is DraftState.UNKNOWN
        if draft.kind is DraftKind.DELETE or may_be_sent or interaction.permissions.manage_guild:
            return
        hit = await self._moderation.policy.blocks(
            interaction.guild_id, draft.text, channels_of(interaction), roles_of(interaction)
        )
        if hit is not None:
            stopped = StoppedByAutomod(name=hit.rule)
            raise await self._drafts.settler.release(draft, draft.state, stopped)

    async def _show_written(
        self, interaction: Interaction, written: Written, near: PageKey | None
    ) -> None:
        found, near = None, near or PageKey(written.thread_id)
        if written.comment is not None:
            viewer = await self._threads.viewer(interaction)
            found = await self._reading.written(viewer, near, written.comment)
        if found is None:
            await answer(interaction, views.unseen_card(written))
        else:
            place = await self._threads.place(interaction, found.key.thread_id)
            # Whoever has just written it, even where Kiosk does not know yet who they are.
            may = await self._threads.may(interaction)
            view = CommentView(found, place, found.comment.player.id, may=may)
            await answer(interaction, comment_card(view, banner=t(views.BANNERS[written.kind])))

    async def _candidate(
        self, interaction: Interaction, unsent: Unsent, near: PageKey
    ) -> Comment | None:
        """Return the comment that may be the text, as its writer may see it here."""
        if not isinstance(unsent.cause, IsItYours):
            return None
        viewer = await self._threads.viewer(interaction)
        return await self._reading.as_seen(viewer, near, unsent.cause.comment)

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
        taking = self._drafts.take(press.member_id, press.action.draft_id)
        await self.deliver(press.interaction, taking, self._drafts.sender.send_as_post)
