"""Connecting to Discord: again and again while it is down, and shard after shard."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import NoReturn, TypeVar

import aiohttp
import discord
from discord import DiscordException, SessionStartLimits
from discord.utils import MISSING
from msgspec import Struct, field

from bot.background import BackgroundTasks
from bot.features.operating import Role
from bot.log import describe
from storage.claims import IDENTIFY, Claims
from storage.errors import DatabaseError
from storage.installation import Installation, Recent

log = logging.getLogger(__name__)

# In seconds: what Discord may take to let Kiosk in, and how long to wait after it didn't.
_PATIENCE = 60.0
_PAUSE, _LONGEST_PAUSE = 5.0, 60.0
_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500
# A little more than Discord's five seconds: what is sent later may arrive sooner.
SECONDS_BETWEEN_IDENTIFIES = 5.5
# A shard may identify so often in an hour before it has to wait, twice as long each time.
_HOUR = timedelta(hours=1)
_FREE, _FIRST_WAIT, _LONGEST_WAIT = 5, 10.0, 900.0
# Of the day's identifies: where they begin to be spread over the rest of it, and what is spared.
_LOW, _RESERVE = 0.25, 0.02
_SECONDS_BETWEEN_TRIES = 5.0
# Discord lets them be asked for about twice as often.
_LIMITS_HOLD = timedelta(seconds=5)

_DOWN = (discord.HTTPException, discord.GatewayNotFound, aiohttp.ClientError, OSError)

T = TypeVar("T")


async def connect(bot: discord.Client, role: Role, token: str) -> None:
    """Log in, and stay connected until the bot is closed; a worker that has no gateway just stays.

    Raises what discord.py does where Discord refuses it, and no later try would help.
    """
    await _patiently(bot, partial(_log_in, bot, token))
    if role.has_gateway:
        await _patiently(bot, bot.connect)
    else:
        log.info("Kiosk is ready: a worker, which answers nobody and does what is owed")
        await asyncio.Event().wait()


async def _log_in(bot: discord.Client, token: str) -> None:
    # Of an earlier try, it may have a session that is closed.
    await bot.http.close()
    bot.http.connector = MISSING
    async with asyncio.timeout(_PATIENCE):
        await bot.login(token)


async def _patiently(bot: discord.Client, step: Callable[[], Awaitable[None]]) -> None:
    """Do what needs Discord, again and again for as long as Discord is down."""
    pause = _PAUSE
    while True:
        try:
            return await step()
        except _DOWN as error:
            trouble = error.__cause__ if isinstance(error, discord.GatewayNotFound) else error
            passes, asked = True, ""
            if isinstance(trouble, discord.HTTPException):
                passes = trouble.status == _TOO_MANY_REQUESTS or trouble.status >= _SERVER_ERROR
                asked = str(trouble.response.headers.get("Retry-After", ""))
            if bot.is_closed() or not passes:
                raise
            wait = max(pause, float(asked) if asked.isdigit() else 0.0)
            said = describe(trouble or error)
            log.warning("Discord can't be used now, and is asked again in %.0f s: %s", wait, said)
        await asyncio.sleep(wait)
        pause = min(pause * 2, _LONGEST_PAUSE)


def wait_after_repeats(recent: Recent, now: datetime) -> float:
    """Return how many seconds a shard has to wait that identified often in the last hour."""
    if recent.number < _FREE or recent.last is None:
        return 0
    wait = min(_FIRST_WAIT * 2 ** (recent.number - _FREE), _LONGEST_WAIT)
    return max(0, wait - (now - recent.last).total_seconds())


def wait_for_budget(limits: SessionStartLimits, recent: Recent, now: datetime) -> float:
    """Return how many seconds to wait so that the day's identifies last; the last are spared."""
    # As many as may be on their way from other processes.
    left = limits.remaining - limits.total * _RESERVE - limits.max_concurrency
    low = limits.total * _LOW
    day = limits.reset_after / 1000
    if left < 1:
        return day
    if limits.remaining >= low or recent.last_of_any is None:
        return 0
    wait = day / left * (1 - limits.remaining / low)
    return max(0, wait - (now - recent.last_of_any).total_seconds())


