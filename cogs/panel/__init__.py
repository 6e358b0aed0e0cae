"""The panel of a server: its setting, and its problems."""

from functools import partial

import discord

from bot.i18n import N_, t
from bot.program.kiosk import Kiosk
from bot.ui import hooks, permissions, server_settings
from bot.ui.here import Here
from bot.ui.problems import Problem
from cogs.panel.panel_messages import PanelKind
from cogs.panel.service import PanelService
from storage.messages import Message
from storage.panels import Panels

# How soon a panel shows what is new, unless it was drawn recently.
_SECONDS_BETWEEN_LOOKS = 60.0
_FORM = N_("Panel")
SETTING = server_settings.Setting(
    "panel_channel_id",
    _FORM,
    server_settings.SettingKind.CHANNEL,
    _FORM,
    N_("A public card that lists threads and catalogs. Leave empty for none."),
    N_("None yet. With a panel, members can start without a command."),
    permissions.Use.PANEL,
    (discord.ChannelType.text, discord.ChannelType.news),
)


async def setting(service: PanelService, guild_id: int) -> server_settings.FeatureSetting:
    panel = await service.find(guild_id)
    save = partial(service.place, guild_id)
    if panel is None:
        return server_settings.FeatureSetting(SETTING, None, save)
    is_lost = not panel.is_there
    return server_settings.FeatureSetting(SETTING, panel.channel_id, save, is_lost=is_lost)


async def section(here: Here, channels: hooks.Channels) -> hooks.Section:
    panel = await here.service(PanelService).find(here.guild_id)
    if panel is None:
        return hooks.Section()
    looked = channels.get(panel.channel_id or 0, permissions.UNSEEN)
    problem = _problem(panel, looked, looked.lacks([permissions.Use.PANEL]))
    return hooks.Section([problem] if problem else [])


def _problem(
    panel: Message, looked: permissions.ChannelState, lacks: list[permissions.MissingPermission]
) -> Problem | None:
    if panel.is_there and not lacks and not looked.is_gone:
        return None
    channel_id = panel.channel_id or 0
    deleted = t("Someone deleted it in %(channel)s.", channel=f"<#{channel_id}>")
    why = permissions.why_not(channel_id, looked, lacks, deleted)
    use = permissions.Use.PANEL
    if looked.is_gone:
        change = server_settings.ChangeSettings(_FORM, SETTING.name, SETTING.name)
        what = t("The panel was deleted")
        return Problem(what, why, use, t("Change"), change, lost_id=channel_id)
    again = t("Post panel again"), server_settings.SetAgain(SETTING.name)
    if not panel.is_there:
        return Problem(t("The panel was deleted"), why, use, *again, channel_id=channel_id)
    what = t("The panel can't be posted")
    return Problem(what, why, use, *again, lacks=tuple(lacks), channel_id=channel_id)


async def setup(bot: Kiosk) -> None:
    core = bot.core
    features = core.features
    service = PanelService(
        core.messages,
        Panels(core.database, core.messages),
        features.threads,
        features.announcing,
        features.own_account,
        features.moderation,
    )
    bot.services[PanelService] = service
    bot.dispatcher.add(PanelKind(service, features.server_setup, features.moderation))
    bot.worker.add_looks("panels", service.redraw_stale, _SECONDS_BETWEEN_LOOKS)
    bot.hooks.settings.add(partial(setting, service))
    bot.hooks.setup_sections.add(section)
    bot.hooks.server_changed.add(service.redraw)
