"""What a card about an error offers: what to do next, and what was typed, to be copied."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import discord
from discord import app_commands

from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import Action, ListEntry, fold, pressed
from bot.ui.answers import Interaction, tell
from bot.ui.cards import Button, Card, parts_of
from bot.ui.shared_actions import (
    again_button,
    help_button,
    orders_button,
    places_button,
    setup_button,
    unsent_button,
)
from bot.ui.text import paginate

# What an interaction has noted: how candidates are listed, and the press that it is on the way to.
CANDIDATES, _AGAIN = "candidates", "again"
_STEPS: Mapping[Callable[[], Button], tuple[str, ...]] = {
    lambda: places_button(t("Choose a thread")): (
        *("UnknownThread", "ThreadNotInGame", "ThreadClosed", "UnknownComment", "CommentNotInGame"),
        *("CommentNotFound", "CommentUnseen", "NoCommentShown", "NotYours", "TextGone"),
    ),
    lambda: places_button(t("Choose a catalog")): (
        *("UnknownCatalog", "CatalogNotInGame", "CatalogNeeded", "UnknownItem", "ItemGone"),
        *("ItemsNotLoaded", "UnknownType"),
    ),
    places_button: ("SeveralFit", "NothingNamed", "NotFound", "NotAMemberHere"),
    orders_button: ("Conflict", "UnknownOutcome"),
    unsent_button: ("WriteBusy", "TextInDoubt", "TooManyUnsent"),
    setup_button: ("BadId", "BadName", "NameIsTaken", "ChannelClosed"),
}
_BY_KEY = {key: make for make, keys in _STEPS.items() for key in keys}
# What may work when it is done once more.
_REPEATED = ("Unexpected", "DatabaseError", "KioskError")
# The field of the one form whose text is shown to nobody.
TOKEN_FIELD = "token"  # noqa: S105 - its name
_LONGEST_TYPED = 3000


def offer_candidates(interaction: Interaction, entry_of: Callable[[Any], ListEntry]) -> None:
    """Note how what may be meant is listed, should an error name several candidates."""
    interaction.extras[CANDIDATES] = entry_of


def offer_again(interaction: Interaction, action: Action | str) -> None:
    """Note what an interaction does, or the folded press that it leads to, to be tried again."""
    interaction.extras[_AGAIN] = action


def next_step(key: str, then: str) -> Button:
    """Return the button for an error by the key of its words; `then` is the press, folded."""
    if key in _REPEATED and then:
        return again_button(then)
    return _BY_KEY.get(key, help_button)()


def press_of(interaction: Interaction) -> str:
    """Return the folded custom id of what was pressed or meant, if a button can hold it."""
    noted: Action | str | None = interaction.extras.get(_AGAIN)
    if noted is not None:
        return fold(noted.custom_id()) if isinstance(noted, Action) else noted
    data = cast("Mapping[str, Any]", interaction.data or {})
    is_button = data.get("component_type") == discord.ComponentType.button.value
    custom_id = pressed(data)
    # Of any other list, nothing tells what was chosen.
    return fold(custom_id) if is_button or custom_id != data.get("custom_id") else ""


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
    in_form = (
        str(field.get("value") or "")
        for field in parts_of(data.get("components") or ())
        if field.get("type") == discord.ComponentType.text_input.value
        and field.get("custom_id") != TOKEN_FIELD
    )
    texts = (*in_form, *_in_command(interaction))
    return [page for text in texts for page in paginate(text, _LONGEST_TYPED)]


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
