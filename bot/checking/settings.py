"""Each setting, as it is understood."""

import http.client
import json
import os
import socket
from collections.abc import Iterator
from contextlib import closing, suppress

from bot.checking.findings import Finding, fault
from bot.game.errors import BadAddress
from bot.game.wire import check_base_url
from bot.settings import Settings
from storage.database import masked


def examine_settings(settings: Settings) -> Iterator[Finding]:
    """Say what each setting is."""
    if settings.discord_token is None:
        yield fault("DISCORD_TOKEN", "missing: make a bot in Discord's developer portal, step 1")
    else:
        yield Finding("DISCORD_TOKEN", "set")
    yield _address(settings)
    yield Finding("GAME_TOKEN", "set" if settings.game_token else "not set: not needed")
    yield Finding("GAME_PLAIN_HTTP", "allowed" if settings.game_plain_http else "not set: https")
    if settings.token_help or settings.token_url:
        yield Finding("TOKEN_HELP", settings.token_help or "not set")
        yield Finding("TOKEN_URL", settings.token_url or "not set")
    else:
        yield Finding("TOKEN_HELP", "not set: members are told to ask a moderator for a token")
    yield Finding("GAME_BODY_FORMAT", settings.game_body_format)
    yield Finding("POLL_INTERVAL", f"{settings.poll_interval:g} s")
    yield Finding("EMOJIS", str(settings.emojis).lower())
    yield Finding("DIRECT_CHANNEL_INTERVAL", f"{settings.direct_channel_interval:g} s")
    yield Finding("DATABASE_URL", masked(settings.database_url))
    if settings.kiosk_keys:
        yield Finding("KIOSK_KEYS", f"{len(settings.kiosk_keys)} set")
    else:
        yield fault("KIOSK_KEYS", "missing: make one with `python -m bot keys new`")
    count = settings.shard_count
    yield Finding("SHARD_COUNT", str(count) if count else "not set: as many as Discord recommends")
    shards = ", ".join(map(str, settings.shard_ids))
    yield Finding("SHARD_IDS", shards or "not set: all of them")
    yield Finding("LEASE_SECONDS", f"{settings.lease_seconds:g}")
    yield _port(settings.monitoring_port)
    yield _sentry(settings)
    yield Finding("LOG_FORMAT", settings.log_format)
    yield Finding("LOG_LEVEL", settings.log_level)


def _sentry(settings: Settings) -> Finding:
    if settings.sentry_dsn is None:
        return Finding("SENTRY_DSN", "not set: off")
    from bot.error_reports import problem_with

    problem = problem_with(settings.sentry_dsn)
    return fault("SENTRY_DSN", problem) if problem else Finding("SENTRY_DSN", "set")


def _port(port: int | None) -> Finding:
    if port is None:
        return Finding("MONITORING_PORT", "not set: off")
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        if _is_watched(port):
            return Finding("MONITORING_PORT", f"{port}, which a Kiosk that runs has now")
        why = os.strerror(error.errno or 0)
        return fault("MONITORING_PORT", f"port {port} can't be had: {why}: name another one")
    return Finding("MONITORING_PORT", str(port))


def _is_watched(port: int) -> bool:
    """Return whether a process of Kiosk's answers there."""
    with suppress(OSError, ValueError, http.client.HTTPException):
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        with closing(asking):
            asking.request("GET", "/livez")
            return "loop_delay_seconds" in json.loads(asking.getresponse().read())
    return False


def _address(settings: Settings) -> Finding:
    address = settings.game_base_url
    if address is None:
        return Finding("GAME_BASE_URL", "not set: `run` serves the demo game instead")
    try:
        return Finding(
            "GAME_BASE_URL", check_base_url(address, plain_http=settings.game_plain_http)
        )
    except BadAddress as error:
        # Without the address, which may hold a password.
        return fault("GAME_BASE_URL", str(error))
