"""Lead a member to the texts that wait to be sent, from any cog's card."""

from dataclasses import dataclass
from typing import ClassVar

from bot.i18n import t
from bot.ui.actions import Action, ActionButton


@dataclass(frozen=True)
class ShowUnsent(Action):
    """List the texts that wait to be sent."""

    kind: ClassVar[str] = "forum.unsent"


def unsent_button() -> ActionButton:
    """Offer to look at the texts that wait."""
    return ActionButton(ShowUnsent(), t("Show unsent texts"), emoji="📝")
