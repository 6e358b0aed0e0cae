"""The log of what moderators removed, in pages."""

from collections.abc import Sequence

from msgspec.structs import replace

from bot.features.moderation import RemovalStatus
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card, notice
from cogs.moderate.actions import NONE, ShowLog
from cogs.moderate.views.removal import add_record

# Five of these, with all that is noted on them, stay below Discord's 4,000 characters.
_TEXT_ROOM, _NOTE_ROOM = 120, 100


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
