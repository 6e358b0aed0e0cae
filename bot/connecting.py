"""Log in to Discord and connect, again and again for as long as Discord is down."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import aiohttp
import discord
from discord.utils import MISSING

from bot.kiosk import Kiosk
from bot.log import describe
from bot.roles import Role

log = logging.getLogger(__name__)

# In seconds: what Discord may take to let Kiosk in, and how long to wait after it didn't.
_PATIENCE = 60.0
_PAUSE, _LONGEST_PAUSE = 5.0, 60.0
_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500


async def connect(bot: Kiosk, role: Role, token: str) -> None:
    """Log in, and stay connected until the bot is closed; a worker that has no gateway just stays.

    Raises what discord.py does where Discord refuses it, and no later try would help.
    """
    await _patiently(bot, partial(_log_in, bot, token))
    if role.has_gateway:
        await _patiently(bot, bot.connect)
    else:
        log.info("Kiosk is ready: a worker, which answers nobody and does what is owed")
        await asyncio.Event().wait()


async def _log_in(bot: Kiosk, token: str) -> None:
    # Of an earlier try, it may have a session that is closed.
    await bot.http.close()
    bot.http.connector = MISSING
    async with asyncio.timeout(_PATIENCE):
        await bot.login(token)


async def _patiently(bot: Kiosk, step: Callable[[], Awaitable[None]]) -> None:
    """Do what needs Discord, again and again for as long as Discord is down."""
    pause = _PAUSE
    while True:
        try:
            return await step()
        except (discord.HTTPException, discord.GatewayNotFound) as error:
            refused = error if isinstance(error, discord.HTTPException) else error.__cause__
            if bot.is_closed() or not _passes(refused):
                raise
            said, asked = describe(refused or error), _seconds_asked(refused)
        except (aiohttp.ClientError, OSError) as error:
            if bot.is_closed():
                raise
            said, asked = describe(error), 0.0
        wait = max(pause, asked)
        log.warning("Discord can't be used now, and is asked again in %.0f s: %s", wait, said)
        await asyncio.sleep(wait)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _passes(error: BaseException | None) -> bool:
    status = error.status if isinstance(error, discord.HTTPException) else _SERVER_ERROR
    return status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR


def _seconds_asked(error: BaseException | None) -> float:
    if not isinstance(error, discord.HTTPException):
        return 0.0
    told = str(error.response.headers.get("Retry-After", ""))
    return float(told) if told.isdigit() else 0.0
