"""What a member typed and nothing has kept, given back to be copied."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import discord
from discord import app_commands

from bot.ui import theme
from bot.ui.answers import Interaction, tell
from bot.ui.cards import Card
from bot.ui.text import paginate

# The field of the one form whose text is shown to nobody.
TOKEN_FIELD = "token"  # noqa: S105 - its name
_LONGEST_TYPED = 3000


async def tell_with_texts(
    interaction: Interaction,
    card: Card,
    *,
    say: Callable[[Interaction, Card], Awaitable[object]] = tell,
) -> None:
    """Tell the member, and give back what they had typed; a long text takes more cards."""
    first, *others = typed_texts(interaction) or [""]
    if first:
        card.divide()
        card.say(first)
    await say(interaction, card)
    for text in others:
        more = Card(theme.CALM)
        more.say(text)
        await tell(interaction, more)


def typed_texts(interaction: Interaction) -> Sequence[str]:
    """Return what was typed, in parts that a card has room for, but for a token."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    texts = (*_in_form(data), *_in_command(interaction))
    return [page for text in texts for page in paginate(text, _LONGEST_TYPED)]


def _in_form(component: Mapping[str, Any]) -> Iterator[str]:
    below: Sequence[Mapping[str, Any]] = component.get("components") or ()
    for each in (*below, *filter(None, [component.get("component")])):
        yield from _in_form(each)
    is_text = component.get("type") == discord.ComponentType.text_input.value
    if is_text and component.get("custom_id") != TOKEN_FIELD:
        yield str(component.get("value") or "")


def _in_command(interaction: Interaction) -> Iterator[str]:
    """Give the options of a command that are written freely, not picked from a list."""
    command = interaction.command
    if not isinstance(command, app_commands.Command):
        return
    for option in command.parameters:
        is_free = not option.autocomplete and not option.choices
        text = getattr(interaction.namespace, option.name, None)
        if is_free and option.type is discord.AppCommandOptionType.string and text:
            yield str(text)
