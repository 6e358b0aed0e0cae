"""The panel: what a server has named, to be chosen from, drawn anew when that has changed."""

from collections.abc import Sequence

import discord

from bot.domain.names import Named
from bot.domain.outbox import Entry, Priority
from bot.features.panels import Listed
from bot.i18n import nt, speaking, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import MOST_CHOICES, ListEntry, action_list
from bot.ui.cards import Card
from bot.ui.shared_actions import (
    OpenCatalog,
    OpenThread,
    help_button,
    link_button,
    orders_button,
    setup_button,
)
from bot.ui.text import escape, fitting
from bot.worker.kinds import Kind, NotOwed, Repeat, Transaction
from bot.worker.requests import Requests, message_route
from bot.worker.verdicts import Refused, Sent, Settled, is_unknown_message

# Discord's codes for a channel and a server that are no more.
_GONE = ("10003", "10004")
# Characters that the names of one kind may take.
_ROOM = 1500


class PanelKind(Kind):
    """A server's panel as it is to be now; owed by `Panels`."""

    name = "panel"
    priority = Priority.LIVE_POST
    repeat = Repeat.BY_NONCE

    def __init__(self, bot: Kiosk) -> None:
        self._panels = bot.features.panels

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Post the panel, or edit it where it is, unless it is owed in a newer version."""
        panel = await self._panels.kept.find(_guild_id(entry))
        is_first_try = entry.attempted_at is None
        if panel is None or (panel.version != entry.payload["version"] and is_first_try):
            raise NotOwed
        listed = await self._panels.listed(_guild_id(entry))
        with speaking(panel.locale):
            card = places_card(listed, t("Pick something: only you see where it leads."))
        if panel.message_id is None or panel.channel_id != entry.channel_id:
            return await requests.create_message(card, channel_id=entry.channel_id)
        try:
            await requests.edit_message(card.to_components(), entry.channel_id, panel.message_id)
        except discord.NotFound as error:
            if is_unknown_message(error):
                # Moderators have deleted it, and it is not posted again.
                return None
            raise
        return panel.message_id

    async def is_edit(self, entry: Entry) -> bool:
        """Return whether the panel is there."""
        panel = await self._panels.kept.find(_guild_id(entry))
        return panel is not None and panel.message_id is not None

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Remember which message the panel is; forget one that can't be there.

        One whose edit is refused may be edited again once Kiosk may do so.
        """
        guild_id, kept = _guild_id(entry), self._panels.kept
        if isinstance(verdict, Sent) and verdict.message_id is not None:
            channel_id = entry.channel_id or 0
            await kept.keep_message(transaction, guild_id, channel_id, verdict.message_id)
        elif isinstance(verdict, Refused) and verdict.is_alone:
            # The one before stands there still, and the next may be taken.
            return
        elif isinstance(verdict, Sent | Refused):
            is_gone = isinstance(verdict, Sent) or verdict.reason.startswith(_GONE)
            version = entry.payload["version"]
            await kept.forget(transaction, guild_id, version, is_gone=is_gone)


class PanelGoneKind(Kind):
    """A panel that was taken away, or moved elsewhere."""

    name = "panel_gone"
    priority = Priority.LIVE_POST

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Delete it."""
        try:
            await requests.ask(
                message_route("DELETE", entry.channel_id, int(entry.payload["message"]))
            )
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise


def _guild_id(entry: Entry) -> int:
    return int(entry.payload["guild"])


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
            card.say(_names(title, names))
            entries = [ListEntry(named.name, action(named.game_id)) for named in names]
            card.choose(action_list(entries, placeholder=placeholder, name=placeholder[:1]))
    if max(len(listed.threads), len(listed.catalogs)) > MOST_CHOICES:
        card.say(
            "-# " + t("A list has room for %(count)s: find the others by name.", count=MOST_CHOICES)
        )
    buttons = (link_button(), orders_button(), help_button())
    card.buttons(*buttons, *([setup_button()] if may_set_up else []))
    return card


def _names(title: str, names: Sequence[Named]) -> str:
    shown = fitting((escape(named.name) for named in names), _ROOM, gap=3)
    left = len(names) - len(shown)
    more = [nt("and %(count)s more", "and %(count)s more", left)] if left else []
    return f"**{title}**\n" + " · ".join([*shown, *more])
