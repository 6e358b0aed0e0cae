"""The option of a command that names a channel to announce in."""

from typing import Any

import discord
from discord import app_commands

from bot.ui.answers import Interaction
from cogs.announce.places import KINDS


class ChannelOption(app_commands.Transformer):
    """A channel by its id: the process has no other knowledge of it than the interaction."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        """What Discord lets people choose."""
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """Which kinds of it."""
        return KINDS

    async def transform(self, interaction: Interaction, value: Any, /) -> int:
        """Return the id."""
        return int(value.id)
