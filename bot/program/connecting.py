"""Connect to Discord: one process of all does, and the others stand by to take over."""

import asyncio
import logging
import time
from collections import abc
from functools import partial
from typing import NoReturn

import aiohttp
import discord
from discord.http import Route

from bot.log import Hourly, describe
from bot.program import kiosk, session_starts
from bot.program.interactions import delivery_problem
from bot.program.proxies import proxy_for
from bot.settings import Settings
from storage.claims import Claims
from storage.database.sqlite import PREFIX
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

# The claim of the process that is connected to Discord's gateway.
GATEWAY = "gateway"
# How long Discord may take to let Kiosk in, and the waits after it didn't.
_LOGIN_SECONDS = 60.0
_PAUSE_SECONDS = 5.0
_MAX_PAUSE_SECONDS = 60.0
# While the database is away.
_SECONDS_BETWEEN_TRIES = 2.0
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500

_DOWN = (discord.HTTPException, discord.GatewayNotFound, aiohttp.ClientError, OSError)


async def try_token(settings: Settings, token: str) -> None:
    """Log in as `connect` does, and leave. Raises what it does if Discord refuses the bot."""
    proxy = proxy_for(Route.BASE)
    async with discord.Client(intents=discord.Intents.none(), proxy=proxy) as client:
        await _log_in_patiently(client, settings.interactions_port, token)


async def connect(bot: kiosk.Kiosk, settings: Settings, token: str) -> None:
    """Log in, stand by while another process answers, then answer until the bot is closed.

    Over HTTP, any number of processes on PostgreSQL answer. Raises CannotRun, SettingsError,
    DatabaseError, and what discord.py does if Discord refuses the bot and no later try would help.
    """
    port = settings.interactions_port
    claims = bot.claims
    wrong = await _log_in_patiently(bot, port, token)
    answer = partial(_retry_until_online, bot, partial(_connect, bot))
    if port is not None:
        # A web server, for those alone who use it.
        from bot.program.listening import listen

        answer = partial(listen, port, bot)
        if wrong:
            log.warning(wrong)
        if not settings.database_url.startswith(PREFIX):
            await answer()
    if not await claims.take(GATEWAY):
        bot.is_standing_by = True
        other = await claims.current_holder(GATEWAY)
        log.info("Another process answers members. This one is on standby (the other is %s)", other)
        await claims.wait_for(GATEWAY)
        bot.is_standing_by = False
    answering = bot.tasks.start(answer())
    taken_over = bot.tasks.start(_watch_for_takeover(claims))
    done, _ = await asyncio.wait([answering, taken_over], return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        await task


async def _watch_for_takeover(claims: Claims) -> NoReturn:
    """Raise CannotRun once another process is connected. Wait while the database is away."""
    while True:
        await claims.lost(GATEWAY)
        try:
            if not await claims.take(GATEWAY):
                text = "another process answers members now. Restart this one for standby"
                raise kiosk.CannotRun(text, kiosk.Exit.FAILED)
        except DatabaseError:
            # Members still get answers: what two processes must not both do is held by rows.
            await asyncio.sleep(_SECONDS_BETWEEN_TRIES)


async def _log_in_patiently(client: discord.Client, port: int | None, token: str) -> str:
    """Log in. Return why Kiosk may get no interactions (over the gateway, raise CannotRun)."""
    await _retry_until_online(client, partial(_log_in, client, token))
    wrong = delivery_problem(client.application, port)
    if wrong and port is None:
        raise kiosk.CannotRun(wrong)
    return wrong


async def _log_in(bot: discord.Client, token: str) -> None:
    # Of an earlier try, it may have a session that is closed.
    await bot.http.close()
    bot.http.connector = discord.utils.MISSING
    async with asyncio.timeout(_LOGIN_SECONDS):
        await bot.login(token)


async def _connect(bot: kiosk.Kiosk) -> None:
    """Connect, with a wait if Kiosk starts too often, which may cost the token."""
    shards, _, limit = await bot.http.get_bot_gateway()
    wait, reason = session_starts.find_wait(shards, discord.SessionStartLimits(**limit))
    if wait:
        mend = "Find out from the log why Kiosk starts so often. At 0, Discord resets the token."
        log.warning("Connecting in %.0f s: %s. %s", wait, reason, mend)
        await asyncio.sleep(wait)
    await bot.connect()


async def _retry_until_online(
    bot: discord.Client, step: abc.Callable[[], abc.Awaitable[None]]
) -> None:
    """Do what needs Discord, again and again while Discord is down."""
    pause = _PAUSE_SECONDS
    hourly = Hourly(time.monotonic)
    while True:
        try:
            return await step()
        except _DOWN as error:
            trouble = error.__cause__ if isinstance(error, discord.GatewayNotFound) else error
            passes = True
            asked = ""
            if isinstance(trouble, discord.HTTPException):
                passes = trouble.status == _TOO_MANY_REQUESTS or trouble.status >= _SERVER_ERROR
                asked = str(trouble.response.headers.get("Retry-After", ""))
            if bot.is_closed() or not passes:
                raise
            wait = max(pause, float(asked) if asked.isdigit() else 0.0)
            # Once for each pause, which grows, and once an hour for the longest.
            if (more := hourly.note(str(wait))) is not None:
                said = describe(trouble or error)
                words = "Can't use Discord, trying again in %.0f s: %s%s"
                log.warning(words, wait, said, more)
        await asyncio.sleep(wait)
        pause = min(pause * 2, _MAX_PAUSE_SECONDS)
