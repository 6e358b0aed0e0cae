"""`/moderate words`: what a server watches for in the game's texts."""

import io

import discord
from discord import app_commands
from discord.ext import commands

from bot.domain.moderation import LONGEST_WORD, MOST_WORDS
from bot.features.errors import BadWordFile
from bot.features.moderation import ModerationService
from bot.features.moderation.vetting import Vetting, split_words
from bot.ui.answers import Interaction, acknowledge, answer, tell
from bot.ui.commands import L
from cogs.moderate.handlers.checks import guild_of
from cogs.moderate.views import vetting as views

Words = app_commands.Range[str, 1, 4000]
Text = app_commands.Range[str, 1, 4000]

# As many words as a server may have, each as long as it may be.
_LARGEST_FILE = MOST_WORDS * (LONGEST_WORD * 4 + 2)
_WORDS = L("Separated by commas; * at an end stands for more letters: bad*, *worse*")


class WordCommands(commands.Cog):
    """The part of `/moderate` that is about watched words."""

    _moderation: ModerationService
    _vetting: Vetting

    words = app_commands.Group(
        name=L("words"), description=L("Hold back the game's comments that contain certain words")
    )

    @words.command(name=L("add"), description=L("Watch for words"))
    @app_commands.rename(words=L("words"))
    @app_commands.describe(words=_WORDS)
    async def add_words(self, interaction: Interaction, words: Words) -> None:
        """Add words."""
        acknowledge(interaction)
        await self._add(interaction, words)

    @words.command(name=L("remove"), description=L("Stop watching for words"))
    @app_commands.rename(words=L("words"))
    @app_commands.describe(words=_WORDS)
    async def remove_words(self, interaction: Interaction, words: Words) -> None:
        """Take words away."""
        acknowledge(interaction)
        guild_id = guild_of(interaction)
        removed = await self._vetting.remove(guild_id, split_words(words))
        watched = await self._vetting.lists.watched(guild_id)
        await answer(interaction, views.removed_card(removed, len(watched.words)))

    @words.command(name=L("list"), description=L("Show the words that are watched for"))
    async def list_words(self, interaction: Interaction) -> None:
        """List the words."""
        acknowledge(interaction)
        watched = await self._vetting.lists.watched(guild_of(interaction))
        await answer(interaction, views.list_card(watched.words))

    @words.command(name=L("test"), description=L("Try what would happen to a text"))
    @app_commands.rename(text=L("text"))
    @app_commands.describe(text=L("The text to try; nobody else sees it"))
    async def test_words(self, interaction: Interaction, text: Text) -> None:
        """Say what a text holds."""
        acknowledge(interaction)
        hits = await self._vetting.test(guild_of(interaction), text)
        await answer(interaction, views.test_card(text, hits))

    @words.command(name=L("import"), description=L("Watch for the words of a text file"))
    @app_commands.rename(file=L("file"))
    @app_commands.describe(file=L("A word on each line, or separated by commas"))
    async def import_words(self, interaction: Interaction, file: discord.Attachment) -> None:
        """Add the words of a file."""
        acknowledge(interaction)
        if file.size > _LARGEST_FILE:
            raise BadWordFile(count=str(_LARGEST_FILE // 1024))
        try:
            words = (await file.read()).decode("utf-8-sig")
        except (UnicodeDecodeError, discord.HTTPException) as error:
            raise BadWordFile(count=str(_LARGEST_FILE // 1024)) from error
        await self._add(interaction, words)

    @words.command(name=L("export"), description=L("Get the watched words as a text file"))
    async def export_words(self, interaction: Interaction) -> None:
        """Hand the words over as a file."""
        acknowledge(interaction)
        watched = await self._vetting.lists.watched(guild_of(interaction))
        if not watched.words:
            await answer(interaction, views.list_card(watched.words))
            return
        content = "\n".join(watched.words) + "\n"
        file = discord.File(io.BytesIO(content.encode()), views.FILE_NAME)
        await tell(interaction, views.export_card(len(watched.words)), file=file)

    async def _add(self, interaction: Interaction, text: str) -> None:
        guild_id = guild_of(interaction)
        added = await self._vetting.add(guild_id, split_words(text))
        watched = await self._vetting.lists.watched(guild_id)
        rules = await self._moderation.rules(guild_id)
        has_log = rules.log_channel_id is not None
        await answer(interaction, views.added_card(added, len(watched.words), has_log=has_log))
