"""`/moderate words` and `/moderate automod`: what a server watches for in the game's texts."""

import asyncio
import io
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NoReturn

import discord
from discord import app_commands
from discord.ext import commands

from bot.features.errors import AutomodOff, BadWordFile
from bot.features.moderation import ModerationService
from bot.features.moderation.automod import read_automod
from bot.features.moderation.policy import Policy, split_words
from bot.i18n import N_, nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.answers import send_private
from bot.ui.cards import Button, Card, attached_file, notice
from bot.ui.commands import L, Option, slash
from bot.ui.here import Here
from bot.ui.text import escape, excerpt, fitting, one_line
from cogs.moderate.actions import LookThrough
from cogs.moderate.cards import hit_line
from storage.vetting import LONGEST_WORD, MOST_WORDS, Automod, AutomodTrouble, Hit, TextRule

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

# The rules are read again when they are older; between two looks at which are, in seconds.
_OLD = timedelta(minutes=5)
_PAUSE = 20.0
# Of a server's rules, and of the patterns that can't be run, on a card.
_MOST_NAMED, _NAME_ROOM, _PATTERN_ROOM = 10, 60, 100
# Servers at a look, one after the other: nobody waits for them.
_AT_ONCE = 200
# As Discord numbers and names them.
_WORD_SETS = {1: N_("Profanity"), 2: N_("Sexual content"), 3: N_("Slurs")}
_TROUBLES = {
    AutomodTrouble.CLOSED: N_(
        "Kiosk can't read this server's AutoMod rules: it needs the permission Manage Server for "
        "that. Until then, what it read last applies."
    ),
    AutomodTrouble.NO_ANSWER: N_(
        "Discord did not give Kiosk the rules just now. What it read last applies until it can read"
        " them again."
    ),
}


class AutomodReader:
    """Reads servers' rules over HTTP, where Kiosk may manage the server."""

    def __init__(self, bot: Kiosk) -> None:
        self._http = bot.http
        self._now = bot.now
        self._policy = bot.features.moderation.policy

    async def read(self, guild_id: int) -> Automod:
        """Read a server's rules, keep them, and return what holds. Raises AutomodOff."""
        try:
            raw = await self._http.get_auto_moderation_rules(guild_id)
        except (discord.Forbidden, discord.NotFound):
            read = Automod(trouble=AutomodTrouble.CLOSED)
        except (discord.HTTPException, OSError, TimeoutError):
            read = Automod(trouble=AutomodTrouble.NO_ANSWER)
        else:
            read = await asyncio.to_thread(read_automod, raw)
        return await self._policy.keep_automod(guild_id, read, self._now())

    async def keep(self) -> NoReturn:
        """Read the rules of all servers again and again, until cancelled."""
        while True:
            await self.read_due(self._now() - _OLD)
            await asyncio.sleep(_PAUSE)

    async def read_due(self, before: datetime) -> None:
        """Read the rules that were last read before a moment."""
        for guild_id in await self._policy.lists.due(before, _AT_ONCE):
            try:
                await self.read(guild_id)
            except AutomodOff:
                # Switched off meanwhile.
                continue


