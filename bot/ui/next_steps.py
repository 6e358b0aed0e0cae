"""What a member can do next after an error, as a button or a list: no card is a dead end."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import discord

from bot.errors import KioskError
from bot.i18n import t
from bot.ui.actions import Action, fold
from bot.ui.answers import Interaction
from bot.ui.cards import BUTTON, Button, Card, parts_of
from bot.ui.choices import ListEntry, action_list, pressed
from bot.ui.error_log import key_of
from bot.ui.shared_actions import (
    again_button,
    help_button,
    orders_button,
    places_button,
    setup_button,
    unsent_button,
)

# What an interaction has noted: how candidates are listed, and the press that it is on the way to.
_CANDIDATES, _AGAIN = "candidates", "again"
_STEPS: Mapping[Callable[[], Button], tuple[str, ...]] = {
    lambda: places_button(t("Choose a thread")): (
        *("UnknownThread", "ThreadNotInGame", "ThreadClosed", "UnknownComment", "CommentNotInGame"),
        *("CommentNotFound", "CommentUnseen", "NoCommentShown", "NotYours", "WriterUnknown"),
        "DraftGone",
    ),
    lambda: places_button(t("Choose a catalog")): (
        *("UnknownCatalog", "CatalogNotInGame", "CatalogNeeded", "UnknownItem", "ItemGone"),
        *("ItemsNotLoaded", "UnknownType"),
    ),
    places_button: ("SeveralFit", "NothingNamed", "NotFound", "NotAMemberHere"),
    orders_button: ("Conflict", "UnknownOutcome"),
    unsent_button: ("DraftBusy", "TooManyUnsent"),
    setup_button: ("BadId", "BadName", "NameIsTaken", "ChannelClosed"),
}
_BY_KEY = {key: make for make, keys in _STEPS.items() for key in keys}
# What may work when it is done once more.
_REPEATED = ("Unexpected", "DatabaseError", "KioskError")


def offer_candidates(interaction: Interaction, entry_of: Callable[[Any], ListEntry]) -> None:
    """Note how what may be meant is listed, should an error name several candidates."""
    interaction.extras[_CANDIDATES] = entry_of


def offer_again(interaction: Interaction, action: Action) -> None:
    """Note what a command, a choice or a press does, for a button that tries it again."""
    keep_way(interaction, fold(action.custom_id()))


def keep_way(interaction: Interaction, then: str) -> None:
    """Note the folded press that an interaction is on the way to."""
    interaction.extras[_AGAIN] = then


def add_next_step(interaction: Interaction, card: Card, error: Exception) -> None:
    """Offer what may have been meant, or else what to do now, unless the card says already."""
    key = key_of(error)
    given = error if isinstance(error, KioskError) else KioskError()
    entry_of = interaction.extras.get(_CANDIDATES)
    may_set_up = interaction.guild_id is not None and interaction.permissions.manage_guild
    if role_id := given.values.get("moderators"):
        card.say(t("That role is %(role)s.", role=f"<@&{role_id}>"))
    if key == "NothingNamed" and may_set_up:
        card.say(t("You can begin: name the first thread and the first catalog."))
        card.buttons(setup_button())
    elif entry_of is not None and given.candidates:
        entries = map(entry_of, given.candidates)
        card.choose(action_list(entries, placeholder=t("Did you mean…")))
    elif not any(part["type"] == BUTTON for part in parts_of(card.components)):
        card.buttons(next_step(key, press_of(interaction)))


def next_step(key: str, then: str) -> Button:
    """Return the button for an error by the key of its words; `then` is the press, folded."""
    if key in _REPEATED and then:
        return again_button(then)
    return _BY_KEY.get(key, help_button)()


def press_of(interaction: Interaction) -> str:
    """Return the folded custom id of what was pressed or meant, if a button can hold it."""
    if _AGAIN in interaction.extras:
        return str(interaction.extras[_AGAIN])
    data = cast("Mapping[str, Any]", interaction.data or {})
    is_button = data.get("component_type") == discord.ComponentType.button.value
    custom_id = pressed(data)
    # Of any other list, nothing tells what was chosen.
    return fold(custom_id) if is_button or custom_id != data.get("custom_id") else ""
