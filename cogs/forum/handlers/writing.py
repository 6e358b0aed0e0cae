"""Writing with forms and buttons: comments, replies, edits, deletions."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from bot.domain.drafts import Draft, DraftKind, NewDraft
from bot.errors import AccountError
from bot.features.forum.drafts import Written
from bot.features.forum.errors import CommentNotFound, GivenBack, Unsent
from bot.features.forum.screens import PageKey
from bot.features.names import Place
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.actions import Action, ActionForm, fold
from bot.ui.answers import Interaction, acknowledge, answer, tell
from bot.ui.error_cards import error_card, note
from bot.ui.open_cards import OpenCards
from bot.ui.router import Press, route
from cogs.forum.actions import (
    NONE,
    AskDelete,
    Delete,
    OpenEditForm,
    OpenWriteForm,
    PickComment,
    SendEdit,
    SendText,
)
from cogs.forum.handlers.threads import ThreadHandlers
from cogs.forum.views import written as views
from cogs.forum.views.comment import CommentView, comment_card, delete_card
from cogs.forum.views.drafts import unsent_card
from cogs.forum.views.forms import edit_form, typed_text, write_form

# A form must be the first answer, and Discord waits three seconds for that.
_SECONDS_BEFORE_FORM = 0.8


class WritingHandlers:
    """Answers forms, and presses that open them."""

    def __init__(self, bot: Kiosk, threads: ThreadHandlers, open_cards: OpenCards) -> None:
        self._threads = threads
        self._open_cards = open_cards
        self._reading = bot.features.forum.threads
        self._drafts = bot.features.forum.drafts
        self._authored = bot.features.forum.authored
        self._accounts = bot.features.accounts

    async def open_write_form(self, interaction: Interaction, action: OpenWriteForm) -> None:
        """Open the form for a comment or reply; without a link, lead to one and back here."""
        await self._open(interaction, action, write_form(action))

    async def open_edit_form(
        self, interaction: Interaction, comment_id: int, near: PageKey | None
    ) -> None:
        """Open the form with a comment's present text, where that can be had in time."""
        if near is None:
            form = edit_form(None, comment_id, None)
            await self._open(interaction, SendEdit(NONE, comment_id), form)
            return
        action = OpenEditForm(near.thread_id, near.sort, near.page, comment_id)
        text = None
        try:
            viewer = await self._threads.viewer(interaction)
            found = await self._reading.comment_within(
                _SECONDS_BEFORE_FORM, viewer, near, comment_id
            )
        except CommentNotFound:
            pass
        else:
            if found is None:
                acknowledge(interaction, in_place=False)
                await self._reading.comment(viewer, near, comment_id)
                await answer(interaction, views.ready_to_edit_card(action))
                return
            text = found.comment.content
        await self._open(interaction, action, edit_form(near.thread_id, comment_id, text))

    async def ask_delete(
        self, interaction: Interaction, comment_id: int, near: PageKey | None
    ) -> None:
        """Show what would go, as far as that can be seen; `near` is where it was last."""
        found = None
        if near is not None:
            with suppress(CommentNotFound):
                viewer = await self._threads.viewer(interaction)
                found = await self._reading.comment(viewer, near, comment_id)
        if found is None:
            card = views.unseen_delete_card(comment_id, await self._authored.find(comment_id))
        else:
            place = await self._threads.place(interaction, found.key.thread_id)
            card = delete_card(found, place)
        await answer(interaction, card)
        self._open_cards.forget(interaction)

    async def write(self, interaction: Interaction, new: NewDraft) -> None:
        """Keep and send a new text, or a deletion, and show what became of it."""
        new = replace(new, locale=str(interaction.locale))
        await self.deliver(interaction, self._drafts.keep(new), self._drafts.send)

    async def deliver(
        self,
        interaction: Interaction,
        keeping: Awaitable[Draft],
        send: Callable[[Draft], Awaitable[Written]],
    ) -> None:
        """Keep a text, send it, and show what became of it; or give it back, with the reason."""
        try:
            draft = await keeping
        except GivenBack as error:
            first, *rest = views.given_back_cards(error, note(error.cause))
            await answer(interaction, first)
            for card in rest:
                await tell(interaction, card)
            return
        try:
            written = await send(draft)
            await self._show_written(interaction, written)
            await self._drafts.note_told(written)
        except Unsent as unsent:
            reference = note(unsent.cause)
            place = await self.place_of(interaction, unsent.draft)
            await answer(interaction, unsent_card(unsent, place, reference))
            await self._drafts.note_told(unsent.draft)
        finally:
            self._drafts.let_go(draft)

    async def _show_written(self, interaction: Interaction, written: Written) -> None:
        found = None
        if written.comment is not None:
            viewer = await self._threads.viewer(interaction)
            found = self._reading.written(viewer, written.thread_id, written.comment)
        if found is None:
            await answer(interaction, views.unseen_card(written))
        else:
            place = await self._threads.place(interaction, found.key.thread_id)
            # Whoever has just written it, even where Kiosk does not know yet who they are.
            view = CommentView(found, place, found.comment.player.id)
            await answer(interaction, comment_card(view, banner=t(views.BANNERS[written.kind])))
        self._open_cards.forget(interaction)
        await self._open_cards.refresh(interaction.user.id, written.thread_id)

    async def place_of(self, interaction: Interaction, draft: Draft) -> Place | None:
        """Return the thread that a text is for, where it is known."""
        if draft.thread_id is None:
            return None
        return await self._threads.place(interaction, draft.thread_id)

    @route(OpenWriteForm, opens_form=True)
    async def on_open_write_form(self, press: Press[OpenWriteForm]) -> None:
        """Open the form from a button."""
        await self.open_write_form(press.interaction, press.action)

    @route(PickComment, opens_form=True)
    async def on_pick(self, press: Press[PickComment]) -> None:
        """Open the form for the comment that was chosen."""
        parent_id = int(press.value)
        action = OpenWriteForm(press.action.thread_id, parent_id)
        await self.open_write_form(press.interaction, action)

    @route(SendText, in_place=False, keeps=True)
    async def on_send(self, press: Press[SendText]) -> None:
        """Post what was typed."""
        thread_id, parent_id = press.action.thread_id, press.action.parent_id
        text = typed_text(press.texts)
        if parent_id == NONE:
            new = NewDraft(press.member_id, DraftKind.POST, thread_id, None, text)
        else:
            new = NewDraft(press.member_id, DraftKind.REPLY, thread_id, parent_id, text)
        await self.write(press.interaction, new)

    @route(OpenEditForm, opens_form=True)
    async def on_open_edit_form(self, press: Press[OpenEditForm]) -> None:
        """Open the form from a button."""
        await self.open_edit_form(press.interaction, press.action.comment_id, press.action.near)

    @route(SendEdit, in_place=False, keeps=True)
    async def on_send_edit(self, press: Press[SendEdit]) -> None:
        """Change the comment to what was typed."""
        thread_id = None if press.action.thread_id == NONE else press.action.thread_id
        comment_id, text = press.action.comment_id, typed_text(press.texts)
        edit = NewDraft(press.member_id, DraftKind.EDIT, thread_id, comment_id, text)
        await self.write(press.interaction, edit)

    @route(AskDelete)
    async def on_ask_delete(self, press: Press[AskDelete]) -> None:
        """Show what would go."""
        await self.ask_delete(press.interaction, press.action.comment_id, press.action.near)

    @route(Delete, keeps=True)
    async def on_delete(self, press: Press[Delete]) -> None:
        """Delete the comment."""
        action = press.action
        thread_id = None if action.thread_id == NONE else action.thread_id
        delete = NewDraft(press.member_id, DraftKind.DELETE, thread_id, action.comment_id, text="")
        await self.write(press.interaction, delete)

    async def _open(self, interaction: Interaction, action: Action, form: ActionForm) -> None:
        try:
            await self._accounts.require(interaction.user.id)
        except AccountError as error:
            await tell(interaction, error_card(error, note(error), then=fold(action.custom_id())))
            return
        await interaction.response.send_modal(form)
