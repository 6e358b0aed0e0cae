"""Hold a name, so that only one of all processes does what the name is for."""

import asyncio
import logging
import os
import secrets
import socket
import time
import typing
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from math import inf

import msgspec

from storage import clocks
from storage.database import Database, processes, queries_beside
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

QUERIES = queries_beside(__file__)

# Prefix of the names that say which keys a process has.
_KEYS = "key:"
TERM_SECONDS = 10.0
# How long a holder trusts what it holds, and how often it renews, as parts of the term.
_TRUST = 0.7
_BEAT = 0.2
# A program that must end has ten seconds in all.
_SECONDS_TO_GIVE_BACK = 1.0
# A statement that waited for a database that was away has failed by then.
_SECONDS_TO_FAIL = 15.0


class _Held(msgspec.Struct):
    until: float
    ended: asyncio.Event = msgspec.field(default_factory=asyncio.Event)


class Claims:
    """The claims of this process. Each lasts `term` seconds by the database's clock.

    This process trusts a claim for a shorter time, by its own clock and from before it asked. So it
    has let go before another process takes over. Leaving its `async with` gives everything back.
    `keys` are the ids of the keys with which this process can open secrets.
    """

    def __init__(
        self,
        database: Database,
        *,
        term: float = TERM_SECONDS,
        passing: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] | None = None,
        keys: Sequence[bytes] = (),
    ) -> None:
        place = f"{socket.gethostname()}:{os.getpid()}:{processes.find_place()}"
        self.holder = f"{place}-{secrets.token_hex(4)}"
        self._database = database
        self._queries = database.spelled(QUERIES)
        self.term = term
        self._micros = round(term * 1_000_000)
        self._passing = passing
        self._now = now
        # How far `now` is off the database's clock, "" if the two agree.
        self.wrong_clock = ""
        self._held: dict[str, _Held] = {}
        self._keys = [f"{_KEYS}{key.hex()}:{self.holder}" for key in keys]
        # When this process last wrote that it lives, as far as is known.
        self._renewed_at = passing()
        # Whether the last renewal failed. Other failures need no log line until one works.
        self.is_away = False
        self._back_at = -inf
        self._has_newer_tables = asyncio.Event()

    async def __aenter__(self) -> typing.Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for name in list(self._held):
            self._end(name)
        try:
            async with asyncio.timeout(_SECONDS_TO_GIVE_BACK):
                await self._database.execute(
                    self._queries["release"], name=None, holder=self.holder
                )
        except (DatabaseError, TimeoutError):
            log.warning("Can't release claims. Other processes wait up to %g seconds", self.term)

    def is_held(self, name: str) -> bool:
        """Return whether this process may trust that it holds a name."""
        held = self._held.get(name)
        return held is not None and self._passing() < held.until

    @property
    def is_alive(self) -> bool:
        """Whether this process could recently write that it lives."""
        return self._passing() < self._renewed_at + self.term * _TRUST

    async def current_holder(self, name: str) -> str:
        """Return the host and process that hold a name, or ''. Raises DatabaseError."""
        row = await self._database.fetch_one(self._queries["holder"], name=name)
        return "" if row is None else row["holder"].rpartition(":")[0]

    async def take(self, name: str) -> bool:
        """Take a name if it is free. Return whether it is held now. Raises DatabaseError.

        A name is free at once if its holder was killed here, and couldn't give it back.
        """
        before = self._passing()
        mine = {"name": name, "holder": self.holder, "term": self._micros}
        if await self._database.change_one(self._queries["take"], **mine) is None:
            row = await self._database.fetch_one(self._queries["holder"], name=name)
            if row is None or not processes.is_dead(row["holder"]):
                return False
            release = self._queries["release"]
            await self._database.execute(release, name=name, holder=row["holder"])
            return await self.take(name)
        self._held.setdefault(name, _Held(0)).until = before + self.term * _TRUST
        return True

    async def wait_for(self, name: str) -> bool:
        """Wait until a name is free, and take it. Return whether another process held it."""
        had_another = False
        while True:
            try:
                if await self.take(name):
                    return had_another
                had_another = True
            except DatabaseError as error:
                log.debug("Can't read claim %r: %s", name, error)
            await asyncio.sleep(self.term * _BEAT)

    async def lost(self, name: str) -> None:
        """Return once this process may no longer trust that it holds a name."""
        held = self._held.get(name)
        while held and not held.ended.is_set() and (left := held.until - self._passing()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await held.ended.wait()

    async def release(self, name: str) -> None:
        """Give a name back. If it raises DatabaseError, the name stays held until the next call."""
        self._end(name)
        await self._database.execute(self._queries["release"], name=name, holder=self.holder)

    async def renew(self) -> None:
        """Renew every claim, and record that this process lives. Raises DatabaseError."""
        before = self._passing()
        held = dict(self._held)
        if held:
            async with self._database.transaction() as transaction:
                rows = await transaction.fetch(
                    self._queries["renew"], holder=self.holder, term=self._micros
                )
            names = {row["name"] for row in rows}
            if rows and rows[0]["step"] > self._database.last_step:
                self._has_newer_tables.set()
            for name, claim in held.items():
                if name in names:
                    claim.until = before + self.term * _TRUST
                elif self._held.get(name) is claim:
                    self._end(name)
        # The keys come first, so that no one sees the process without them.
        for name in (*self._keys, f"{processes.PREFIX}{self.holder}"):
            if name not in self._held:
                await self.take(name)
        await self._compare_clocks()
        self._renewed_at = before

    async def _compare_clocks(self) -> None:
        if self._now is None:
            return
        wrong = await clocks.find_wrong_clock(self._database, self._now)
        if wrong and not self.wrong_clock:
            log.warning("%s. Set both clocks with NTP. Until then, this process isn't ready", wrong)
        elif self.wrong_clock and not wrong:
            log.warning("This machine's clock agrees with the database's again")
        self.wrong_clock = wrong

    async def answers(self) -> bool:
        """Renew, and return whether that worked. Log the first failure and its end."""
        try:
            await self.renew()
        except DatabaseError as error:
            if not self.is_away:
                log.warning("Can't use the database: %s", error)
            self.is_away = True
        else:
            if self.is_away:
                log.warning("The database works again")
                self._back_at = self._passing()
            self.is_away = False
        return not self.is_away

    @property
    def was_away(self) -> bool:
        """Whether a statement that fails now may have begun while the database was away."""
        return self.is_away or self._passing() < self._back_at + _SECONDS_TO_FAIL

    async def keep(self) -> typing.NoReturn:
        while True:
            before = self._passing()
            await self.answers()
            await asyncio.sleep(before + self.term * _BEAT - self._passing())

    async def until_newer_tables(self) -> None:
        """Return once a newer version has changed the tables."""
        await self._has_newer_tables.wait()

    async def count_processes(self) -> int:
        return len(await processes.find_living(self._database, self._database))

    async def processes_without(self, key: bytes) -> Sequence[str]:
        """Return the host and number of each living process that lacks the key with this id."""
        having = await self._database.fetch(self._queries["holders_of_key"], key=key.hex())
        living = await processes.find_living(self._database, self._database)
        holders = {*living} - {row["holder"] for row in having}
        return sorted(holder.rpartition(":")[0] for holder in holders)

    async def purge(self) -> None:
        await self._database.execute(self._queries["purge"])

    def _end(self, name: str) -> None:
        held = self._held.pop(name, None)
        if held is not None:
            held.until = 0
            held.ended.set()
