"""Write a first `.env` with a new key and tested answers. Find the link that adds Kiosk."""

import asyncio
import os
import sys
from getpass import getpass
from pathlib import Path

import aiohttp
import discord
from discord.http import Route
from pydantic import SecretStr

from bot.env_file import write_value
from bot.log import describe
from bot.program.checking.game import examine_game
from bot.program.checking.machine import examine_address
from bot.program.proxies import proxy_for
from bot.settings import ENV_FILE, Settings, SettingsError, check_token, read_settings
from storage.vault import new_key

# Announcements, shared cards and the log of removals need these. A channel may grant them, too.
PERMISSIONS = discord.Permissions(
    view_channel=True, send_messages=True, send_messages_in_threads=True, embed_links=True
)
_CONTENT = """\
# .env.example explains all other settings.
DISCORD_TOKEN={}
GAME_BASE_URL={}
# The access token of Kiosk's own account. Kiosk announces in public what this account sees.
GAME_TOKEN={}
# Keep a copy apart from the database. If you lose the keys, members must link again.
KIOSK_KEYS={}
"""


def write_first_settings(file: Path = ENV_FILE) -> str:
    """Save the bot's token, the game's address and Kiosk's account in a file, with a new key.

    Returns the link that adds Kiosk to a server. A terminal is asked until its answers work, and
    not for an account of the demo game. Without a terminal, they are in the environment. Raises
    SettingsError, OSError.
    """
    if os.path.lexists(file):
        raise SettingsError([f"{file} already exists. Edit it, or move it away"])
    settings, problems = read_settings(file)
    if sys.stdin.isatty():
        try:
            settings, link = _ask_for_token(settings)
            settings = _ask_for_address(settings)
            if settings.game_base_url is not None:
                settings = _ask_for_account(settings)
        except EOFError:
            raise SettingsError(["Nothing was saved"]) from None
    else:
        asked = ("DISCORD_TOKEN: ", "GAME_TOKEN: ")
        wrong = [problem for problem in problems if problem.startswith(asked)]
        if not wrong and "GAME_BASE_URL" not in os.environ:
            wrong = ["GAME_BASE_URL: missing. Set it empty for the demo game"]
        if wrong:
            raise SettingsError(wrong)
        link = asyncio.run(find_link(settings))
        _try_game(settings)
    token = settings.discord_token.get_secret_value() if settings.discord_token else ""
    account = settings.game_token.get_secret_value() if settings.game_token else ""
    values = (token, settings.game_base_url or "", account, new_key())
    content = _CONTENT.format(*map(write_value, values))
    file.touch(0o600, exist_ok=False)
    try:
        file.write_text(content, encoding="utf-8")
    except OSError:
        file.unlink()
        raise
    return link


def _ask_for_token(settings: Settings) -> tuple[Settings, str]:
    print("Discord's developer portal shows the bot's token once, under Bot, “Reset Token”.")
    while True:
        token = SecretStr(getpass("The token (you won't see it here): ").strip())
        settings = settings.model_copy(update={"discord_token": token})
        try:
            check_token(token)
            return settings, asyncio.run(find_link(settings))
        except (SettingsError, ValueError) as error:
            print(error)


def _ask_for_address(settings: Settings) -> Settings:
    while True:
        address = input("The game's address (leave empty for a demo game): ").strip()
        settings = settings.model_copy(update={"game_base_url": address or None})
        try:
            _try_game(settings)
            return settings
        except SettingsError as error:
            print(error)


def _ask_for_account(settings: Settings) -> Settings:
    print(
        "An access token of Kiosk's own account, which reads the shop for announcements. Leave"
        " it empty for none.\n"
        "Kiosk announces in public what this account sees. Use an ordinary player's account that"
        " buys nothing.\n"
        "Never use a developer's or tester's account: it sees items that aren't out yet.\n"
        "To announce subscribers' items, use a subscribed account."
    )
    while True:
        token = getpass("The account's token (you won't see it here): ").strip()
        settings = settings.model_copy(update={"game_token": SecretStr(token) if token else None})
        try:
            check_token(settings.game_token)
            _try_game(settings)
            return settings
        except (SettingsError, ValueError) as error:
            print(error)


def _try_game(settings: Settings) -> None:
    findings = [examine_address(settings)]
    if not findings[0].is_fault:
        findings += asyncio.run(examine_game(settings, {}))
    for finding in findings:
        said = f"{finding.subject}: {finding.text}"
        if finding.is_fault and finding.is_sure:
            raise SettingsError([said])
        if finding.is_fault or not finding.is_sure:
            print(said)


async def find_link(settings: Settings) -> str:
    """Ask Discord for the application's id, and return its link. Raises SettingsError."""
    if settings.discord_token is None:
        raise SettingsError(["DISCORD_TOKEN: missing. See “Run it on Discord” in README.md"])
    async with discord.Client(
        intents=discord.Intents.none(), proxy=proxy_for(Route.BASE)
    ) as client:
        try:
            await client.login(settings.discord_token.get_secret_value())
        except discord.LoginFailure as error:
            raise SettingsError(["DISCORD_TOKEN: Discord refuses it. Copy it again"]) from error
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            raise SettingsError([f"Discord can't be reached: {describe(error)}"]) from error
        assert client.application_id is not None  # noqa: S101 - known from the login on
        return discord.utils.oauth_url(
            client.application_id, permissions=PERMISSIONS, scopes=("bot", "applications.commands")
        )
