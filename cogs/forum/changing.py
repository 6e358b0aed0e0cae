"""Changing and deleting one's own comments."""

from bot.features.errors import CommentNotFound, NotYours
from bot.features.forum.threads import Found, HeldBack
from bot.game.models import PageKey
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.next_steps import offer_again
from bot.ui.router import Press, route
from cogs.forum.actions import AskDelete, Delete, OpenEditForm, SendEdit
from cogs.forum.reading import ThreadHandlers
from cogs.forum.views import writing as views
from cogs.forum.views.comment import delete_card
from cogs.forum.views.parts import is_by
from cogs.forum.views.writing import edit_form, typed_text
from cogs.forum.writing import SECONDS_BEFORE_FORM, WritingHandlers
from storage.moderation import Subject
from storage.writes import Write, WriteKind


class ChangingHandlers:
    """Offers a comment's change and deletion to whoever wrote it, and to nobody else."""

    def __init__(self, bot: Kiosk, threads: ThreadHandlers, writing: WritingHandlers) -> None:
        self._threads = threads
        self._writing = writing
        self._reading = bot.features.forum.threads
        self._writes = bot.features.writes
        self._accounts = bot.features.accounts

    @route(OpenEditForm, opens_form=True)
    async def open_edit_form(self, press: Press[OpenEditForm]) -> None:
        """Open the form with a comment's present text, where that can be had in time."""
        interaction, action = press.interaction, press.action
        offer_again(interaction, action)
        await self._accounts.require(press.member_id)
        viewer = await self._threads.viewer(interaction)
        own = await self._own(press.member_id, action.comment_id)
        try:
            found = await self._reading.comment_within(
                SECONDS_BEFORE_FORM, viewer, action.near, action.comment_id
            )
        except CommentNotFound:
            if own is None:
                raise
            form = edit_form(action.thread_id, action.comment_id, None)
            await interaction.response.send_modal(form)
            return
        is_late = found is None
        if found is None:
            acknowledge(interaction, in_place=False)
            found = await self._reading.comment(viewer, action.near, action.comment_id)
        _check(found, viewer.player_id)
        if is_late:
            await answer(interaction, views.ready_to_edit_card(action))
            return
        text = None if isinstance(found.comment, HeldBack) else found.comment.content
        form = edit_form(action.thread_id, action.comment_id, text)
        await interaction.response.send_modal(form)

    @route(AskDelete)
    async def ask_delete(self, press: Press[AskDelete]) -> None:
        """Ask, and show what would go, as far as that can be seen."""
        interaction, comment_id = press.interaction, press.action.comment_id
        viewer = await self._threads.viewer(interaction)
        own = await self._own(press.member_id, comment_id)
        try:
            found = await self._reading.comment(viewer, press.action.near, comment_id)
        except CommentNotFound:
            view = await self._reading.policy.prepare(viewer)
            seen = view.see(Subject(comment_id, player_id=viewer.player_id))
            if own is None or seen.is_hidden:
                raise
            card = views.unseen_delete_card(own.place_id, comment_id, own.body)
        else:
            _check(found, viewer.player_id)
            place = await self._threads.place(interaction, found.key.thread_id)
            card = delete_card(found, place)
        await answer(interaction, card)

    @route(SendEdit, in_place=False, keeps=True)
    async def on_send_edit(self, press: Press[SendEdit]) -> None:
        """Change the comment to what was typed."""
        action, text = press.action, typed_text(press.texts)
        edit = Write(0, press.member_id, WriteKind.EDIT, action.thread_id, action.comment_id, text)
        await self._writing.write(press.interaction, edit)

    @route(Delete, keeps=True)
    async def on_delete(self, press: Press[Delete]) -> None:
        """Delete the comment."""
        action = press.action
        delete = Write(0, press.member_id, WriteKind.DELETE, action.thread_id, action.comment_id)
        await self._writing.write(press.interaction, delete)

    async def _own(self, member_id: int, comment_id: int) -> Write | None:
        written = await self._writes.find_comment(comment_id)
        return written if written and written.member_id == member_id else None

    async def check(self, interaction: Interaction, comment_id: int, near: PageKey) -> None:
        """Raise NotYours where a comment is known to be another's; else the game decides."""
        viewer = await self._threads.viewer(interaction)
        found = await self._reading.known_comment(viewer, near, comment_id)
        if found is not None:
            _check(found, viewer.player_id)


def _check(found: Found, player_id: int | None) -> None:
    """Raise NotYours where a comment is known to be another's; else the game decides."""
    if None not in (player_id, found.comment.player.id) and not is_by(found.comment, player_id):
        raise NotYours