class Sharding(Struct):
    """Lets the shards of this process start in turn with those of all others.

    Discord takes one identify in five seconds for each `shard_id % max_concurrency`, and so many a
    day; whoever spends the last one has their token taken away.
    """

    claims: Claims
    installation: Installation
    tasks: BackgroundTasks
    clock: Callable[[], datetime]
    ask_limits: Callable[[], Awaitable[SessionStartLimits]]
    # What Discord has said of the day's identifies, and when.
    limits: tuple[datetime, SessionStartLimits] | None = None
    buckets: defaultdict[int, asyncio.Lock] = field(
        default_factory=lambda: defaultdict[int, asyncio.Lock](asyncio.Lock)
    )
    # The shards whose claims are taken again where they are lost.
    claimed: set[int] = field(default_factory=set[int])

    @property
    def identifies_left(self) -> int | None:
        """The identifies left today, as far as Discord has said."""
        if self.limits is None:
            return None
        asked_at, limits = self.limits
        is_over = self.clock() - asked_at >= timedelta(milliseconds=limits.reset_after)
        return limits.total if is_over else limits.remaining

    async def claim(self, shard_id: int, count: int) -> bool:
        """Claim a shard; return False where another process has it."""
        name = _shard(shard_id, count)
        if await self._patiently(lambda: self.claims.take(name)):
            if shard_id not in self.claimed:
                self.claimed.add(shard_id)
                self.tasks.start(self._claim_again(shard_id, count))
            return True
        rival = await self._rival(shard_id, count)
        log.info("shard %s of %s is or was connected by %s; this one waits", shard_id, count, rival)
        return False

    async def wait_for(self, shard_id: int, count: int) -> None:
        """Return once a shard is claimed; ask why where its holder wasn't just killed."""
        name = _shard(shard_id, count)
        try:
            async with asyncio.timeout(2 * self.claims.term):
                await self.claims.wait_for(name)
        except TimeoutError:
            log.warning(
                "shard %s of %s is connected by %s: is it given to two processes? This one waits",
                shard_id,
                count,
                await self._rival(shard_id, count),
            )
            await self.claims.wait_for(name)

    async def _rival(self, shard_id: int, count: int) -> str:
        name = _shard(shard_id, count)
        return await self._patiently(partial(self.claims.rival, name)) or "another process"

    async def brake(self, shard_id: int) -> None:
        """Wait where a shard identifies too often, or the day's identifies run out."""

        async def ask() -> float:
            limits, now = await self._learn(), self.clock()
            recent = await self.installation.recent_identifies(shard_id, now - _HOUR)
            return max(wait_after_repeats(recent, now), wait_for_budget(limits, recent, now))

        while wait := await self._patiently(ask):
            log.warning("shard %s waits for %.0f seconds before it identifies", shard_id, wait)
            await asyncio.sleep(min(wait, _LONGEST_WAIT))

    async def turn(self, shard_id: int) -> None:
        """Return when a shard may identify, which it does at once."""
        await self.brake(shard_id)
        bucket = shard_id % (await self._patiently(self._learn)).max_concurrency
        await self.buckets[bucket].acquire()
        try:
            await self.claims.wait_for(f"{IDENTIFY}{bucket}")
            await self._patiently(lambda: self.installation.add_identify(shard_id, self.clock()))
        finally:
            self.tasks.start(self._leave(bucket))

    async def _leave(self, bucket: int) -> None:
        await asyncio.sleep(SECONDS_BETWEEN_IDENTIFIES)
        await self._patiently(lambda: self.claims.release(f"{IDENTIFY}{bucket}"))
        self.buckets[bucket].release()

    async def _claim_again(self, shard_id: int, count: int) -> NoReturn:
        # Meanwhile, members are answered: what two processes must not both do is held by rows.
        name = _shard(shard_id, count)
        while True:
            await self.claims.lost(name)
            if self.claims.is_alive:
                log.warning("shard %s of %s is not claimed any more, and goes on", shard_id, count)
            await self.claims.wait_for(name)

    async def _learn(self) -> SessionStartLimits:
        now = self.clock()
        if self.limits is None or now - self.limits[0] > _LIMITS_HOLD:
            self.limits = now, await self.ask_limits()
        return self.limits[1]

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await ask()
            except (DatabaseError, DiscordException, aiohttp.ClientError, OSError) as error:
                if not isinstance(error, DatabaseError):
                    log.warning("a shard can't be started yet: %s", error)
                await asyncio.sleep(_SECONDS_BETWEEN_TRIES)


def _shard(shard_id: int, count: int) -> str:
    return f"shard:{shard_id}/{count}"
