"""The frame of every card, and the plain card that says one thing."""

from typing import Any

import discord
from discord import ui

from bot.ui import theme

# Discord's limits for one message of components.
MOST_COMPONENTS = 40
MOST_CHARACTERS = 4000


class Card(ui.LayoutView):
    """One framed message; what stands in it is added to `frame`."""

    def __init__(self, colour: discord.Colour) -> None:
        super().__init__(timeout=None)
        # Finished from the start: presses go to the router, so discord.py need not keep it.
        self.stop()
        self.frame: ui.Container[Any] = ui.Container(accent_colour=colour)
        self.add_item(self.frame)

    def say(self, text: str) -> None:
        """Add a paragraph of markdown."""
        self.frame.add_item(ui.TextDisplay(text))

    @property
    def room(self) -> int:
        """How many characters Discord still takes on this card."""
        texts = (part for part in self.walk_children() if isinstance(part, ui.TextDisplay))
        return MOST_CHARACTERS - sum(len(text.content) for text in texts)

    def divide(self, *, wide: bool = False) -> None:
        """Add a line between two parts."""
        spacing = discord.SeparatorSpacing.large if wide else discord.SeparatorSpacing.small
        self.frame.add_item(ui.Separator(spacing=spacing))

    def buttons(self, *buttons: ui.Button[Any]) -> None:
        """Add a row of up to five buttons."""
        self.frame.add_item(ui.ActionRow(*buttons))


def notice(
    title: str,
    body: str = "",
    *,
    colour: discord.Colour = theme.CALM,
    footer: str = "",
    buttons: tuple[ui.Button[Any], ...] = (),
) -> Card:
    """Make a card that says one thing."""
    card = Card(colour)
    card.say("\n".join(filter(None, [f"### {title}", body])))
    if footer:
        card.say(f"-# {footer}")
    if buttons:
        card.buttons(*buttons)
    return card
