"""Examine an installation: a line for each thing an operator can get wrong, and how to mend it."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import aiohttp
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.game.client import Caller, GameClient
from bot.game.errors import BadAddress, GameError, NotFound, Unauthorized
from bot.settings import Settings, SettingsError, load_settings
from storage import MIGRATIONS
from storage.database import Database, masked, open_existing_database
from storage.errors import DatabaseError, DatabaseMissing, DatabaseTooOld
from storage.links import Links
from storage.vault import Vault


@dataclass(frozen=True)
class Finding:
    """What was looked at, and what was found."""

    subject: str
    text: str
    is_fault: bool = False

    def line(self) -> str:
        """One line for the operator."""
        return f"{'FAULT' if self.is_fault else 'ok':5}  {self.subject:16}  {self.text}"


def fault(subject: str, text: str) -> Finding:
    """Make a finding that needs mending."""
    return Finding(subject, text, is_fault=True)


async def examine(settings: Settings | None = None) -> Sequence[Finding]:
    """Look at everything; the settings are read from the environment unless they are given."""
    try:
        settings = settings or load_settings()
    except SettingsError as error:
        return [_malformed(problem) for problem in error.problems]
    findings = list(_settings(settings))
    findings.append(await _database(settings))
    async with aiohttp.ClientSession() as session:
        findings.extend(await asyncio.gather(_game(settings, session), _discord(settings)))
    return findings


def _malformed(problem: str) -> Finding:
    name, _, text = problem.partition(": ")
    return fault(name, text)


def _settings(settings: Settings) -> Iterator[Finding]:
    if settings.discord_token is None:
        yield fault("DISCORD_TOKEN", "missing: make a bot in Discord's developer portal, step 1")
    else:
        yield Finding("DISCORD_TOKEN", "set")
    yield Finding(
        "GAME_BASE_URL", settings.game_base_url or "not set: the demo game is served instead"
    )
    yield Finding("GAME_TOKEN", "set" if settings.game_token else "not set: not needed")
    yield Finding("GAME_PLAIN_HTTP", "allowed" if settings.game_plain_http else "not set: https")
    if settings.token_help or settings.token_url:
        yield Finding("TOKEN_HELP", settings.token_help or "not set")
        yield Finding("TOKEN_URL", settings.token_url or "not set")
    else:
        yield Finding("TOKEN_HELP", "not set: members are told to ask a moderator for a token")
    yield Finding("GAME_BODY_FORMAT", settings.game_body_format)
    yield Finding("POLL_INTERVAL", f"{settings.poll_interval:g} s")
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
    port = settings.monitoring_port
    yield Finding("MONITORING_PORT", "not set: off" if port is None else str(port))
    yield _sentry(settings)
    yield Finding("LOG_FORMAT", settings.log_format)
    yield Finding("LOG_LEVEL", settings.log_level)


def _sentry(settings: Settings) -> Finding:
    if settings.sentry_dsn is None:
        return Finding("SENTRY_DSN", "not set: off")
    from bot.error_reports import problem_with

    problem = problem_with(settings.sentry_dsn)
    return fault("SENTRY_DSN", problem) if problem else Finding("SENTRY_DSN", "set")


async def _database(settings: Settings) -> Finding:
    try:
        async with open_existing_database(settings.database_url, MIGRATIONS) as database:
            return await _sealed_tokens(settings, database)
    except DatabaseMissing as error:
        return Finding("database", str(error))
    except DatabaseTooOld as error:
        return Finding("database", f"{error}: the next start runs them")
    except DatabaseError as error:
        return fault("database", str(error))


async def _sealed_tokens(settings: Settings, database: Database) -> Finding:
    if not settings.kiosk_keys:
        return fault("database", "can't be judged without KIOSK_KEYS")
    unknown = await Links(database, Vault(settings.kiosk_keys)).unknown_keys()
    if unknown:
        return fault(
            "database", f"{unknown} tokens are sealed with a key not in KIOSK_KEYS: add it back"
        )
    return Finding("database", "opens, and the keys fit")


async def _game(settings: Settings, session: aiohttp.ClientSession) -> Finding:
    if settings.game_base_url is None:
        return Finding("game", "the demo game will be served")
    async with BackgroundTasks() as tasks:
        try:
            client = GameClient(
                session,
                settings.game_base_url,
                tasks,
                body_format=settings.game_body_format,
                plain_http=settings.game_plain_http,
            )
            return await _ask_game(client, settings.game_token)
        except BadAddress as error:
            return fault("game", f"GAME_BASE_URL: {error}")
        except GameError as error:
            return fault("game", f"{error}: is GAME_BASE_URL right, and the game up?")


async def _ask_game(client: GameClient, token: SecretStr | None) -> Finding:
    # Whether thread and catalog 1 exist does not matter: "not found" is an answer too.
    with suppress(NotFound):
        await client.list_comments(1)
    if token is None:
        return Finding("game", "answers")
    try:
        with suppress(NotFound):
            await client.list_items(Caller(0, token), 1)
    except Unauthorized:
        return fault("game", "answers, but refuses GAME_TOKEN: get a new one")
    return Finding("game", "answers, and takes GAME_TOKEN")


async def _discord(settings: Settings) -> Finding:
    if settings.discord_token is None:
        return fault("discord", "can't be asked without DISCORD_TOKEN")
    import discord

    async with discord.Client(intents=discord.Intents.none()) as client:
        try:
            await client.login(settings.discord_token.get_secret_value())
        except discord.LoginFailure:
            return fault("discord", "refuses DISCORD_TOKEN: copy it again, or reset it")
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            return fault("discord", f"can't be reached: {error}")
        return Finding("discord", f"takes the token, as {client.user}")
