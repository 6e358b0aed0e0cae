"""Answer an interaction, whatever state it is in."""

import asyncio
import contextvars
from collections.abc import Awaitable
from typing import Any, TypeVar

import discord
from discord import InteractionResponseType as ResponseType
from discord import ui

from bot.i18n import t
from bot.ui.cards import notice

Interaction = discord.Interaction[Any]
T = TypeVar("T")

_THINKS_IN_PUBLIC = "thinks_in_public"
_NO_MENTIONS = discord.AllowedMentions.none()
# Of the three seconds that Discord waits for a first sign, those that an answer may take without
# a "thinking" before it.
_SOON = 0.5


async def respond(interaction: Interaction, view: ui.LayoutView, *, public: bool = False) -> int:
    """Answer with a card: at once, in place of "thinking", or as a message of its own.

    What is meant for one member alone never takes the place of a "thinking" that all can see.
    Gives the id of the message.
    """
    response = interaction.response
    if not response.is_done():
        sent = await response.send_message(
            view=view, ephemeral=not public, allowed_mentions=_NO_MENTIONS
        )
        return sent.message_id or 0
    if interaction.extras.pop(_THINKS_IN_PUBLIC, False) and not public:
        return await _withdraw(interaction, view)
    if response.type is ResponseType.deferred_channel_message:
        return await _edit(interaction, view)
    return await _follow_up(interaction, view, public=public)


async def think(interaction: Interaction, *, public: bool = False) -> None:
    """Tell Discord that an answer is coming; the game may take its time from here on."""
    await interaction.response.defer(ephemeral=not public, thinking=True)
    interaction.extras[_THINKS_IN_PUBLIC] = public


async def unless_soon_think(
    interaction: Interaction, work: Awaitable[T], *, public: bool = False
) -> T:
    """Await what an answer takes, and tell Discord that it is coming only if that is long.

    A quick answer is then one message instead of two, and nobody sees it flicker.
    """
    loop = asyncio.get_running_loop()
    here = contextvars.copy_context()
    thinking: list[asyncio.Task[None]] = []

    def begin() -> None:
        thinking.append(here.run(loop.create_task, think(interaction, public=public)))

    # In an empty context, so that this clock runs on while the member's command stands still.
    timer = contextvars.Context().run(loop.call_later, _SOON, begin)
    try:
        return await work
    finally:
        timer.cancel()
        for task in thinking:
            await task


def is_private(interaction: Interaction) -> bool:
    """Tell whether a press came from a card that its presser alone can see."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def turn(interaction: Interaction) -> None:
    """Acknowledge a press that leads to another card, which `show` brings when it is there."""
    if is_private(interaction):
        await interaction.response.defer()
    else:
        await think(interaction)


async def show(interaction: Interaction, view: ui.LayoutView) -> int:
    """Bring the card that a press leads to; gives the id of the message.

    It takes the place of a private card. A public one stays as it is, since others read it: the
    presser gets a private card of their own.
    """
    response = interaction.response
    if interaction.message is None or not is_private(interaction):
        return await respond(interaction, view)
    if not response.is_done():
        await response.edit_message(view=view, allowed_mentions=_NO_MENTIONS)
        return interaction.message.id
    if response.type is ResponseType.deferred_message_update:
        return await _edit(interaction, view)
    return await respond(interaction, view)


async def _withdraw(interaction: Interaction, view: ui.LayoutView) -> int:
    """Put a private answer in the place of a public "thinking"."""
    # The first message after "thinking" would be as public, so that one says next to nothing.
    await _edit(interaction, notice(t("There is nothing to show")))
    message_id = await _follow_up(interaction, view, public=False)
    await interaction.delete_original_response()
    return message_id


async def _follow_up(interaction: Interaction, view: ui.LayoutView, *, public: bool) -> int:
    message = await interaction.followup.send(
        view=view, ephemeral=not public, allowed_mentions=_NO_MENTIONS, wait=True
    )
    return message.id


async def _edit(interaction: Interaction, view: ui.LayoutView) -> int:
    message = await interaction.edit_original_response(view=view, allowed_mentions=_NO_MENTIONS)
    return message.id
