"""Actions that cards of any cog lead to: to link an account, and to look at unsent texts.

An error card for a missing or refused link offers the form. The press that failed travels with
it as `then`, folded into the custom ids, and stands on the card that says the link is made.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import discord
from discord import ui

from bot.i18n import t
from bot.ui.actions import Action, ActionButton, unfold


@dataclass(frozen=True)
class OpenLinkForm(Action):
    """Open the form that asks for a token; `then` is the folded custom id of the press before."""

    kind: ClassVar[str] = "link_form"
    then: str = ""


@dataclass(frozen=True)
class LinkToken(Action):
    """A token was typed."""

    kind: ClassVar[str] = "link"
    then: str = ""


@dataclass(frozen=True)
class ShowUnsent(Action):
    """List the texts that wait to be sent."""

    kind: ClassVar[str] = "forum.unsent"


def link_button(then: str = "") -> ActionButton:
    """Offer to link, on any card."""
    return ActionButton(
        OpenLinkForm(then), t("Link account"), style=discord.ButtonStyle.primary, emoji="🔗"
    )


def continue_button(then: str) -> ui.Button[Any]:
    """Offer to do now what was meant before linking."""
    return ui.Button(
        custom_id=unfold(then), label=t("Continue"), style=discord.ButtonStyle.primary, emoji="▶️"
    )


def again_button(then: str) -> ui.Button[Any]:
    """Offer to try again what did not work; `then` is its folded custom id."""
    return ui.Button(custom_id=unfold(then), label=t("Try again"), emoji="🔁")


def unsent_button() -> ActionButton:
    """Offer to look at the texts that wait."""
    return ActionButton(ShowUnsent(), t("Show unsent texts"), emoji="📝")
