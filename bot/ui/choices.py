"""Entries to choose from: while a member types an option, and in lists on cards."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from discord import app_commands

from bot.ui.actions import Action, action_select, split_custom_id
from bot.ui.cards import Select, option
from bot.ui.text import one_line

# Discord's limits.
MOST_CHOICES = 25
LONGEST_CHOICE = 100


def choices(entries: Iterable[tuple[str, str]]) -> list[app_commands.Choice[str]]:
    """Make entries of labels and the values they stand for, as many as Discord takes.

    An entry whose value is too long for Discord is left out.
    """
    fitting = ((label, value) for label, value in entries if len(value) <= LONGEST_CHOICE)
    return [
        app_commands.Choice(name=one_line(label, LONGEST_CHOICE) or value, value=value)
        for label, value in islice(fitting, MOST_CHOICES)
    ]


def comment_choices(labels: Mapping[int, str], typed: str) -> list[app_commands.Choice[str]]:
    """Make entries of comments by their numbers, those that hold what was typed so far."""
    wanted = typed.strip().removeprefix("#").casefold()
    return choices(
        (f"#{comment_id} {label}", str(comment_id))
        for comment_id, label in labels.items()
        if wanted in label.casefold() or str(comment_id).startswith(wanted)
    )


class ChooseAction(Action, kind="choose_action"):
    """An entry of a list was chosen that does what a button would; its value is a custom id."""

    # Tells apart the lists of one card.
    name: str = ""


class ListEntry(NamedTuple):
    """An entry of a list on a card, and what choosing it does."""

    label: str
    action: Action
    description: str = ""
    emoji: str | None = None
    is_chosen: bool = False


def pressed(data: Mapping[str, Any]) -> str:
    """Return the custom id of what an interaction pressed, or chose from a list of these."""
    custom_id = str(data.get("custom_id", ""))
    if split_custom_id(custom_id)[0] != ChooseAction.route:
        return custom_id
    return str(next(iter(data.get("values", ())), ""))


def action_list(entries: Iterable[ListEntry], *, placeholder: str, name: str = "") -> Select:
    """Make a list of what can be done, as many entries as Discord takes."""
    by_value = {entry.action.custom_id(): entry for entry in entries}
    options = [
        option(
            one_line(entry.label, LONGEST_CHOICE) or "…",
            value,
            description=one_line(entry.description, LONGEST_CHOICE),
            emoji=entry.emoji,
            is_chosen=entry.is_chosen,
        )
        for value, entry in islice(by_value.items(), MOST_CHOICES)
    ]
    return action_select(ChooseAction(name), options, placeholder=placeholder)
