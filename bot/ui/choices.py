"""Entries that Discord offers while a member types an option."""

from collections.abc import Iterable
from itertools import islice

from discord import app_commands

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
