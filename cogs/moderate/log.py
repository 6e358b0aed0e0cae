"""The log: its pages, notes, what is undone, and players who are muted and heard again."""

from collections.abc import Sequence

from msgspec.structs import replace

from bot.errors import OldButton
from bot.features.errors import SeveralPlayers, UnknownPlayer, not_in_force
from bot.features.moderation import RemovalStatus
from bot.features.moderation.times import read_moment
from bot.features.names import read_id
from bot.i18n import nt, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Button, Card, notice
from bot.ui.channels import guild_of, language_of_server
from bot.ui.router import Press, route
from cogs.moderate.actions import (
    LONGEST_LOOK,
    NONE,
    NOTE,
    OpenNoteForm,
    Restore,
    SendNote,
    ShowLog,
    note_form,
)
from cogs.moderate.removal_cards import add_record, removal_card, restored_card
from cogs.moderate.removing import RemovalHandlers, require_moderator
from storage.moderation import Subject
from storage.removals import Removal

# Five of these, with all that is noted on them, stay below Discord's 4,000 characters.
_TEXT_ROOM, _NOTE_ROOM = 120, 100


class LogHandlers:
    """Answers what looks into the log or undoes what is in it, and mutes players."""

    def __init__(self, bot: Kiosk, removing: RemovalHandlers) -> None:
        self._moderation = bot.features.moderation
        self._threads = bot.features.forum.threads
        self._removing = removing

    async def show(self, interaction: Interaction, action: ShowLog) -> None:
        """Answer with a page of the log."""
        standings, has_more = await self._moderation.log(
            guild_of(interaction),
            days=action.days,
            moderator_id=action.moderator_id or None,
            player_id=None if action.player_id == NONE else action.player_id,
            before_id=None if action.before_id == NONE else action.before_id,
        )
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
        if press.action.days not in range(LONGEST_LOOK + 1):
            raise OldButton
        await self.show(press.interaction, press.action)

    @route(Restore, in_place=False)
    async def on_restore(self, press: Press[Restore]) -> None:
        """Undo this removal, and no later one of the same comment."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        standing = await self._moderation.standing(guild_id, press.action.removal_id)
        if standing.removal.ended_at is not None:
            raise not_in_force(standing.removal.subject)
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
            guild_id, press.action.removal_id, press.member_id, press.texts.get(NOTE, "")
        )
        await answer(press.interaction, removal_card(standing))

    async def mute(
        self, interaction: Interaction, player: str, reason: str, until: str | None
    ) -> None:
        """Hide all that a player writes from this server."""
        new = Removal(
            guild_id=guild_of(interaction),
            subject=await self.subject(interaction, player),
            moderator_id=interaction.user.id,
            reason=reason,
            locale=language_of_server(interaction),
            until=None if until is None else read_moment(until, self._moderation.now()),
        )
        removal, is_new = await self._moderation.remove(new)
        await self._removing.follow(interaction, removal, is_new=is_new, asks=False)

    async def players(self, interaction: Interaction) -> dict[int, str]:
        """Return the players of this server's log, and those who wrote what is at hand."""
        logged = await self._moderation.removals.players(guild_of(interaction))
        known = {player_id: name for name, player_id in reversed(logged) if player_id is not None}
        return dict(reversed(known.items())) | self._threads.known_players()

    async def subject(self, interaction: Interaction, text: str) -> Subject:
        """Return the player of this name or number. Raises UnknownPlayer, SeveralPlayers."""
        known = await self.players(interaction)
        player_id = read_id(text)
        if player_id is not None:
            return Subject(None, None, player_id, known.get(player_id, ""))
        wanted = text.strip().casefold()
        meant = [each for each, name in known.items() if name.casefold() == wanted]
        if not meant:
            raise UnknownPlayer(name=text)
        if len(meant) > 1:
            raise SeveralPlayers(name=text, known=", ".join(map(str, meant)))
        return Subject(None, None, meant[0], known[meant[0]])


def log_page(standings: Sequence[RemovalStatus], action: ShowLog, *, has_more: bool) -> Card:
    """Return a page of the log; `action` is the way to it."""
    days = nt("the last %(count)s day", "the last %(count)s days", action.days)
    title = t("Removed in this server, %(days)s", days=days)
    if not standings:
        return notice(title, t("There is nothing here."))
    card = Card(theme.CALM)
    card.say(f"## {title}")
    for standing in standings:
        card.divide()
        shown = replace(standing, notes=standing.notes[-1:])
        add_record(card, shown, text_room=_TEXT_ROOM, note_room=_NOTE_ROOM)
    buttons: list[Button] = []
    if action.before_id != NONE:
        buttons.append(action_button(replace(action, before_id=NONE), t("Newest"), emoji="⏮️"))
    if has_more:
        older = replace(action, before_id=standings[-1].removal.id)
        buttons.append(action_button(older, t("Older"), emoji="▶️"))
    if buttons:
        card.buttons(*buttons)
    return card
