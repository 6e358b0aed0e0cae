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
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Card
from bot.ui.channels import THREADS, Lack, guild_of, needs_in
from bot.ui.commands import L, slash
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
    async def check(self, interaction: Interaction) -> None:
        """Look at this channel and at each that Kiosk was told to use."""
        uses, pings = await self._uses(interaction)
        server = await _Server.ask(interaction)
        looks = [
            server.check(channel_id, tuple(dict.fromkeys(why)), pings.get(channel_id, set()))
            for channel_id, why in list(uses.items())[:MOST_CHANNELS]
        ]
        checked = await asyncio.gather(*looks)
        await answer(interaction, check_card(checked, left_out=len(uses) - len(checked)))

    async def _uses(
        self, interaction: Interaction
    ) -> tuple[Mapping[int, Sequence[str]], Mapping[int, set[int]]]:
        """Return what each channel is used for, and which roles are pinged there."""
        guild_id = guild_of(interaction)
        uses: defaultdict[int, list[str]] = defaultdict(list)
        pings: defaultdict[int, set[int]] = defaultdict(set)
        if interaction.channel_id is not None:
            uses[interaction.channel_id].append(_HERE)
        rules = await self._features.moderation.rules(guild_id)
        if rules.log_channel_id is not None:
            uses[rules.log_channel_id].append(_LOG)
        panel_channel_id = await self._features.panels.channel_of(guild_id)
        if panel_channel_id is not None:
            uses[panel_channel_id].append(_PANEL)
        for one in await self._features.announcing.subscriptions.of_guild(guild_id):
            uses[one.channel_id].append(_NEWS)
            if one.role_id is not None:
                pings[one.channel_id].add(one.role_id)
        for follow in await self._features.announcing.subscriptions.of_guild(
            guild_id, PlaceKind.THREAD
        ):
            uses[follow.channel_id].append(_FOLLOWS)
        return uses, pings


class Checked(Struct, frozen=True):
    """A channel, what it is used for, and what Kiosk may and may not do there, in English.

    `allowed` is None where Kiosk can't even see it; then it may be gone as well.
    """

    channel_id: int
    uses: Sequence[str]
    allowed: Sequence[str] | None
    lacking: Sequence[str] = ()


class _Server(Struct, frozen=True):
    """What Discord says of a server when it is asked: Kiosk hears of none of it by itself."""

    interaction: Interaction
    guild_id: int
    roles: Sequence[Raw]
    own_roles: frozenset[int]
    own_id: int

    @classmethod
    async def ask(cls, interaction: Interaction) -> "_Server":
        """Ask for the roles, and for those that Kiosk has. Raises HTTPException."""
        http, guild_id = interaction.client.http, cast("int", interaction.guild_id)
        own_id = cast("discord.ClientUser", interaction.client.user).id
        roles = cast("Sequence[Raw]", await http.get_roles(guild_id))
        member = cast("Raw", await http.get_member(guild_id, own_id))
        own_roles = frozenset(int(each) for each in member["roles"])
        return cls(interaction, guild_id, roles, own_roles, own_id)

    async def check(self, channel_id: int, uses: Sequence[str], pinged: set[int]) -> Checked:
        """Look at a channel."""
        try:
            channel = parent = await self._ask_channel(channel_id)
            if channel["type"] in THREADS:
                parent = await self._ask_channel(int(channel["parent_id"]))
        except (discord.Forbidden, discord.NotFound):
            return Checked(channel_id, uses, None, [Lack.VIEW])
        may = permissions_in(
            parent,
            self.roles,
            own_roles=self.own_roles,
            member_id=self.own_id,
            guild_id=self.guild_id,
        )
        must_mention = any(
            int(role["id"]) in pinged and not role.get("mentionable", False) for role in self.roles
        )
        has_replies = _FOLLOWS in uses
        kind = int(channel["type"])
        needs = needs_in(may, kind, has_replies=has_replies, mentions=must_mention)
        return Checked(
            channel_id,
            uses,
            [name for name, is_allowed in needs.items() if is_allowed],
            [name for name, is_allowed in needs.items() if not is_allowed],
        )

    async def _ask_channel(self, channel_id: int) -> Raw:
        return cast("Raw", await self.interaction.client.http.get_channel(channel_id))


def check_card(channels: Sequence[Checked], *, left_out: int) -> Card:
    """Tell of each channel, and where what is missing is mended."""
    is_well = not any(channel.lacking for channel in channels)
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
    card.say("\n\n".join(_line(channel) for channel in channels))
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


def _line(channel: Checked) -> str:
    uses = ", ".join(t(use) for use in channel.uses)
    lines = [f"**<#{channel.channel_id}>** · {uses}"]
    if channel.allowed is None:
        lines.append("❌ " + t("Kiosk can't see this channel, or it is gone."))
        return "\n".join(lines)
    if channel.lacking:
        lines.append("❌ " + t("May not: %(names)s", names=_names(channel.lacking)))
    if channel.allowed:
        lines.append("✅ " + t("May: %(names)s", names=_names(channel.allowed)))
    return "\n".join(lines)


def _names(names: Sequence[str]) -> str:
    return ", ".join(t("“%(name)s”", name=t(name)) for name in names)


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
    overwrites: Sequence[Raw] = channel.get("permission_overwrites", ())
    by_kind: dict[int, list[Raw]] = {_ROLE: [], _MEMBER: []}
    for overwrite in overwrites:
        by_kind.setdefault(int(overwrite["type"]), []).append(overwrite)
    everyone = [each for each in by_kind[_ROLE] if int(each["id"]) == guild_id]
    of_roles = [each for each in by_kind[_ROLE] if int(each["id"]) in own_roles - {guild_id}]
    of_member = [each for each in by_kind[_MEMBER] if int(each["id"]) == member_id]
    for group in (everyone, of_roles, of_member):
        allowed.value &= ~_all("deny", group)
        allowed.value |= _all("allow", group)
    return allowed


def _all(what: str, overwrites: Sequence[Raw]) -> int:
    value = 0
    for overwrite in overwrites:
        value |= int(overwrite[what])
    return value
