"""The options of `/announce`, named and described once."""

from collections.abc import Callable
from typing import Any, TypeVar

from discord import app_commands

from bot.ui.commands import ChannelOption, L

Command = TypeVar("Command", bound=Callable[..., Any])
Channel = app_commands.Transform[int, ChannelOption]
# More than any item costs, and few enough digits for a database.
Cost = app_commands.Range[int, 0, 10**12]
TAKEN_AWAY = [
    app_commands.Choice(name=L("role"), value="role"),
    app_commands.Choice(name=L("type"), value="type"),
    app_commands.Choice(name=L("max_cost"), value="max_cost"),
]
_OPTIONS = {
    "subscription": (L("announcement"), L("Which announcement, by its number")),
    "role": (L("role"), L("A role to ping each time")),
    "what": (L("what"), L("Which news; separate several with commas")),
    "item_type": (L("type"), L("Only items of this type")),
    "max_cost": (L("max_cost"), L("Only items that cost at most this")),
    "channel": (L("channel"), L("The channel, forum or thread to announce in")),
    "catalog": (L("catalog"), L("The catalog's name, or its number")),
}


def takes(*options: str) -> Callable[[Command], Command]:
    """Name and describe options that several commands have."""
    names = app_commands.rename(**{each: _OPTIONS[each][0] for each in options})
    words = app_commands.describe(**{each: _OPTIONS[each][1] for each in options})

    def take(command: Command) -> Command:
        return names(words(command))

    return take
