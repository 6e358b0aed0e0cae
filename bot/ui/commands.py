"""Names and descriptions of commands, in the language of whoever sees them."""

import discord
from discord import app_commands

from bot.i18n import SOURCE_LANGUAGE, catalog, language_of

# Marks a command's name or description.
L = app_commands.locale_str


class CommandTranslator(app_commands.Translator):
    """Gives Discord the names and descriptions of commands in every language."""

    def __init__(self) -> None:
        # Each start asks for thousands of texts, most of them for locales without a catalog.
        languages = {locale: language_of(locale) for locale in discord.Locale}
        self._catalogs = {
            locale: catalog(language)
            for locale, language in languages.items()
            if language != SOURCE_LANGUAGE
        }

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return a command's text in a locale, or None where English stands."""
        sentences = self._catalogs.get(locale)
        if sentences is None:
            return None
        translated = sentences.gettext(string.message)
        # What is called the same in English may be a choice here and an option's name there.
        is_name = context.location is app_commands.TranslationContextLocation.parameter_name
        if translated == string.message or (is_name and " " in translated):
            return None
        return translated
