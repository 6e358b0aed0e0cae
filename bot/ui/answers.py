"""Answer an interaction, whatever state it is in.

`acknowledge` first, then `answer`, which takes the place of the private card that was pressed;
`tell` says something privately beside it, `publish` posts for everybody.
"""

import asyncio
from typing import Any

import discord
from discord import InteractionResponseType as ResponseType
from discord import ui

from bot.background import call_later
from bot.i18n import t
from bot.ui.cards import notice

Interaction = discord.Interaction[Any]

_NO_MENTIONS = discord.AllowedMentions.none()
# Of the three seconds that Discord waits for a first sign, those that an answer may take without
# a "thinking" before it: a quick answer is one message, and nobody sees it flicker.
_SOON = 0.5
_PROGRESS = "answer"


class _Progress:
    """How far answering an interaction has come.

    `is_public` and `replaces` are what `acknowledge` was told; `is_shown` once there is an answer.
    """

    def __init__(self, interaction: Interaction, *, is_public: bool, replaces: bool) -> None:
        self.is_public = is_public
        self.replaces = replaces
        self.is_shown = False
        self._interaction = interaction
        self._timer: asyncio.TimerHandle | None = None
        self._deferral: asyncio.Task[None] | None = None

    def defer_soon(self) -> None:
        """Defer in half a second, unless `stop` is called before."""
        self._timer = call_later(_SOON, self._begin)

    async def stop(self) -> None:
        """Defer no more; wait for a deferral that is under way."""
        if self._timer is not None:
            self._timer.cancel()
        if self._deferral is not None:
            await self._deferral

    def _begin(self) -> None:
        self._deferral = asyncio.create_task(self._defer())

    async def _defer(self) -> None:
        response = self._interaction.response
        if response.is_done():
            return
        if self.replaces:
            await response.defer()
        else:
            await response.defer(ephemeral=not self.is_public, thinking=True)


def acknowledge(interaction: Interaction, *, public: bool = False, in_place: bool = True) -> None:
    """Let Discord know within its three seconds that an answer is coming.

    The answer takes the place of a private card that was pressed, unless it is to be `public` or
    not `in_place`.
    """
    replaces = _is_private(interaction) and in_place and not public
    progress = _Progress(interaction, is_public=public, replaces=replaces)
    progress.defer_soon()
    interaction.extras[_PROGRESS] = progress


async def answer(interaction: Interaction, card: ui.LayoutView) -> None:
    """Show the card that an interaction leads to, in place of what it was answered with before.

    It takes the place of a private card that was pressed. A public one stays as it is, since
    others read it.
    """
    progress = await _progress(interaction)
    response = interaction.response
    if not response.is_done() and progress.replaces:
        await response.edit_message(view=card, allowed_mentions=_NO_MENTIONS)
    elif not response.is_done() or progress.is_public or response.type is ResponseType.modal:
        await tell(interaction, card)
    else:
        await _edit(interaction, card)
    progress.is_shown = True


async def tell(interaction: Interaction, card: ui.LayoutView) -> None:
    """Show a card to the member alone, beside what was pressed and answered."""
    progress = await _progress(interaction)
    response = interaction.response
    is_thinking = response.type is ResponseType.deferred_channel_message and not progress.is_shown
    if is_thinking and progress.is_public:
        # What follows a public "thinking" would be as public, so that says next to nothing.
        await _edit(interaction, notice(t("There is nothing to show")))
        await _send(interaction, card, public=False)
        await interaction.delete_original_response()
    elif is_thinking:
        await _edit(interaction, card)
    else:
        await _send(interaction, card, public=False)
    progress.is_shown = True


async def publish(interaction: Interaction, card: ui.LayoutView) -> int:
    """Post a card for everybody in the channel; return the id of the message."""
    progress = await _progress(interaction)
    response = interaction.response
    is_thinking = response.type is ResponseType.deferred_channel_message and not progress.is_shown
    progress.is_shown = True
    if is_thinking and progress.is_public:
        return await _edit(interaction, card)
    return await _send(interaction, card, public=True)


def card_key(interaction: Interaction) -> int:
    """Return what names the card that an interaction answers with, however often it changes.

    That is the id of the interaction which first brought the card.
    """
    message = interaction.message
    if message is not None and message.interaction_metadata and _known(interaction).replaces:
        return message.interaction_metadata.id
    return interaction.id


def _is_private(interaction: Interaction) -> bool:
    return interaction.message is not None and interaction.message.flags.ephemeral


def _known(interaction: Interaction) -> _Progress:
    progress: _Progress | None = interaction.extras.get(_PROGRESS)
    if progress is None:
        progress = _Progress(interaction, is_public=False, replaces=_is_private(interaction))
        interaction.extras[_PROGRESS] = progress
    return progress


async def _progress(interaction: Interaction) -> _Progress:
    progress = _known(interaction)
    await progress.stop()
    return progress


async def _send(interaction: Interaction, card: ui.LayoutView, *, public: bool) -> int:
    if interaction.response.is_done():
        message = await interaction.followup.send(
            view=card, ephemeral=not public, allowed_mentions=_NO_MENTIONS, wait=True
        )
        return message.id
    sent = await interaction.response.send_message(
        view=card, ephemeral=not public, allowed_mentions=_NO_MENTIONS
    )
    # discord.py asks Discord to tell it, whatever the type says.
    return sent.message_id or 0


async def _edit(interaction: Interaction, card: ui.LayoutView) -> int:
    message = await interaction.edit_original_response(view=card, allowed_mentions=_NO_MENTIONS)
    return message.id
