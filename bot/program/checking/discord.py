"""Discord: the token, the gateway, and what Kiosk may do in each server."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
import discord
from yarl import URL

from bot.program.checking.here import Finding, fault
from bot.program.inviting import PERMISSIONS
from bot.settings import Settings

_SUBJECT, _GATEWAY, _SERVER = "discord", "gateway", "server"
# In seconds, for each step.
_PATIENCE = 15.0
_HELLO = 10
_A_PAGE = 200
# Asking each server's commands takes a request; faults beyond these repeat themselves.
_MOST_SERVERS = 100
# What Kiosk itself leaves of the day's identifies.
_LOW = 0.02


async def examine_discord(settings: Settings) -> Sequence[Finding]:
    """Log in without connecting, and look at what Discord tells of the bot."""
    if settings.discord_token is None:
        return [fault(_SUBJECT, "can't be asked without DISCORD_TOKEN")]
    async with discord.Client(intents=discord.Intents.none()) as client:
        findings = await _log_in(client, settings.discord_token.get_secret_value())
        if client.application_id is None:
            return findings
        for examine in (_gateway, _servers):
            try:
                findings += await examine(client, settings)
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                findings.append(fault(_SUBJECT, _trouble(error)))
    return findings


async def _log_in(client: discord.Client, token: str) -> list[Finding]:
    try:
        async with asyncio.timeout(_PATIENCE):
            await client.login(token)
    except discord.LoginFailure:
        mend = "reset it in the developer portal, under Bot, and copy the new one"
        return [fault(_SUBJECT, f"refuses DISCORD_TOKEN: {mend}")]
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        return [fault(_SUBJECT, _trouble(error))]
    application = client.application
    findings = [Finding(_SUBJECT, f"takes the token, as {client.user}")]
    if application is not None and application.interactions_endpoint_url:
        findings.append(
            fault(
                _SUBJECT,
                "sends commands elsewhere: empty “Interactions Endpoint URL” in the developer"
                " portal, under General Information",
            )
        )
    return findings


async def _gateway(client: discord.Client, settings: Settings) -> list[Finding]:
    shards, url, limit = await client.http.get_bot_gateway()
    findings = [await _hello(client, url)]
    left, total = limit["remaining"], limit["total"]
    day = f"{left} of {total} identifies are left for {limit['reset_after'] / 3_600_000:.1f} hours"
    if left > total * _LOW + limit["max_concurrency"]:
        findings.append(Finding(_GATEWAY, day))
    else:
        mend = "find out what starts Kiosk so often, and wait"
        findings.append(fault(_GATEWAY, f"only {day}: {mend}"))
    count = settings.shard_count
    if count is not None and count < shards:
        mend = f"raise SHARD_COUNT from {count}, or leave it empty"
        findings.append(fault(_GATEWAY, f"Discord recommends {shards} shards: {mend}"))
    return findings


async def _hello(client: discord.Client, url: str) -> Finding:
    try:
        async with asyncio.timeout(_PATIENCE):
            address = str(URL(url).with_query(v=10, encoding="json"))
            socket = await client.http.ws_connect(address)
            # Nobody says goodbye: the client's end ends this too, and a mute gateway would not
            # answer it.
            frame = await socket.receive_json()
    except (aiohttp.ClientError, OSError, TypeError, ValueError) as error:
        reason = str(error) or "it says nothing"
        return fault(_GATEWAY, f"can't be used: {reason}: does a firewall block WebSockets?")
    return Finding(_GATEWAY, "answers" if frame.get("op") == _HELLO else "answers oddly")


async def _servers(client: discord.Client, _settings: Settings) -> list[Finding]:
    faults: list[Finding] = []
    servers: list[Mapping[str, Any]] = []
    after = None
    while page := await client.http.get_guilds(_A_PAGE, None, after):
        servers += page
        if len(page) < _A_PAGE:
            break
        after = int(page[-1]["id"])
    for number, server in enumerate(servers):
        name = f"{server['name']} ({server['id']})"
        allowed = discord.Permissions(int(server["permissions"]))
        missing = [
            permission.replace("_", " ").title()
            for permission, is_needed in PERMISSIONS
            if is_needed and not (getattr(allowed, permission) or allowed.administrator)
        ]
        if missing:
            faults.append(fault(_SERVER, f"{name}: allow Kiosk's role there: {', '.join(missing)}"))
        if number < _MOST_SERVERS and not await _may_have_commands(client, int(server["id"])):
            mend = "add Kiosk once more, with the link that `python -m bot invite` prints"
            missing_scope = f"{name}: the scope applications.commands is missing: {mend}"
            faults.append(fault(_SERVER, missing_scope))
    if faults:
        return faults
    if not servers:
        return [Finding(_SERVER, "Kiosk is in none yet: `python -m bot invite` prints a link")]
    return [Finding(_SERVER, f"all is allowed in {len(servers)}")]


async def _may_have_commands(client: discord.Client, server_id: int) -> bool:
    try:
        await client.http.get_guild_commands(client.application_id or 0, server_id)
    except discord.Forbidden:
        return False
    return True


def _trouble(error: Exception) -> str:
    reason = str(error) or "it says nothing"
    return f"can't be used: {reason}: is this machine online, and does discordstatus.com say more?"
