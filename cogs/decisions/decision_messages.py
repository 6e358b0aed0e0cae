"""Tell members why their comment was removed, if they and the server want it."""

from datetime import timedelta

from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, markdown, shared_actions, theme
from bot.ui.messages import kinds
from cogs.decisions import actions
from storage import messages, removals
from storage.decisions import DECISION
from storage.shown import ShownComment

# In characters, and in lines.
_TEXT_ROOM = 600
_TEXT_LINES = 8
_NAME_ROOM = 100


class Decision(kinds.Kind):
    """The last decision about a comment, in one message to its writer for each server."""

    name = DECISION
    priority = messages.Priority.DIRECT_MESSAGE
    retention = timedelta(days=90)

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._title_of = bot.title_of

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return the notice, unless it was undone before, or the member no longer wants notices.

        Raises NoLongerWanted if a sent message stays as it is.
        """
        removal = await self._features.moderation.removals.find(int(message.payload["removal"]))
        link = await self._features.accounts.links.find(message.member_id or 0)
        is_told = message.message_id is not None
        is_undone = removal is not None and removal.ended_at is not None
        if removal is None or not (link and link.hears_decisions) or (is_undone and not is_told):
            if is_told:
                raise kinds.NoLongerWanted
            return None
        # Later decisions change the message.
        comment = ShownComment(removal.subject.comment_id or 0)
        await self._features.shown.record_told(message.id, [comment])
        speak(link.locale)
        return kinds.Drawn(decision_card(removal, await self._title_of(removal.guild_id)))


def decision_card(removal: removals.Removal, server: str) -> drawing.Card:
    subject = removal.subject
    of = {
        "server": f"**{markdown.one_line(server, _NAME_ROOM, is_name=True)}**",
        "id": str(subject.comment_id or 0),
    }
    is_undone = removal.ended_at is not None
    title = t("Your comment was removed")
    told = t(
        "Moderators of %(server)s removed your comment #%(id)s from their server. Nothing"
        " changed in the game.",
        **of,
    )
    if is_undone:
        title = t("Your comment was restored")
        told = t("Moderators of %(server)s removed your comment #%(id)s, then restored it.", **of)
    card = drawing.Card(theme.FORUM)
    card.say(f"### {title}\n{told}")
    shown, _ = markdown.excerpt(subject.text or "", _TEXT_ROOM, lines=_TEXT_LINES)
    if shown:
        card.say("\n".join(f"> {line}" for line in shown.split("\n")))
    if not is_undone:
        reason = markdown.one_line(removal.reason, removals.MAX_REASON_LENGTH)
        said = t("Their reason: %(reason)s", reason=reason)
        card.say(said if reason else t("They gave no reason."))
    off = actions.HearDecisions(is_on=False)
    buttons = [drawing.button(off, t("Stop these DMs"), emoji="🔕")]
    if subject.thread_id is not None:
        opening = shared_actions.OpenComment(subject.thread_id, subject.comment_id or 0)
        buttons.insert(0, drawing.button(opening, t("Open")))
    card.buttons(*buttons)
    return card
