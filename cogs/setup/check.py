"""`/setup check`: what Kiosk may do in this channel and in each that it was told to use."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Any, cast

import discord
from discord import Permissions
from discord.ext import commands
from msgspec import Struct

from bot.features import Features
from bot.i18n import N_, nt, t
from bot.ui import theme
from bot.ui.cards import Card
from bot.ui.channels import THREADS, Lack, needs_in
from bot.ui.commands import L, slash
from bot.ui.here import Here
from storage.names import PlaceKind

# Each is looked at over HTTP, so that a server can't ask for hundreds at once.
MOST_CHANNELS = 20

# What a channel is used for.
_HERE, _NEWS, _FOLLOWS = N_("this channel"), N_("announcements"), N_("followed threads")
_LOG, _PANEL = N_("the log of removals"), N_("the panel")

# As Discord's API gives them.
Raw = Mapping[str, Any]

_ROLE, _MEMBER = 0, 1


class CheckSetup(commands.Cog):
    """The part of `/setup` that looks at permissions."""

    _features: Features

    @slash(L("check"), L("What Kiosk may and may not do in your channels"))
    async def check(self, here: Here) -> None:
        """Look at this channel and at each that Kiosk was told to use."""
        guild_id, features = here.guild_id, self._features
        rules = await features.moderation.rules(guild_id)
        news = await features.announcing.following.of_guild(guild_id)
        follows = await features.announcing.following.of_guild(guild_id, PlaceKind.THREAD)
        uses: defaultdict[int, list[str]] = defaultdict(list)
        for channel_id, use in (
            (here.interaction.channel_id, _HERE),
            (rules.log_channel_id, _LOG),
            (await features.panels.channel_of(guild_id), _PANEL),
            *((one.channel_id, _NEWS) for one in news),
            *((one.channel_id, _FOLLOWS) for one in follows),
        ):
            if channel_id is not None and use not in uses[channel_id]:
                uses[channel_id].append(use)
        http = here.interaction.client.http
        own_id = cast("discord.ClientUser", here.interaction.client.user).id
        member = await http.get_member(guild_id, own_id)
        own_roles = frozenset(int(each) for each in member["roles"])
        server = _Server(http, guild_id, await http.get_roles(guild_id), own_roles, own_id)
        pings = {(one.channel_id or 0, one.role_id) for one in news}
        looks = [
            server.check(channel_id, why, pings)
            for channel_id, why in list(uses.items())[:MOST_CHANNELS]
        ]
        checked = await asyncio.gather(*looks)
        await here.answer(_check_card(checked, left_out=len(uses) - len(checked)))


class _Server(Struct, frozen=True):
    """What Discord says of a server when it is asked: Kiosk hears of none of it by itself."""

    http: Any
    guild_id: int
    roles: Sequence[Raw]
    own_roles: frozenset[int]
    own_id: int

    async def check(
        self, channel_id: int, uses: Sequence[str], pings: Set[tuple[int, int | None]]
    ) -> tuple[str, bool]:
        """Return what is said of a channel, and whether Kiosk may do there all it needs."""
        used = f"**<#{channel_id}>** · {', '.join(t(use) for use in uses)}"
        try:
            channel = parent = await self.http.get_channel(channel_id)
            if channel["type"] in THREADS:
                parent = await self.http.get_channel(int(channel["parent_id"]))
        except (discord.Forbidden, discord.NotFound):
            gone = t("Kiosk can't see this channel, or it is gone.")
            return f"{used}\n❌ {gone}", False
        may = permissions_in(
            parent,
            self.roles,
            own_roles=self.own_roles,
            member_id=self.own_id,
            guild_id=self.guild_id,
        )
        must_mention = any(
            (channel_id, int(role["id"])) in pings and not role.get("mentionable", False)
            for role in self.roles
        )
        kind, has_replies = int(channel["type"]), _FOLLOWS in uses
        needs = needs_in(may, kind, has_replies=has_replies, mentions=must_mention)
        lines = [used]
        if lacking := _names(needs, is_allowed=False):
            lines.append("❌ " + t("May not: %(names)s", names=lacking))
        if allowed := _names(needs, is_allowed=True):
            lines.append("✅ " + t("May: %(names)s", names=allowed))
        return "\n".join(lines), not lacking


def _names(needs: Mapping[Lack, bool], *, is_allowed: bool) -> str:
    names = [t(name) for name, may in needs.items() if may is is_allowed]
    return ", ".join(t("“%(name)s”", name=name) for name in names)


def _check_card(channels: Sequence[tuple[str, bool]], *, left_out: int) -> Card:
    """Tell of each channel, and where what is missing is mended."""
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


def permissions_in(
    channel: Raw, roles: Sequence[Raw], *, own_roles: Set[int], member_id: int, guild_id: int
) -> Permissions:
    """Return what a member with these roles may do in a channel.

    A thread has those of the channel it is in. Source: Discord's documentation, "Permissions".
    """
    held = {guild_id, *own_roles}
    allowed = Permissions(0)
    for role in roles:
        if int(role["id"]) in held:
            allowed |= Permissions(int(role["permissions"]))
    if allowed.administrator:
        return Permissions.all()
    for kind, ids in (
        (_ROLE, {guild_id}),
        (_ROLE, own_roles - {guild_id}),
        (_MEMBER, {member_id}),
    ):
        overwrites = [
            each
            for each in channel.get("permission_overwrites", ())
            if int(each["type"]) == kind and int(each["id"]) in ids
        ]
        for overwrite in overwrites:
            allowed.value &= ~int(overwrite["deny"])
        for overwrite in overwrites:
            allowed.value |= int(overwrite["allow"])
    return allowed
