"""Tell members why a comment of theirs was removed, where they and the server want that."""

from discord.http import Route

from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, markdown, shared_actions, theme
from bot.ui.messages import kinds
from bot.ui.messages.requests import Requests
from storage import messages, removals

# In characters, and in lines.
_TEXT_ROOM = 600
_TEXT_LINES = 8
_NAME_ROOM = 100


class Decision(kinds.Kind):
    """The reason of a removal, told once to whoever wrote the comment."""

    name = removals.DECISION
    priority = messages.Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation
        self._accounts = bot.features.accounts

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        """Tell it, unless it was undone, or the member no longer wants to know."""
        removal = await self._moderation.removals.find(int(message.payload["removal"]))
        link = await self._accounts.links.find(message.member_id or 0)
        if removal is None or removal.ended_at is not None or not (link and link.hears_decisions):
            raise kinds.NotOwed
        speak(link.locale)
        guild = await requests.ask(Route("GET", "/guilds/{guild_id}", guild_id=removal.guild_id))
        card = decision_card(removal, guild["name"])
        return await kinds.post(message, kinds.Drawn(card), requests)


def decision_card(removal: removals.Removal, server: str) -> cards.Card:
    subject = removal.subject
    comment_id = subject.comment_id or 0
    told = t(
        "Moderators of %(server)s removed your comment #%(id)s from what their server sees. In the "
        "game it is where it was.",
        server=f"**{markdown.one_line(server, _NAME_ROOM, is_name=True)}**",
        id=comment_id,
    )
    card = cards.Card(theme.FORUM)
    card.say(f"### {t('A comment of yours was removed')}\n{told}")
    shown, _ = markdown.excerpt(subject.text or "", _TEXT_ROOM, lines=_TEXT_LINES)
    if shown:
        card.say("\n".join(f"> {line}" for line in shown.split("\n")))
    reason = markdown.one_line(removal.reason, removals.LONGEST_REASON)
    card.say(t("Their reason: %(reason)s", reason=reason) if reason else t("They gave no reason."))
    off = shared_actions.HearDecisions(is_on=False)
    buttons = [ui_actions.action_button(off, t("Off"), emoji="🔕")]
    if subject.thread_id is not None:
        opening = shared_actions.OpenComment(subject.thread_id, comment_id)
        buttons.insert(0, ui_actions.action_button(opening, t("Open")))
    card.buttons(*buttons)
    return card
