"""What commands are made of: texts in every language, options, and entries to pick from."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import discord
from discord import ChannelType, app_commands

from bot.i18n import SOURCE_LANGUAGE, catalog, language_of
from bot.ui.actions import LONGEST_CHOICE, MOST_CHOICES
from bot.ui.answers import Interaction
from bot.ui.channels import POSTABLE
from bot.ui.text import one_line

# Marks a command's name or description.
L = app_commands.locale_str


def localize(commands: Sequence[dict[str, Any]]) -> None:
    """Add the texts of every language to commands, as Discord takes them, and to what is in them.

    discord.py's own way asks for each text in each of Discord's thirty locales, one by one.
    """
    for locale in discord.Locale:
        if (language := language_of(locale)) != SOURCE_LANGUAGE:
            for command in commands:
                _localize(command, locale.value, catalog(language).gettext)


def _localize(part: dict[str, Any], locale: str, translate: Callable[[str], str]) -> None:
    for field in ("name", "description"):
        source = part.get(field)
        translated = translate(source) if source else source
        # What is called the same in English may be a choice here and an option's name there.
        is_option = field == "name" and "required" in part
        if translated != source and not (is_option and " " in (translated or "")):
            part.setdefault(f"{field}_localizations", {})[locale] = translated
    for inner in (*part.get("options", ()), *part.get("choices", ())):
        _localize(inner, locale, translate)


def choices(entries: Iterable[tuple[str, str]]) -> list[app_commands.Choice[str]]:
    """Make entries of labels and the values they stand for, as many as Discord takes.

    An entry whose value is too long for Discord is left out.
    """
    fitting = ((label, value) for label, value in entries if len(value) <= LONGEST_CHOICE)
    return [
        app_commands.Choice(name=one_line(label, LONGEST_CHOICE) or value, value=value)
        for label, value in islice(fitting, MOST_CHOICES)
    ]


class ChannelOption(app_commands.Transformer):
    """A channel by its id: the process has no other knowledge of it than the interaction."""

    def __init__(self, *kinds: ChannelType) -> None:
        super().__init__()
        self._kinds = kinds or POSTABLE

    @property
    def type(self) -> discord.AppCommandOptionType:
        """What Discord lets people choose."""
        return discord.AppCommandOptionType.channel

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """Which kinds of it."""
        return [*self._kinds]

    async def transform(self, interaction: Interaction, value: Any, /) -> int:
        """Return the id."""
        return int(value.id)
