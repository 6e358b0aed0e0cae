"""`/moderate automod`: the server's own AutoMod rules hold for the game's texts, too."""

import asyncio
from datetime import datetime, timedelta
from typing import NoReturn

import discord
from discord import app_commands
from discord.ext import commands

from bot.features.errors import AutomodOff
from bot.features.moderation.automod import read_automod
from bot.features.moderation.words import WordLists
from bot.i18n import N_, nt, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Card, notice
from bot.ui.channels import guild_of
from bot.ui.commands import L, slash
from bot.ui.text import one_line
from cogs.moderate.words import look_button
from storage.vetting import Automod, AutomodTrouble, TextRule

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
        "I can't read this server's AutoMod rules: I need the permission Manage Server for that."
        " Until then, what I read last applies."
    ),
    AutomodTrouble.NO_ANSWER: N_(
        "Discord did not give me the rules just now. What I read last applies; I'll try again soon."
    ),
}


class AutomodReader:
    """Reads servers' rules over HTTP, where Kiosk may manage the server."""

    def __init__(self, bot: Kiosk) -> None:
        self._http = bot.http
        self._now = bot.now
        self._words = bot.features.moderation.words

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
        return await self._words.keep_automod(guild_id, read)

    async def keep(self) -> NoReturn:
        """Read the rules of all servers again and again, until cancelled."""
        while True:
            await self.read_due(self._now() - _OLD)
            await asyncio.sleep(_PAUSE)

    async def read_due(self, before: datetime) -> None:
        """Read the rules that were last read before a moment."""
        for guild_id in await self._words.lists.due(before, _AT_ONCE):
            try:
                await self.read(guild_id)
            except AutomodOff:
                # Switched off meanwhile.
                continue


class AutomodCommands(commands.Cog):
    """The part of `/moderate` that is about AutoMod."""

    _words: WordLists
    _automod: AutomodReader

    automod = app_commands.Group(
        name=L("automod"), description=L("Apply this server's AutoMod rules to the game")
    )

    @slash(L("on"), L("Apply this server's AutoMod rules to the game's texts"), group=automod)
    async def automod_on(self, interaction: Interaction) -> None:
        """Switch it on, and say what holds."""
        guild_id = guild_of(interaction)
        await self._words.switch_automod(guild_id, is_on=True)
        await answer(interaction, automod_card(await self._automod.read(guild_id)))

    @slash(L("off"), L("Apply this server's AutoMod rules to Discord alone"), group=automod)
    async def automod_off(self, interaction: Interaction) -> None:
        """Switch it off."""
        await self._words.switch_automod(guild_of(interaction), is_on=False)
        title = t("AutoMod applies to Discord alone")
        told = t("The game's texts are no longer held to this server's rules.")
        await answer(interaction, notice(title, told))

    @slash(L("refresh"), L("Read this server's AutoMod rules again now"), group=automod)
    async def automod_refresh(self, interaction: Interaction) -> None:
        """Read the rules again, and say what holds."""
        await answer(interaction, automod_card(await self._automod.read(guild_of(interaction))))


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
        "Comments that a rule would block are held back here, and members can't write them"
        " from here. I read the rules again every few minutes."
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
