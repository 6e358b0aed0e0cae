"""What Kiosk may do in this channel and in each that it was told to use."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence, Set

import discord

from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Card
from bot.ui.here import Here
from bot.ui.permissions import Lack, Server, Use
from bot.ui.shared_actions import ShowSetup
from storage.names import PlaceKind

# Each is looked at over HTTP, so that a server can't ask for hundreds at once.
MOST_CHANNELS = 20


async def permissions_card(here: Here) -> Card:
    """Say what Kiosk may do in this channel and in each that it was told to use."""
    guild_id, features = here.guild_id, here.features
    rules = await features.moderation.rules(guild_id)
    news = await features.announcing.following.of_guild(guild_id)
    follows = await features.announcing.following.of_guild(guild_id, PlaceKind.THREAD)
    uses: defaultdict[int, list[Use]] = defaultdict(list)
    for channel_id, use in (
        (here.interaction.channel_id, Use.HERE),
        (rules.log_channel_id, Use.LOG),
        (await features.panels.channel_of(guild_id), Use.PANEL),
        *((one.channel_id, Use.ANNOUNCE) for one in news),
        *((one.channel_id, Use.FOLLOW) for one in follows),
    ):
        if channel_id is not None and use not in uses[channel_id]:
            uses[channel_id].append(use)
    server = await Server.asked(here)
    looks = [
        _look(server, channel_id, why, {n.role_id for n in news if n.channel_id == channel_id})
        for channel_id, why in list(uses.items())[:MOST_CHANNELS]
    ]
    checked = await asyncio.gather(*looks)
    card = _check_card(checked, left_out=len(uses) - len(checked))
    card.buttons(action_button(ShowSetup(), t("Back")))
    return card


async def _look(
    server: Server, channel_id: int, uses: Sequence[Use], role_ids: Set[int | None]
) -> tuple[str, bool]:
    used = f"**<#{channel_id}>** · {', '.join(t(use.value) for use in uses)}"
    try:
        needs, lacks = await server.needs_in(channel_id, uses, role_ids)
    except (discord.Forbidden, discord.NotFound):
        gone = t("Kiosk can't see this channel, or it is gone.")
        return f"{used}\n❌ {gone}", False
    lines = [used]
    if lacks:
        lines.append("❌ " + t("May not: %(names)s", names=_names(lacks)))
    if allowed := [each for each in needs if each not in lacks]:
        lines.append("✅ " + t("May: %(names)s", names=_names(allowed)))
    return "\n".join(lines), not lacks


def _names(permissions: Sequence[Lack]) -> str:
    return ", ".join(t("“%(name)s”", name=t(each.value)) for each in permissions)


def _check_card(channels: Sequence[tuple[str, bool]], *, left_out: int) -> Card:
    is_well = all(channel_is_well for _, channel_is_well in channels)
    card = Card(theme.GOOD if is_well else theme.PROBLEM)
    title = (
        t("Kiosk may do all it needs") if is_well else t("Something is missing in your channels")
    )
    intro = t(
        "Kiosk answers commands wherever they may be used. What is listed here, it needs for what"
        " it posts by itself, and to take it away again."
    )
    card.say(f"### {title}\n{intro}")
    card.divide()
    card.say("\n\n".join(text for text, _ in channels))
    if left_out:
        card.say("-# " + nt("and %(count)s more", "and %(count)s more", left_out))
    if not is_well:
        card.divide()
        card.say(
            t(
                "To fix it, open the channel's settings, then Permissions, add Kiosk or its role"
                " there, and allow what is missing. For the whole server it is Server Settings,"
                " Roles, Kiosk."
            )
        )
    return card
