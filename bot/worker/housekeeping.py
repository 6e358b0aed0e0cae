"""What Kiosk looks after by itself: what it keeps, each hour, and its list of servers, each day."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import NoReturn

import discord.abc

from storage.claims import Claims
from storage.installation import Facts
from storage.removals import Removals
from storage.retention import GoneServers, Purge

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 3600.0
_DAY = timedelta(days=1)
# Nothing about the servers is urgent, and a bot that has just started has other things to do.
_SECONDS_BETWEEN_CHECKS = 600.0
_FACT = "servers looked at"


class Housekeeping:
    """Keeps the tables as storage/keeping.py says: what is too old goes."""

    def __init__(
        self,
        purge: Purge,
        removals: Removals,
        claims: Claims,
        clock: Callable[[], datetime],
    ) -> None:
        self._purge = purge
        self._removals = removals
        self._claims = claims
        self._clock = clock

    async def keep(self) -> NoReturn:
        """Look at once and then every hour, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    async def look(self) -> None:
        """Look once."""
        removed = await self._purge.purge(self._clock())
        removed += await self._removals.purge()
        # Such as the claims of shards of other counts.
        await self._claims.purge()
        if removed:
            log.info("%s rows were too old and are gone", removed)


class ServerList:
    """Marks the servers that are gone, which no event tells, and forgets those that stay so."""

    def __init__(
        self,
        ask: Callable[[], AsyncIterator[discord.abc.Snowflake]],
        servers: GoneServers,
        facts: Facts,
        clock: Callable[[], datetime],
        purge: Purge,
    ) -> None:
        self._ask = ask
        self._servers = servers
        self._facts = facts
        self._clock = clock
        self._purge = purge

    async def keep(self) -> NoReturn:
        """Look once a day, whichever process the last look was in; until cancelled."""
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_CHECKS)
            last = await self._facts.find(_FACT)
            if last is None or self._clock() - datetime.fromisoformat(last) >= _DAY:
                await self.look()

    async def look(self) -> None:
        """Look once. Raises discord.HTTPException; then nothing is marked."""
        present = {server.id async for server in self._ask()}
        if not present:
            log.warning("Discord lists no server at all: none is taken for gone")
            return
        now = self._clock()
        await self._servers.note_present(present, now)
        # Now it is known that they are gone still.
        await self._purge.forget_servers(now)
        await self._facts.save(_FACT, self._clock().isoformat())
