"""The message of a panel, drawn in the server's language."""

from bot.features.moderation import ModerationService
from bot.features.server_setup import ServerSetup
from bot.i18n import nt, speak, t
from bot.ui import markdown, places
from bot.ui.messages import kinds
from cogs.panel.service import PanelService
from storage import messages
from storage.names import PlaceKind
from storage.panels import PANEL


class PanelKind(kinds.Kind):
    name = PANEL
    priority = messages.Priority.LIVE_POST

    def __init__(
        self, panels: PanelService, server_setup: ServerSetup, moderation: ModerationService
    ) -> None:
        self._panels = panels
        self._setup = server_setup
        self._moderation = moderation

    async def draw(self, message: messages.Message) -> kinds.Drawn:
        guild_id = message.guild_id or 0
        listed = await self._setup.listed(guild_id)
        known = await self._panels.lately(guild_id)
        locale = message.payload["locale"]
        speak(await self._moderation.locale(message.guild_id, locale))
        lately = {
            (PlaceKind.THREAD, thread_id): markdown.relative_time(moment)
            for thread_id, moment in known.commented_at.items()
        }
        for catalog_id, count in known.new_items.items():
            words = nt("%(count)s new this week", "%(count)s new this week", count)
            lately[PlaceKind.CATALOG, catalog_id] = words
        remark = t("Choose a thread or catalog. Only you see what opens.")
        return kinds.Drawn(places.places_card(listed, remark, lately=lately))
