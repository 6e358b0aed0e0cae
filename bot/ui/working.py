"""Say on a card that was pressed that it takes a while."""

import asyncio
from contextlib import suppress
from typing import Any

import discord

from bot.background import call_later
from bot.i18n import t
from bot.ui import theme
from bot.ui.cards import CONTAINER, Card, paragraph


class WorkingSign:
    """A line on the card of a press, from some seconds on and until an answer takes its place.

    It may be shown once the press is acknowledged.
    """

    def __init__(self, interaction: discord.Interaction[Any], seconds: float) -> None:
        self._interaction = interaction
        self._timer = call_later(seconds, self._begin)
        self._showing: asyncio.Task[None] | None = None
        self._is_shown = False

    async def stop(self) -> None:
        """Show it no more; wait until it is there, if it is under way."""
        self._timer.cancel()
        if self._showing is not None:
            await self._showing

    async def take_back(self) -> None:
        """Show the card as it was, where no answer has taken its place."""
        await self.stop()
        message = self._interaction.message
        if self._is_shown and message is not None:
            with suppress(discord.HTTPException):
                await self._interaction.edit_original_response(view=_copy(message))

    def _begin(self) -> None:
        self._showing = asyncio.create_task(self._show())

    async def _show(self) -> None:
        message = self._interaction.message
        card = message and _working(message)
        if card is not None and self._interaction.response.is_done():
            self._is_shown = True
            with suppress(discord.HTTPException):
                await self._interaction.edit_original_response(view=card)


def _copy(message: discord.Message) -> Card:
    """Return the card that a message shows."""
    card = Card(theme.CALM)
    card.components = [component.to_dict() for component in message.components]
    return card


def _working(message: discord.Message) -> Card | None:
    """Return a message's card with the line, if there is room for it."""
    card = _copy(message)
    line = paragraph("-# ⏳ " + t("One moment…"))
    last = card.components[-1]
    if last["type"] == CONTAINER:
        card.components[-1] = {**last, "components": [*last["components"], line]}
    else:
        card.components.append(line)
    return card if card.fits else None
