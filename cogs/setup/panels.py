"""The panel in its channel, drawn anew when what it lists has changed."""

import discord

from bot.domain.outbox import Entry, Priority
from bot.i18n import speaking
from bot.kiosk import Kiosk
from bot.worker.kinds import Kind, NotOwed, Repeat, Transaction
from bot.worker.requests import Requests, message_route
from bot.worker.verdicts import Refused, Sent, Settled, is_unknown_message
from cogs.setup.views.panel import panel_card


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
            card = panel_card(listed)
        if panel.message_id is None or panel.channel_id != entry.channel_id:
            return await requests.create_message(card, channel_id=entry.channel_id)
        try:
            await requests.edit_message(card, entry.channel_id, panel.message_id)
        except discord.NotFound as error:
            if is_unknown_message(error):
                # Moderators have deleted it, and it is not posted again.
                return None
            raise
        return panel.message_id

    async def reconcile(self, entry: Entry, requests: Requests) -> Sent | bool:
        """Let an edit be repeated, which does no harm; a panel that may be there is not."""
        del requests
        panel = await self._panels.kept.find(_guild_id(entry))
        return panel is not None and panel.message_id is not None

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Remember which message the panel is; forget one that can't be there."""
        guild_id, kept = _guild_id(entry), self._panels.kept
        if isinstance(verdict, Sent) and verdict.message_id is not None:
            channel_id = entry.channel_id or 0
            await kept.keep_message(transaction, guild_id, channel_id, verdict.message_id)
        elif isinstance(verdict, Refused) and verdict.is_malformed:
            # The one before stands there still, and the next may be taken.
            return
        elif isinstance(verdict, Sent | Refused):
            await kept.forget(transaction, guild_id, entry.payload["version"])


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