class WordCommands(commands.Cog):
    _moderation: ModerationService
    _policy: Policy
    _automod: AutomodReader

    words = app_commands.Group(
        name=L("words"), description=L("Hold back the game's comments that contain certain words")
    )

    @slash(L("add"), L("Watch for words"), _OPTIONS, group=words)
    async def add_words(self, here: Here, words: Words) -> None:
        await self._add(here, words)

    @slash(L("remove"), L("Stop watching for words"), _OPTIONS, group=words)
    async def remove_words(self, here: Here, words: Words) -> None:
        guild_id = here.guild_id
        removed = await self._policy.remove_words(guild_id, split_words(words))
        watched = await self._policy.lists.watched(guild_id)
        title = nt("%(count)s word removed", "%(count)s words removed", removed)
        colour = theme.GOOD if removed else theme.CALM
        await here.answer(notice(title, _how_many(len(watched.words)), colour=colour))

    @slash(L("list"), L("Show the words that are watched for"), group=words)
    async def list_words(self, here: Here) -> None:
        watched = await self._policy.lists.watched(here.guild_id)
        await here.answer(list_card(watched.words))

    @slash(L("test"), L("Try what would happen to a text"), _OPTIONS, group=words)
    async def test_words(self, here: Here, text: Text) -> None:
        found = await self._policy.hits(here.guild_id, text)
        await here.answer(test_card(text, [hit for _, hit in found]))

    @slash(L("import"), L("Watch for the words of a text file"), _OPTIONS, group=words)
    async def import_words(self, here: Here, file: discord.Attachment) -> None:
        if file.size > _LARGEST_FILE:
            raise BadWordFile(count=str(_LARGEST_FILE // 1024))
        try:
            words = (await file.read()).decode("utf-8-sig")
        except (UnicodeDecodeError, discord.HTTPException) as error:
            raise BadWordFile(count=str(_LARGEST_FILE // 1024)) from error
        await self._add(here, words)

    @slash(L("export"), L("Get the watched words as a text file"), group=words)
    async def export_words(self, here: Here) -> None:
        watched = await self._policy.lists.watched(here.guild_id)
        if not watched.words:
            await here.answer(list_card(watched.words))
            return
        content = "\n".join(watched.words) + "\n"
        file = discord.File(io.BytesIO(content.encode()), FILE_NAME)
        card = notice(t("Watched words"), _how_many(len(watched.words)))
        card.add(attached_file(FILE_NAME))
        await send_private(here.interaction, card, file=file)

    async def _add(self, here: Here, text: str) -> None:
        guild_id = here.guild_id
        added = await self._policy.add_words(guild_id, split_words(text))
        watched = await self._policy.lists.watched(guild_id)
        rules = await self._moderation.rules(guild_id)
        has_log = rules.log_channel_id is not None
        await here.answer(added_card(added, len(watched.words), has_log=has_log))

    automod = app_commands.Group(
        name=L("automod"), description=L("Apply this server's AutoMod rules to the game")
    )

    @slash(L("on"), L("Apply this server's AutoMod rules to the game's texts"), group=automod)
    async def automod_on(self, here: Here) -> None:
        await self._policy.switch_automod(here.guild_id, is_on=True)
        await here.answer(automod_card(await self._automod.read(here.guild_id)))

    @slash(L("off"), L("Apply this server's AutoMod rules to Discord alone"), group=automod)
    async def automod_off(self, here: Here) -> None:
        await self._policy.switch_automod(here.guild_id, is_on=False)
        title = t("AutoMod applies to Discord alone")
        told = t("The game's texts are no longer held to this server's rules.")
        await here.answer(notice(title, told))

    @slash(L("refresh"), L("Read this server's AutoMod rules again now"), group=automod)
    async def automod_refresh(self, here: Here) -> None:
        await here.answer(automod_card(await self._automod.read(here.guild_id)))


def added_card(added: int, count: int, *, has_log: bool) -> Card:
    title = nt("%(count)s word added", "%(count)s words added", added)
    lines = [_how_many(count), t("Comments that contain one are held back here from now on.")]
    lines += _without_log(has_log=has_log)
    buttons = (look_button(),) if added else ()
    return notice(title, "\n".join(lines), colour=theme.GOOD, buttons=buttons)


def looking_card(count: int, *, has_log: bool) -> Card:
    if not count:
        return notice(
            t("Nothing to look through"), t("No public message of Kiosk's shows a comment.")
        )
    title = nt(
        "Looking through %(count)s public message",
        "Looking through %(count)s public messages",
        count,
    )
    told = t("What would be held back now is hidden there, and comes to the log channel.")
    lines = [told, *_without_log(has_log=has_log)]
    return notice(title, "\n".join(lines), colour=theme.GOOD)


def list_card(words: Sequence[str]) -> Card:
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
    return action_button(LookThrough(), t("Look through messages"), emoji="👀")


def _how_many(count: int) -> str:
    return nt(
        "%(count)s word is watched for in this server.",
        "%(count)s words are watched for in this server.",
        count,
    )


def automod_card(automod: Automod) -> Card:
    """Say which of a server's rules hold for the game's texts, and which can't."""
    card = Card(theme.PROBLEM if automod.trouble else theme.GOOD)
    card.say(f"### {t('AutoMod applies to the game, too')}")
    if automod.trouble is not None:
        card.say(f"⚠️ {t(_TROUBLES[automod.trouble])}")
    elif not automod.rules:
        card.say(t("This server has no rule with words or patterns of its own."))
    if automod.rules:
        card.say("\n".join(map(_about, automod.rules[:_MOST_NAMED])))
    if automod.word_sets:
        names = ", ".join(t(_WORD_SETS.get(each, N_("others"))) for each in automod.word_sets)
        card.say(
            t(
                "Discord doesn't show its own word sets, so these don't apply: %(names)s",
                names=names,
            )
        )
    if automod.unusable:
        shown = [f"- {one_line(each, _PATTERN_ROOM)}" for each in automod.unusable[:_MOST_NAMED]]
        card.say("\n".join([t("These patterns can't be run:"), *shown]))
    explained = t(
        "Comments that a rule would block are held back here, and members can't write them from "
        "here. Kiosk reads the rules again every few minutes."
    )
    card.say(f"-# {explained}")
    if automod.rules:
        card.buttons(look_button())
    return card


def _about(rule: TextRule) -> str:
    parts: list[str] = []
    if rule.words:
        parts.append(nt("%(count)s word", "%(count)s words", len(rule.words)))
    if rule.patterns:
        parts.append(nt("%(count)s pattern", "%(count)s patterns", len(rule.patterns)))
    if rule.only_alerts:
        parts.append(t("only alerts"))
    return f"- **{one_line(rule.name, _NAME_ROOM)}**: {', '.join(parts)}"
