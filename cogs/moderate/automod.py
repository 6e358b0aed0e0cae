"""`/moderate automod`: the server's own AutoMod rules hold for the game's texts, too."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import NoReturn

import discord
from discord import app_commands
from discord.ext import commands

from bot.domain.moderation import Automod, AutomodTrouble
from bot.features.errors import AutomodOff
from bot.features.moderation.automod import read_automod
from bot.features.moderation.vetting import Vetting
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.commands import L
from cogs.moderate.handlers.checks import guild_of
from cogs.moderate.views.vetting import automod_card, automod_off_card

# The rules are read again when they are older; between two looks at which are, in seconds.
_OLD = timedelta(minutes=5)
_PAUSE = 20.0
# Servers at a look, one after the other: nobody waits for them.
_AT_ONCE = 200


class AutomodReader:
    """Reads servers' rules over HTTP, where Kiosk may manage the server."""

    def __init__(self, bot: Kiosk) -> None:
        self._http = bot.http
        self._vetting = bot.features.moderation.vetting

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
        return await self._vetting.keep_automod(guild_id, read)

    async def keep(self) -> NoReturn:
        """Read the rules of all servers again and again, until cancelled."""
        while True:
            await self.read_due(datetime.now(UTC) - _OLD)
            await asyncio.sleep(_PAUSE)

    async def read_due(self, before: datetime) -> None:
        """Read the rules that were last read before a moment."""
        for guild_id in await self._vetting.lists.due(before, _AT_ONCE):
            try:
                await self.read(guild_id)
            except AutomodOff:
                # Switched off meanwhile.
                continue


class AutomodCommands(commands.Cog):
    """The part of `/moderate` that is about AutoMod."""

    _vetting: Vetting
    _automod: AutomodReader

    automod = app_commands.Group(
        name=L("automod"), description=L("Apply this server's AutoMod rules to the game")
    )

    @automod.command(
        name=L("on"), description=L("Apply this server's AutoMod rules to the game's texts")
    )
    async def automod_on(self, interaction: Interaction) -> None:
        """Switch it on, and say what holds."""
        acknowledge(interaction)
        guild_id = guild_of(interaction)
        await self._vetting.switch_automod(guild_id, is_on=True)
        await answer(interaction, automod_card(await self._automod.read(guild_id)))

    @automod.command(
        name=L("off"), description=L("Apply this server's AutoMod rules to Discord alone")
    )
    async def automod_off(self, interaction: Interaction) -> None:
        """Switch it off."""
        acknowledge(interaction)
        await self._vetting.switch_automod(guild_of(interaction), is_on=False)
        await answer(interaction, automod_off_card())

    @automod.command(name=L("refresh"), description=L("Read this server's AutoMod rules again now"))
    async def automod_refresh(self, interaction: Interaction) -> None:
        """Read the rules again, and say what holds."""
        acknowledge(interaction)
        await answer(interaction, automod_card(await self._automod.read(guild_of(interaction))))
