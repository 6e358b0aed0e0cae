"""The log: its pages, notes, and what is undone."""

from bot.domain.moderation import Subject
from bot.features.errors import NotRemoved
from bot.features.moderation import LogFilter
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.router import Press, route
from cogs.moderate.actions import NONE, OpenNoteForm, Restore, SendNote, ShowLog
from cogs.moderate.handlers.checks import guild_of, require_moderator
from cogs.moderate.views.forms import note_form, note_of
from cogs.moderate.views.log import log_page
from cogs.moderate.views.removal import removal_card, restored_card


class LogHandlers:
    """Answers what looks into the log, or undoes what is in it."""

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def show(self, interaction: Interaction, action: ShowLog) -> None:
        """Answer with a page of the log."""
        player = "" if action.player_id == NONE else str(action.player_id)
        wanted = LogFilter(action.moderator_id, player, action.days)
        before_id = None if action.before_id == NONE else action.before_id
        standings, has_more = await self._moderation.log(guild_of(interaction), wanted, before_id)
        await answer(interaction, log_page(standings, action, has_more=has_more))

    async def restore(self, interaction: Interaction, subject: Subject) -> None:
        """Undo a removal or a mute, and say what can't be undone."""
        removal = await self._moderation.restore(
            guild_of(interaction), subject, interaction.user.id
        )
        progress = await self._moderation.messages.progress(removal.id)
        await answer(interaction, restored_card(removal, progress))

    @route(ShowLog)
    async def on_show(self, press: Press[ShowLog]) -> None:
        """Show another page."""
        await require_moderator(press.interaction, self._moderation)
        await self.show(press.interaction, press.action)

    @route(Restore, in_place=False)
    async def on_restore(self, press: Press[Restore]) -> None:
        """Undo this removal, and no later one of the same comment."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        standing = await self._moderation.standing(guild_id, press.action.removal_id)
        if standing.removal.ended_at is not None:
            raise NotRemoved(name=str(standing.removal.subject.comment_id or ""))
        await self.restore(press.interaction, standing.removal.subject)

    @route(OpenNoteForm, opens_form=True)
    async def on_open_note_form(self, press: Press[OpenNoteForm]) -> None:
        """Ask for a note."""
        await require_moderator(press.interaction, self._moderation)
        await press.interaction.response.send_modal(note_form(press.action))

    @route(SendNote)
    async def on_note(self, press: Press[SendNote]) -> None:
        """Keep a note."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        standing = await self._moderation.note(
            guild_id, press.action.removal_id, press.member_id, note_of(press.texts)
        )
        await answer(press.interaction, removal_card(standing))
