"""A server's panel that lives: what it says after a while."""

from dataclasses import dataclass
from datetime import timedelta

import simcord

from bot.ui.server_settings import FeatureSetting
from cogs.panel import SETTING
from cogs.panel.service import PanelService
from storage.moderation import NewLine
from tests.support.cards import text_of
from tests.support.owed import tried
from tests.support.world import World


@dataclass
class Panel:
    world: World
    lobby: simcord.ChannelHandle

    async def after(self, **passing: int) -> str:
        """Return what the panel says once so much time has passed, as `timedelta` takes it."""
        await self.world.pass_time(timedelta(**passing))
        await self.world.bot.services[PanelService].redraw_stale()
        await tried(self.world)
        return text_of(self.lobby.last_message)

    async def times_wanted(self) -> int:
        panel = await self.world.bot.services[PanelService].find(self.world.guild.id)
        assert panel is not None
        return panel.wanted


def panel_setting(channel_id: int | None) -> FeatureSetting:
    """Give the setting of a panel that no one changes."""

    async def save(_value: object, _locale: str, _line: NewLine) -> None:
        raise AssertionError

    return FeatureSetting(SETTING, channel_id, save)


async def post_panel(world: World) -> Panel:
    lobby = world.guild.create_text_channel("lobby")
    await world.manage("Panel", panel_channel_id=[lobby])
    await tried(world)
    return Panel(world, lobby)
