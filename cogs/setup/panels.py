"""The panel: what a server has named, to be chosen from, drawn anew when that has changed."""

import discord
from discord import ui

from bot.features.panels import PANEL, Listed
from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import (
    MOST_CHOICES,
    Action,
    ActionForm,
    ListEntry,
    action_button,
    action_list,
)
from bot.ui.cards import Card, notice
from bot.ui.messages.kinds import Drawn, Kind
from bot.ui.shared_actions import (
    OpenCatalog,
    OpenThread,
    ShowSetup,
    help_button,
    link_buttons,
    orders_button,
    setup_button,
)
from bot.ui.text import and_more, escape, fitting
from storage.messages import Message, Priority

OpenPanelForm = Action.of_kind("setup.panel_form")
SendPanel = Action.of_kind("setup.panel_in")
# Older cards post it where they stand.
PostPanel = Action.of_kind("setup.panel")
RemovePanel = Action.of_kind("setup.no_panel")
CHANNEL = "channel"

# Characters that the names of one kind may take.
_ROOM = 1500


class PanelKind(Kind):
    name = PANEL
    priority = Priority.LIVE_POST

    def __init__(self, bot: Kiosk) -> None:
        self._panels = bot.features.panels

    async def draw(self, message: Message) -> Drawn:
        listed = await self._panels.listed(message.guild_id or 0)
        speak(message.payload["locale"])
        return Drawn(places_card(listed, t("Pick something: only you see where it leads.")))


def panel_form(channel_id: int | None) -> ActionForm:
    form = ActionForm(SendPanel(), title=t("Panel"))
    form.add_item(ui.TextDisplay(t("A card for everybody that lists threads and catalogs.")))
    form.ask_channel(
        t("Channel"),
        CHANNEL,
        (discord.ChannelType.text, discord.ChannelType.news),
        chosen=channel_id,
        description=t("Empty: the panel is taken away."),
        is_required=False,
    )
    return form


def no_panel_card() -> Card:
    buttons = (
        action_button(RemovePanel(), t("Take it away"), style=discord.ButtonStyle.danger),
        action_button(ShowSetup(), t("Back")),
    )
    body = t("Members still find everything with commands.")
    return notice(t("Take the panel away?"), body, colour=theme.PROBLEM, buttons=buttons)


def places_card(listed: Listed, remark: str = "", *, may_set_up: bool = False) -> Card:
    """List a server's threads and catalogs, with a remark below the title."""
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
    buttons = (*link_buttons(), orders_button(), help_button())
    card.buttons(*buttons, *([setup_button()] if may_set_up else []))
    return card
