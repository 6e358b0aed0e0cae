"""`/moderate words`: what a server watches for in the game's texts."""

import io
from collections.abc import Sequence

import discord
from discord import app_commands
from discord.ext import commands

from bot.features.errors import BadWordFile
from bot.features.moderation import ModerationService
from bot.features.moderation.words import WordLists, split_words
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.answers import Interaction, answer, tell
from bot.ui.cards import Button, Card, attached_file, notice
from bot.ui.channels import guild_of
from bot.ui.commands import L, Option, slash
from bot.ui.text import escape, excerpt, fitting
from cogs.moderate.actions import LookThrough
from cogs.moderate.cases import hit_line
from storage.vetting import LONGEST_WORD, MOST_WORDS, Hit

Words = app_commands.Range[str, 1, 4000]
Text = app_commands.Range[str, 1, 4000]

# As many words as a server may have, each as long as it may be.
_LARGEST_FILE = MOST_WORDS * (LONGEST_WORD * 4 + 2)
_OPTIONS = {
    "words": Option(
        L("words"), L("Separated by commas; * at an end stands for more letters: bad*, *worse*")
    ),
    "text": Option(L("text"), L("The text to try; nobody else sees it")),
    "file": Option(L("file"), L("A word on each line, or separated by commas")),
}

FILE_NAME = "words.txt"
_LIST_ROOM, _TEXT_ROOM = 3000, 400


class WordCommands(commands.Cog):
    """The part of `/moderate` that is about watched words."""

    _moderation: ModerationService
    _words: WordLists

    words = app_commands.Group(
        name=L("words"), description=L("Hold back the game's comments that contain certain words")
    )

    @slash(L("add"), L("Watch for words"), _OPTIONS, group=words)
    async def add_words(self, interaction: Interaction, words: Words) -> None:
        """Add words."""
        await self._add(interaction, words)

    @slash(L("remove"), L("Stop watching for words"), _OPTIONS, group=words)
    async def remove_words(self, interaction: Interaction, words: Words) -> None:
        """Take words away."""
        guild_id = guild_of(interaction)
        removed = await self._words.remove(guild_id, split_words(words))
        watched = await self._words.lists.watched(guild_id)
        title = nt("%(count)s word removed", "%(count)s words removed", removed)
        colour = theme.GOOD if removed else theme.CALM
        await answer(interaction, notice(title, _how_many(len(watched.words)), colour=colour))

    @slash(L("list"), L("Show the words that are watched for"), group=words)
    async def list_words(self, interaction: Interaction) -> None:
        """List the words."""
        watched = await self._words.lists.watched(guild_of(interaction))
        await answer(interaction, list_card(watched.words))

    @slash(L("test"), L("Try what would happen to a text"), _OPTIONS, group=words)
    async def test_words(self, interaction: Interaction, text: Text) -> None:
        """Say what a text holds."""
        found = await self._moderation.policy.hits(guild_of(interaction), text)
        await answer(interaction, test_card(text, [hit for _, hit in found]))

    @slash(L("import"), L("Watch for the words of a text file"), _OPTIONS, group=words)
    async def import_words(self, interaction: Interaction, file: discord.Attachment) -> None:
        """Add the words of a file."""
        if file.size > _LARGEST_FILE:
            raise BadWordFile(count=str(_LARGEST_FILE // 1024))
        try:
            words = (await file.read()).decode("utf-8-sig")
        except (UnicodeDecodeError, discord.HTTPException) as error:
            raise BadWordFile(count=str(_LARGEST_FILE // 1024)) from error
        await self._add(interaction, words)

    @slash(L("export"), L("Get the watched words as a text file"), group=words)
    async def export_words(self, interaction: Interaction) -> None:
        """Hand the words over as a file."""
        watched = await self._words.lists.watched(guild_of(interaction))
        if not watched.words:
            await answer(interaction, list_card(watched.words))
            return
        content = "\n".join(watched.words) + "\n"
        file = discord.File(io.BytesIO(content.encode()), FILE_NAME)
        card = notice(t("Watched words"), _how_many(len(watched.words)))
        card.add(attached_file(FILE_NAME))
        await tell(interaction, card, file=file)

    async def _add(self, interaction: Interaction, text: str) -> None:
        guild_id = guild_of(interaction)
        added = await self._words.add(guild_id, split_words(text))
        watched = await self._words.lists.watched(guild_id)
        rules = await self._moderation.rules(guild_id)
        has_log = rules.log_channel_id is not None
        await answer(interaction, added_card(added, len(watched.words), has_log=has_log))


def added_card(added: int, count: int, *, has_log: bool) -> Card:
    """Say how many words were added."""
    title = nt("%(count)s word added", "%(count)s words added", added)
    lines = [_how_many(count), t("Comments that contain one are held back here from now on.")]
    lines += _without_log(has_log=has_log)
    buttons = (look_button(),) if added else ()
    return notice(title, "\n".join(lines), colour=theme.GOOD, buttons=buttons)


def looking_card(count: int, *, has_log: bool) -> Card:
    """Say at how many public messages a look is taken."""
    if not count:
        return notice(t("Nothing to look through"), t("No public message of mine shows a comment."))
    title = nt(
        "Looking through %(count)s public message",
        "Looking through %(count)s public messages",
        count,
    )
    told = t("What would be held back now is hidden there, and comes to the log channel.")
    lines = [told, *_without_log(has_log=has_log)]
    return notice(title, "\n".join(lines), colour=theme.GOOD)


def list_card(words: Sequence[str]) -> Card:
    """List the words, as far as there is room."""
    title = t("Watched words")
    if not words:
        return notice(title, t("There are none. Add some with `/moderate words add`."))
    shown = fitting(map(escape, words), _LIST_ROOM, gap=2)
    left = len(words) - len(shown)
    lines = [_how_many(len(words)), ", ".join(shown)]
    if left:
        lines.append("-# " + t("%(count)s more: see `/moderate words export`.", count=number(left)))
    return notice(title, "\n".join(lines))


def test_card(text: str, hits: Sequence[Hit]) -> Card:
    """Say what would become of a text."""
    shown, _ = excerpt(text, _TEXT_ROOM, lines=4)
    if not hits:
        title, colour = t("This text would be shown"), theme.GOOD
    elif all(hit.is_alert for hit in hits):
        title, colour = t("This text would be shown, and you would be told"), theme.CALM
    else:
        title, colour = t("This text would be held back"), theme.PROBLEM
    quoted = "\n".join(f"> {line}" for line in shown.split("\n"))
    return notice(title, "\n".join([quoted, "", *map(hit_line, hits)]).rstrip(), colour=colour)


def _without_log(*, has_log: bool) -> Sequence[str]:
    words = t("Name a log channel with `/setup log`: that is where you see them.")
    return () if has_log else [f"⚠️ {words}"]


def look_button() -> Button:
    """Offer to look through what was posted before."""
    return action_button(LookThrough(), t("Look through messages"), emoji="👀")


def _how_many(count: int) -> str:
    return nt(
        "%(count)s word is watched for in this server.",
        "%(count)s words are watched for in this server.",
        count,
    )
