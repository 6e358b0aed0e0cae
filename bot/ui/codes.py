"""Replace Discord's codes in typed texts with words that make sense in the game."""

import datetime as dt
import logging
import re
from collections.abc import Callable
from contextlib import suppress

import aiohttp
import discord

from bot.ui.here import Here

log = logging.getLogger(__name__)

# For all mentions of a text together.
_LOOKUP_TIMEOUT_SECONDS = 1.0
# The most members named in a text. Further ones become _SOMEONE.
_MAX_NAMES = 5
_SOMEONE = "@someone"
_USER = re.compile(r"<@!?(\d{1,20})>")


def _time(found: re.Match[str]) -> str:
    try:
        return f"{dt.datetime.fromtimestamp(int(found[1]), dt.UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return found[0]


_WORDS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"<a?(:\w+:)\d{1,20}>"), r"\1"),
    # The game's players must not see names of channels.
    (re.compile(r"<#\d{1,20}>|<id:[\w-]+(?::\d{1,20})?>"), "#channel"),
    (re.compile(r"<@&\d{1,20}>"), "@role"),
    (re.compile(r"<(/[^<>:\n]+):\d{1,20}>"), r"\1"),
    (re.compile(r"<t:(-?\d{1,17})(?::[a-zA-Z])?>"), _time),
)


async def in_words(here: Here, text: str) -> str:
    for code, word in _WORDS:
        text = code.sub(word, text)
    names: dict[str, str] = {}
    with suppress(TimeoutError):
        async with here.clock.timeout(_LOOKUP_TIMEOUT_SECONDS):
            for user_id in list(dict.fromkeys(_USER.findall(text)))[:_MAX_NAMES]:
                names[user_id] = await _name(here, int(user_id))
    return _USER.sub(lambda found: names.get(found[1], _SOMEONE), text)


async def _name(here: Here, user_id: int) -> str:
    try:
        user = await here.interaction.client.http.get_user(user_id)
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        log.info("Can't get the name of a mentioned member: %s", error)
        return _SOMEONE
    return f"@{user.get('global_name') or user['username']}"
