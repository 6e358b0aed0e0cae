"""The panel: what a server has named, to be chosen from, drawn anew when that has changed."""

from bot.features.panels import PANEL, Listed
from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import MOST_CHOICES, ListEntry, action_list
from bot.ui.cards import Card
from bot.ui.messages.kinds import Drawn, Kind
from bot.ui.shared_actions import (
    OpenCatalog,
    OpenThread,
    account_button,
    help_button,
    orders_button,
    setup_button,
)
from bot.ui.text import and_more, escape, fitting
from storage.messages import Message, Priority

# Characters that the names of one kind may take.
_ROOM = 1500


class PanelKind(Kind):
    name = PANEL
    priority = Priority.LIVE_POST

    def __init__(self, bot: Kiosk) -> None:
        self._panels = bot.features.panels
        self._moderation = bot.features.moderation

    async def draw(self, message: Message) -> Drawn:
        listed = await self._panels.listed(message.guild_id or 0)
        locale = message.payload["locale"]
        speak(await self._moderation.locale(message.guild_id, locale))
        return Drawn(places_card(listed, t("Pick something: only you see where it leads.")))


def places_card(listed: Listed, remark: str = "", *, may_set_up: bool = False) -> Card:
    card = Card(theme.FORUM)
    if not (listed.threads or listed.catalogs):
        remark = t("Nothing is set up here yet. Moderators begin with `/setup show`.")
    card.say("\n".join(filter(None, [f"## {t('The game, right here')}", remark])))
    for title, names, action, placeholder in (
        (t("Threads"), listed.threads, OpenThread, t("Read a thread…")),
        (t("Catalogs"), listed.catalogs, OpenCatalog, t("Browse a catalog…")),
    ):
        if names:
            shown = fitting((escape(named.name) for named in names), _ROOM, gap=3)
            card.say(f"**{title}**\n" + " · ".join(and_more(shown, len(names))))
            entries = [ListEntry(named.name, action(named.game_id)) for named in names]
            card.choose(action_list(entries, placeholder=placeholder, name=placeholder[:1]))
    if max(len(listed.threads), len(listed.catalogs)) > MOST_CHOICES:
        card.say(
            "-# " + t("A list has room for %(count)s: find the others by name.", count=MOST_CHOICES)
        )
    buttons = (orders_button(), account_button(), help_button())
    card.buttons(*buttons, *([setup_button()] if may_set_up else []))
    return card
