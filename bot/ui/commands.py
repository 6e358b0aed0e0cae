"""Names and descriptions of commands, in the language of whoever sees them."""

from collections.abc import Callable, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.i18n import SOURCE_LANGUAGE, catalog, language_of

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
