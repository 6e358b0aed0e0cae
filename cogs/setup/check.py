"""`/setup check`: what Kiosk may do in this channel and in each that it was told to use."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

import discord
from discord import ChannelType, Permissions, app_commands
from discord.ext import commands
from msgspec import Struct

from bot.errors import ServerOnly
from bot.features import Features
from bot.i18n import N_
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.commands import L
from cogs.setup.check_card import Checked, check_card
from cogs.setup.permissions import Raw, permissions_in

# Each is looked at over HTTP, so that a server can't ask for hundreds at once.
MOST_CHANNELS = 20

_THREADS = (
    ChannelType.news_thread.value,
    ChannelType.public_thread.value,
    ChannelType.private_thread.value,
)
_FORUM = ChannelType.forum.value
# In Discord's own words, which its settings show.
_VIEW, _SEND, _EMBED = N_("View Channel"), N_("Send Messages"), N_("Embed Links")
_IN_THREADS, _POSTS = N_("Send Messages in Threads"), N_("Create Posts")
_MENTION = N_("Mention @everyone, @here, and All Roles")
# What a channel is used for.
_HERE, _NEWS = N_("this channel"), N_("announcements")
_LOG, _PANEL = N_("the log of removals"), N_("the panel")


class CheckSetup(commands.Cog):
    """The part of `/setup` that looks at permissions."""

    _features: Features

    @app_commands.command(
        name=L("check"), description=L("What Kiosk may and may not do in your channels")
    )
    async def check(self, interaction: Interaction) -> None:
        """Look at this channel and at each that Kiosk was told to use."""
        acknowledge(interaction)
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
        guild_id = interaction.guild_id
        if guild_id is None:
            raise ServerOnly
        uses: defaultdict[int, list[str]] = defaultdict(list)
        pings: defaultdict[int, set[int]] = defaultdict(set)
        if interaction.channel_id is not None:
            uses[interaction.channel_id].append(_HERE)
        rules = await self._features.moderation.rules(guild_id)
        if rules.log_channel_id is not None:
            uses[rules.log_channel_id].append(_LOG)
        panel = await self._features.panels.kept.find(guild_id)
        if panel is not None:
            uses[panel.channel_id].append(_PANEL)
        for one in await self._features.announcing.subscriptions.of_guild(guild_id):
            uses[one.channel_id].append(_NEWS)
            if one.role_id is not None:
                pings[one.channel_id].add(one.role_id)
        return uses, pings


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
        own_id = interaction.application_id
        if interaction.client.user is not None:
            own_id = interaction.client.user.id
        roles = cast("Sequence[Raw]", await http.get_roles(guild_id))
        member = cast("Raw", await http.get_member(guild_id, own_id))
        own_roles = frozenset(int(each) for each in member["roles"])
        return cls(interaction, guild_id, roles, own_roles, own_id)

    async def check(self, channel_id: int, uses: Sequence[str], pinged: set[int]) -> Checked:
        """Look at a channel."""
        try:
            channel = parent = await self._ask_channel(channel_id)
            if channel["type"] in _THREADS:
                parent = await self._ask_channel(int(channel["parent_id"]))
        except (discord.Forbidden, discord.NotFound):
            return Checked(channel_id, uses, None, [_VIEW])
        may = permissions_in(
            parent,
            self.roles,
            own_roles=self.own_roles,
            member_id=self.own_id,
            guild_id=self.guild_id,
        )
        needs = _needs(int(channel["type"]), may, mentions=self._must_mention(pinged))
        return Checked(
            channel_id,
            uses,
            [name for name, is_allowed in needs.items() if is_allowed],
            [name for name, is_allowed in needs.items() if not is_allowed],
        )

    async def _ask_channel(self, channel_id: int) -> Raw:
        return cast("Raw", await self.interaction.client.http.get_channel(channel_id))

    def _must_mention(self, pinged: set[int]) -> bool:
        return any(
            int(role["id"]) in pinged and not role.get("mentionable", False) for role in self.roles
        )


def _needs(kind: int, may: Permissions, *, mentions: bool) -> Mapping[str, bool]:
    """Return what Kiosk needs in a channel of a kind, and whether it may do it there."""
    needs = {_VIEW: may.view_channel}
    if kind in _THREADS:
        needs[_IN_THREADS] = may.send_messages_in_threads
    else:
        needs[_POSTS if kind == _FORUM else _SEND] = may.send_messages
    needs[_EMBED] = may.embed_links
    if mentions:
        needs[_MENTION] = may.mention_everyone
    return needs
