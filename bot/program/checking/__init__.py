"""`python -m bot check`: what an operator can get wrong, and how to fix it."""

import asyncio
from collections import abc
from datetime import datetime

import aiohttp
import discord
from discord.http import Route
from yarl import URL

from bot.clock import Clock
from bot.env_file import find_differences
from bot.log import describe
from bot.program import session_starts
from bot.program.checking import endpoint, machine
from bot.program.checking.game import examine_game
from bot.program.interactions import delivery_problem
from bot.program.needs import MONITORING_HOST
from bot.program.proxies import proxy_for
from bot.settings import ENV_FILE, Settings, SettingsError, read_settings, what_sets_nothing

_SUBJECT = "discord"
_GATEWAY = "gateway"
# In seconds, for each step.
_PATIENCE_SECONDS = 15.0
_SECONDS_FOR_OURS = 3.0
_HELLO = 10
_SERVER_ERROR = 500
_CLOCK = Clock()


async def examine(
    settings: Settings | None = None, now: abc.Callable[[], datetime] = _CLOCK.now
) -> abc.Sequence[machine.Finding]:
    """Check everything, whatever of it is wrong. Read the settings unless they are given."""
    findings: list[machine.Finding] = []
    if settings is None:
        findings += [machine.Finding(*odd) for odd in what_sets_nothing()]
        findings += [machine.Finding(*odd) for odd in find_differences(ENV_FILE)]
        settings, problems = read_settings()
        for problem in problems:
            name, _, text = problem.partition(": ")
            findings.append(machine.fault(name, text))
    wrong = {finding.subject for finding in findings}
    findings += [
        found for found in machine.examine_settings(settings) if found.subject not in wrong
    ]
    places: machine.Places = {}
    if "DATABASE_URL" in wrong:
        findings.append(machine.fault("database", "can't be checked without DATABASE_URL"))
    else:
        in_database, places = await machine.examine_database(settings, now)
        # Which key is missing says more than that none is set.
        told = {finding.subject for finding in in_database} - wrong
        findings = [finding for finding in findings if finding.subject not in told]
        findings += [found for found in in_database if found.subject not in wrong]
    try:
        for found in await asyncio.gather(
            examine_game(settings, places), _examine_discord(settings)
        ):
            findings += found
    except SettingsError:
        # A wrong proxy, which is a finding already. Without one, Kiosk can ask neither.
        pass
    return [await _unless_ours(settings, found) for found in findings]


async def _unless_ours(settings: Settings, found: machine.Finding) -> machine.Finding:
    """Return a finding, but no fault that a port is taken if Kiosk itself has it."""
    ports = {
        "INTERACTIONS_PORT": settings.interactions_port,
        "MONITORING_PORT": settings.monitoring_port,
    }
    port = ports.get(found.subject)
    if not port or not found.is_fault:
        return found
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(_SECONDS_FOR_OURS)) as session,
            session.get(f"http://{MONITORING_HOST}:{port}/livez") as answer,
        ):
            # Of /livez alone.
            is_kiosk = "gateway" in await answer.json()
    except (aiohttp.ClientError, OSError, ValueError, TypeError):
        is_kiosk = False
    return machine.Finding(found.subject, f"{port}, used by a running Kiosk") if is_kiosk else found


async def _examine_discord(settings: Settings) -> abc.Sequence[machine.Finding]:
    """Log in without connecting, and check what Discord says about the bot."""
    if settings.discord_token is None:
        return [machine.fault(_SUBJECT, "can't be checked without DISCORD_TOKEN")]
    async with discord.Client(
        intents=discord.Intents.none(), proxy=proxy_for(Route.BASE)
    ) as client:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await client.login(settings.discord_token.get_secret_value())
            findings = [machine.Finding(_SUBJECT, f"accepts the token of {client.user}")]
            port = settings.interactions_port
            application = client.application
            if wrong := delivery_problem(application, port):
                findings.append(machine.fault(_SUBJECT, wrong))
            elif port and application and await endpoint.is_here(application.id, port):
                findings.append(await endpoint.examine_endpoint(application, port))
            if port is None:
                findings.append(await _gateway(client))
            return findings
        except discord.LoginFailure:
            mend = "Reset it in the developer portal, under Bot, and copy the new token"
            return [machine.fault(_SUBJECT, f"refuses DISCORD_TOKEN. {mend}")]
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            return [machine.fault(_SUBJECT, f"can't be used: {describe(error)}. {_mend(error)}")]


def _mend(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return "Fix HTTPS_PROXY, or let the proxy connect to discord.com"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "If your network has its own CA, set SSL_CERT_FILE to that CA's file"
    if not isinstance(error, discord.HTTPException):
        return "Check that this machine is online, and see discordstatus.com"
    if error.status >= _SERVER_ERROR:
        return "See discordstatus.com"
    return "Discord blocks this machine's address for a time. Check again in an hour"


async def _gateway(client: discord.Client) -> machine.Finding:
    shards, url, limit = await client.http.get_bot_gateway()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            address = str(URL(url).with_query(v=10, encoding="json"))
            socket = await client.http.ws_connect(address)
            # No one says goodbye: the client's end ends this too, and a mute gateway wouldn't
            # answer it.
            frame = await socket.receive_json()
    except (aiohttp.ClientError, OSError, TypeError, ValueError) as error:
        mend = "Check if a firewall blocks WebSockets"
        return machine.fault(_GATEWAY, f"can't be used: {describe(error)}. {mend}")
    wait, reason = session_starts.find_wait(shards, discord.SessionStartLimits(**limit))
    if wait:
        mend = "Find out from the log why Kiosk started so often"
        return machine.fault(_GATEWAY, f"{reason}, so `run` first waits {wait:.0f} s. {mend}")
    return machine.Finding(_GATEWAY, "answers" if frame.get("op") == _HELLO else "answers wrongly")
