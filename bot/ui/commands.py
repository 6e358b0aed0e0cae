"""What commands and their options are called, in the language of whoever sees them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import discord
from discord import app_commands

from bot.i18n import SOURCE_LANGUAGE, catalog, language_of

# Marks a command's name or description.
L = app_commands.locale_str
Choices = list[app_commands.Choice[str]]
Command = TypeVar("Command", bound=Callable[..., Any])


class Option(NamedTuple):
    """An option as members see it; `suggest`, a method of the cog, offers what may be meant."""

    name: app_commands.locale_str
    description: app_commands.locale_str
    suggest: Callable[..., Any] | None = None
    choices: Sequence[app_commands.Choice[str]] = ()


def takes(options: Mapping[str, Option], **own: Option) -> Callable[[Command], Command]:
    """Name and describe a command's options by the names of its parameters.

    `options` are those of all commands of a cog, `own` those of this one alone.
    """
    known = {**options, **own}

    def take(command: Command) -> Command:
        # After the cog and the interaction.
        for name in islice(inspect.signature(command).parameters, 2, None):
            option = known[name]
            app_commands.rename(**{name: option.name})(command)
            app_commands.describe(**{name: option.description})(command)
            if option.choices:
                app_commands.choices(**{name: [*option.choices]})(command)
            if option.suggest:
                app_commands.autocomplete(**{name: option.suggest})(command)
        return command

    return take


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
