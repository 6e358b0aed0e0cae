"""Housekeeping: delete old rows each hour, and compare the list of servers each day."""

import datetime as dt
import logging
from collections import abc
from functools import partial
from typing import NoReturn

import discord.abc
from msgspec import Struct

from bot.clock import Clock
from bot.rest import Rest
from storage.cases import Cases
from storage.claims import Claims
from storage.database import Database
from storage.installation import Installation
from storage.links import Links
from storage.purging import Purge
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 3600.0
# Between two steps that return free pages of a SQLite file to the disk.
_SECONDS_BETWEEN_PAGES = 0.05
_DAY = dt.timedelta(days=1)
# Wait before the first check: it isn't urgent, and a start has other things to do.
_SECONDS_BETWEEN_CHECKS = 600.0
_FACT = "servers looked at"


async def keep_house(
    purge: Purge, links: Links, cases: Cases, claims: Claims, clock: Clock, rest: Rest
) -> NoReturn:
    """Delete what is too old, as storage/retention.py says, at once and then every hour.

    A chore that fails doesn't hold up the rest.
    """
    while True:
        removed = 0
        failed: list[str] = []
        for chore in (
            links.end_unused,
            partial(purge.purge, clock.now()),
            cases.purge,
            # Such as those of processes that were killed.
            claims.purge,
            partial(_give_back_room, purge.database, rest),
            purge.database.truncate_log,
        ):
            try:
                removed += await chore() or 0
            except DatabaseError as error:
                failed.append(str(error))
        if removed:
            log.info("Deleted %s old rows", removed)
        # That the database is away is said already.
        if failed and await claims.answers() and not claims.was_away:
            log.error("Housekeeping failed, trying again in an hour: %s", "; ".join(failed))
        await rest.sleep(_SECONDS_BETWEEN_LOOKS)


async def _give_back_room(database: Database, rest: Rest) -> None:
    while await database.give_back_room():
        # Transactions that wait to write come first.
        await rest.sleep(_SECONDS_BETWEEN_PAGES)


class ServerList(Struct, frozen=True):
    """Marks the servers that are gone, which no event says, and forgets those that stay so."""

    ask: abc.Callable[[], abc.AsyncIterator[discord.abc.Snowflake]]
    installation: Installation
    purge: Purge
    clock: Clock

    async def keep(self, rest: Rest) -> NoReturn:
        """Check once a day, whichever process made the last check, until cancelled."""
        while True:
            await rest.sleep(_SECONDS_BETWEEN_CHECKS)
            last = await self.installation.find_fact(_FACT)
            if last is None or self.clock.now() - dt.datetime.fromisoformat(last) >= _DAY:
                await self.check()

    async def check(self) -> None:
        """Check once. Raises discord.HTTPException, and marks nothing then."""
        present = {server.id async for server in self.ask()}
        if not present:
            log.warning("Discord lists no servers at all. Keeping the data of every server")
            return
        now = self.clock.now()
        await self.purge.save_servers(present, now)
        # Now it is known that they are gone still.
        await self.purge.forget_servers(now)
        await self.installation.save_fact(_FACT, self.clock.now().isoformat())
