"""Let a bot's own requests to the game run on the real clock, under simcord's.

Kiosk does so by itself (bot/game/background.py), for reasons of its own; of a bot of thirty lines
it can't be expected, and without it aiohttp's timers would wait for a clock that stands still.
"""

import asyncio
import contextvars
from typing import Any, cast

import aiohttp


def detach(session: aiohttp.ClientSession) -> aiohttp.ClientSession:
    """Make the session's requests run outside the context of whoever asks."""
    opened = cast("Any", session)
    real = opened._request

    async def request(*arguments: Any, **options: Any) -> aiohttp.ClientResponse:
        async def ask() -> aiohttp.ClientResponse:
            response: aiohttp.ClientResponse = await real(*arguments, **options)
            await response.read()
            return response

        create_task = asyncio.get_running_loop().create_task
        return await contextvars.Context().run(create_task, ask())

    object.__setattr__(session, "_request", request)
    return session
