"""Answer an interaction, whatever state it is in."""

from typing import Any

import discord
from discord import ui

Interaction = discord.Interaction[Any]


async def respond(interaction: Interaction, view: ui.LayoutView, *, public: bool = False) -> None:
    """Answer with a card: at once, in place of "thinking", or as a message of its own."""
    response = interaction.response
    if not response.is_done():
        await response.send_message(
            view=view, ephemeral=not public, allowed_mentions=discord.AllowedMentions.none()
        )
    elif response.type is discord.InteractionResponseType.deferred_channel_message:
        await interaction.edit_original_response(
            view=view, allowed_mentions=discord.AllowedMentions.none()
        )
    else:
        await interaction.followup.send(
            view=view, ephemeral=not public, allowed_mentions=discord.AllowedMentions.none()
        )


async def think(interaction: Interaction, *, public: bool = False) -> None:
    """Tell Discord that an answer is coming; the game may take its time from here on."""
    await interaction.response.defer(ephemeral=not public, thinking=True)
