"""Say on a card that was pressed that it takes a while."""

from contextlib import suppress
from typing import Any

import discord

from bot.i18n import t
from bot.ui import theme
from bot.ui.cards import CONTAINER, Card, paragraph


async def say_working(interaction: discord.Interaction[Any]) -> None:
    """Add a line to the card that was pressed, if there is room for it."""
    card = _pressed(interaction)
    line = paragraph("-# ⏳ " + t("One moment…"))
    last = card.components[-1]
    if last["type"] == CONTAINER:
        card.components[-1] = {**last, "components": [*last["components"], line]}
    else:
        card.components.append(line)
    with suppress(discord.HTTPException, ValueError):
        await interaction.edit_original_response(view=card)


async def take_back(interaction: discord.Interaction[Any]) -> None:
    """Show the card as it was, where no answer has taken its place."""
    with suppress(discord.HTTPException):
        await interaction.edit_original_response(view=_pressed(interaction))


def _pressed(interaction: discord.Interaction[Any]) -> Card:
    card, message = Card(theme.CALM), interaction.message
    card.components = [each.to_dict() for each in message.components] if message else []
    return card
