"""A list of what may have been meant, on the card that says that something is not clear."""

from collections.abc import Callable
from typing import Any

from bot.errors import KioskError
from bot.i18n import t
from bot.ui.answers import Interaction
from bot.ui.cards import Card
from bot.ui.choices import ListEntry, action_list

_CANDIDATES = "candidates"


def offer_candidates(interaction: Interaction, entry_of: Callable[[Any], ListEntry]) -> None:
    """Note how what may be meant is listed, should an error name several candidates."""
    interaction.extras[_CANDIDATES] = entry_of


def add_candidates(interaction: Interaction, card: Card, error: Exception) -> bool:
    """List what may have been meant, where the error and the command know it; return whether."""
    entry_of = interaction.extras.get(_CANDIDATES)
    if entry_of is None or not isinstance(error, KioskError) or not error.candidates:
        return False
    entries = map(entry_of, error.candidates)
    card.choose(action_list(entries, placeholder=t("Did you mean…")))
    return True
