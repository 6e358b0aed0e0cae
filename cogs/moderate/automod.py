"""Reading servers' AutoMod rules, which may hold for the game's texts, too."""

import asyncio
from datetime import datetime, timedelta
from typing import NoReturn

import discord

from bot.features.errors import AutomodOff
from bot.features.moderation.automod import read_automod
from bot.program.kiosk import Kiosk
from storage.vetting import Automod, AutomodTrouble

# The rules are read again when they are older; between two looks at which are, in seconds.
_OLD = timedelta(minutes=5)
_PAUSE = 20.0
# Servers at a look, one after the other: nobody waits for them.
_AT_ONCE = 200


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
