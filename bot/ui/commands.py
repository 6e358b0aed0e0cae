"""Names and descriptions of commands, in the language of whoever sees them."""

import discord
from discord import app_commands

from bot.i18n import SOURCE_LANGUAGE, catalog, language_of

# Marks a command's name or description.
L = app_commands.locale_str


class CommandTranslator(app_commands.Translator):
    """Gives Discord the names and descriptions of commands in every language."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return a command's text in a locale, or None where English stands."""
        language = language_of(locale)
        if language == SOURCE_LANGUAGE:
            return None
        translated = catalog(language).gettext(string.message)
        return None if translated == string.message else translated
