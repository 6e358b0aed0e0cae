"""The way from Discord to here: whether the address that Discord has leads to this Kiosk."""

import asyncio
import logging
import typing

import aiohttp
import discord

from bot.log import describe
from bot.program import interactions
from bot.program.checking import machine
from bot.program.kiosk import Kiosk
from bot.program.proxies import proxy_for

log = logging.getLogger(__name__)

_SUBJECT = "interactions"
SETTING = "INTERACTIONS_PORT"
_PATIENCE_SECONDS = 10.0
_UNAUTHORIZED = 401
# Between two looks: of an address that leads here, and of any other.
_A_DAY = 86_400.0
_AN_HOUR = 3600.0


async def keep_examining(bot: Kiosk, port: int) -> typing.NoReturn:
    """Check some minutes after the start, then once a day, or each hour if something is wrong."""
    pause = bot.seconds_to_first_look
    while True:
        await asyncio.sleep(pause)
        pause = _AN_HOUR
        try:
            # It may have been entered since the login.
            application = await bot.application_info()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            log.info("Can't ask Discord where it posts interactions: %s", describe(error))
            continue
        found = await examine_endpoint(application, port)
        if found.is_fault:
            bot.faults[SETTING] = found.text
            log.warning("Discord might not reach Kiosk: %s", found.text)
        else:
            bot.faults.pop(SETTING, None)
            log.info("%s", found.text)
            pause = _A_DAY


async def examine_endpoint(application: discord.AppInfo, port: int | None) -> machine.Finding:
    """Post something unsigned to an application's address, and expect Kiosk's own refusal."""
    url = application.interactions_endpoint_url
    if not url:
        return machine.fault(_SUBJECT, interactions.delivery_problem(application, port))
    return await _ask(url, application.id)


async def is_here(application_id: int, port: int) -> bool:
    """Return whether a Kiosk of this application answers on a port of this machine."""
    found = await _ask(f"http://127.0.0.1:{port}/interactions", application_id)
    return not found.is_fault and found.is_sure


async def _ask(url: str, application_id: int) -> machine.Finding:
    try:
        async with (
            asyncio.timeout(_PATIENCE_SECONDS),
            aiohttp.ClientSession(proxy=proxy_for(url)) as session,
            session.post(url, allow_redirects=False) as answer,
        ):
            own = answer.headers.get(interactions.APPLICATION, "")
    except aiohttp.ClientSSLError as error:
        why = getattr(error.os_error, "verify_message", "") or describe(error)
        mend = "Renew it, and let the server in front of Kiosk send the whole chain"
        return machine.fault(
            _SUBJECT, f"{url}: Discord refuses its certificate, too: {why}. {mend}"
        )
    except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, TimeoutError) as error:
        why = f"can't be reached from this machine ({describe(error)})"
        text = f"{url} {why}. The cause may be this machine's network"
        return machine.Finding(_SUBJECT, text, is_sure=False)
    except (aiohttp.ClientError, OSError) as error:
        said = f"closes the connection ({describe(error)})"
    else:
        if answer.status == _UNAUTHORIZED and own == str(application_id):
            return machine.Finding(_SUBJECT, f"{url}, which Discord posts to, leads to this Kiosk")
        said = f"leads to the Kiosk of the application {own}" if own else f"answers {answer.status}"
    mend = "Check that its path is /interactions, and that the server in front leads here"
    return machine.fault(
        _SUBJECT, f"{url}, which Discord posts to, {said}. It isn't this Kiosk. {mend}"
    )
