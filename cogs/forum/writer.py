"""Writing, as it is done with forms and buttons: comments, replies, edits, deletions."""

from collections.abc import Awaitable
from contextlib import suppress

from bot.app import Kiosk
from bot.errors import AccountError
from bot.features.forum.drafts import Written
from bot.features.forum.errors import CommentNotFound, Unsent
from bot.features.forum.screens import PageKey
from bot.ui.actions import Action, ActionForm, Given, Interaction, fold
from bot.ui.cards import Card
from bot.ui.replies import error_card, note
from bot.ui.respond import respond, show, think, turn
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
from cogs.forum.reader import Reader
from cogs.forum.views import written as views
from cogs.forum.views.comment import CommentView, comment_card, delete_card
from cogs.forum.views.drafts import unsent_card
from cogs.forum.views.forms import edit_form, typed_text, write_form

# A form must be the first answer, and Discord waits three seconds for that.
_SECONDS_BEFORE_FORM = 0.8


class Writer:
    """Answers forms, and presses that open them."""

    def __init__(self, bot: Kiosk, reader: Reader) -> None:
        self._reader = reader
        self._reading = bot.features.forum.reading
        self._writing = bot.features.forum.writing
        self._accounts = bot.features.accounts
        bot.router.handle(OpenWriteForm, self.on_open_write_form)
        bot.router.handle(PickComment, self.on_pick)
        bot.router.handle(SendText, self.on_send)
        bot.router.handle(OpenEditForm, self.on_open_edit_form)
        bot.router.handle(SendEdit, self.on_send_edit)
        bot.router.handle(AskDelete, self.on_ask_delete)
        bot.router.handle(Delete, self.on_delete)

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
            found = await self._reading.comment_within(_SECONDS_BEFORE_FORM, near, comment_id)
        except CommentNotFound:
            pass
        else:
            if found is None:
                await self._offer_form_later(interaction, action)
                return
            text = found.comment.content
        await self._open(interaction, action, edit_form(near.thread_id, comment_id, text))

    async def post(
        self, interaction: Interaction, thread_id: int, text: str, parent_id: int | None
    ) -> None:
        """Post a text, and show what became of it."""
        await think(interaction)
        await self.deliver(
            interaction,
            self._writing.post(interaction.user.id, thread_id, text, parent_id=parent_id),
        )

    async def edit(
        self, interaction: Interaction, thread_id: int | None, comment_id: int, text: str
    ) -> None:
        """Change a comment's text, and show what became of it."""
        await think(interaction)
        await self.deliver(
            interaction, self._writing.edit(interaction.user.id, thread_id, comment_id, text)
        )

    async def ask_delete(
        self, interaction: Interaction, comment_id: int, near: PageKey | None
    ) -> None:
        """Show what would go, as far as that can be seen; `near` is where it was last."""
        found = None
        if near is not None:
            with suppress(CommentNotFound):
                found = await self._reading.comment(near, comment_id)
        if found is None:
            card = await self._unseen_delete_card(comment_id)
        else:
            place = await self._reader.place(interaction, found.key.thread_id)
            card = delete_card(found, place)
        self._reader.leave(interaction, await show(interaction, card))

    async def deliver(self, interaction: Interaction, sending: Awaitable[Written]) -> None:
        """Wait for a text to be sent, and show it; or give it back with what stands in the way.

        In place of the card that was pressed when the press was acknowledged by `turn`.
        """
        try:
            written = await sending
        except Unsent as unsent:
            reference = note(unsent.cause)
            thread_id = unsent.draft.thread_id
            place = None if thread_id is None else await self._reader.place(interaction, thread_id)
            await show(interaction, unsent_card(unsent, place, reference))
            return
        await self._show_written(interaction, written)

    async def on_open_write_form(
        self, interaction: Interaction, action: OpenWriteForm, _given: Given
    ) -> None:
        """Open the form from a button."""
        await self.open_write_form(interaction, action)

    async def on_pick(self, interaction: Interaction, action: PickComment, given: Given) -> None:
        """Open the form for the comment that was chosen."""
        parent_id = int(given.values[0])
        await self.open_write_form(interaction, OpenWriteForm(action.thread_id, parent_id))

    async def on_send(self, interaction: Interaction, action: SendText, given: Given) -> None:
        """Post what was typed."""
        parent_id = None if action.parent_id == NONE else action.parent_id
        await self.post(interaction, action.thread_id, typed_text(given.texts), parent_id)

    async def on_open_edit_form(
        self, interaction: Interaction, action: OpenEditForm, _given: Given
    ) -> None:
        """Open the form from a button."""
        await self.open_edit_form(interaction, action.comment_id, action.near)

    async def on_send_edit(self, interaction: Interaction, action: SendEdit, given: Given) -> None:
        """Change the comment to what was typed."""
        thread_id = None if action.thread_id == NONE else action.thread_id
        await self.edit(interaction, thread_id, action.comment_id, typed_text(given.texts))

    async def on_ask_delete(
        self, interaction: Interaction, action: AskDelete, _given: Given
    ) -> None:
        """Show what would go."""
        if self._reading.known_comment(action.thread_id, action.comment_id) is None:
            await turn(interaction)
        await self.ask_delete(interaction, action.comment_id, action.near)

    async def on_delete(self, interaction: Interaction, action: Delete, _given: Given) -> None:
        """Delete the comment."""
        await turn(interaction)
        thread_id = None if action.thread_id == NONE else action.thread_id
        await self._writing.delete(interaction.user.id, thread_id, action.comment_id)
        shown = await show(interaction, views.deleted_card(action.thread_id))
        self._reader.leave(interaction, shown)
        await self._reader.update_open_cards(interaction, action.thread_id)

    async def _open(self, interaction: Interaction, action: Action, form: ActionForm) -> None:
        try:
            await self._accounts.require(interaction.user.id)
        except AccountError as error:
            card = error_card(error, note(error), then=fold(action.custom_id()))
            await respond(interaction, card)
            return
        await interaction.response.send_modal(form)

    async def _offer_form_later(self, interaction: Interaction, action: OpenEditForm) -> None:
        await think(interaction)
        await self._reading.comment(action.near, action.comment_id)
        await respond(interaction, views.ready_to_edit_card(action))

    async def _unseen_delete_card(self, comment_id: int) -> Card:
        authored = await self._writing.find_authored(comment_id)
        if authored is None:
            return views.unseen_delete_card(NONE, comment_id, "")
        return views.unseen_delete_card(authored.thread_id, comment_id, authored.excerpt)

    async def _show_written(self, interaction: Interaction, written: Written) -> None:
        found = None
        if written.comment is not None:
            found = self._reading.written(written.thread_id, written.comment)
        if found is None:
            await show(interaction, views.unseen_card(written))
            return
        thread_id = found.key.thread_id
        place = await self._reader.place(interaction, thread_id)
        # Whoever has just written it, even where Kiosk does not know yet who they are.
        view = CommentView(found, place, found.comment.player.id)
        card = comment_card(view, banner=views.banner(written.kind))
        self._reader.leave(interaction, await show(interaction, card))
        await self._reader.update_open_cards(interaction, thread_id)
