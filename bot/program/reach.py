"""Whether Discord can be reached from this process."""

import asyncio
import time
import typing
from contextlib import suppress

import aiohttp
import discord
from discord.http import HTTPClient, Route

from bot.ui.messages.requests import tracing

# In seconds.
_LOST_AFTER = 5.0
_BETWEEN_LOOKS = 2.0
_TO_ANSWER = 5.0


class Reach:
    """Follows requests to Discord's HTTP side by `trace`. Asks only if none is answered."""

    def __init__(self) -> None:
        # The first request since Discord's last answer, or None if all are answered.
        self._asked_at: float | None = None
        self.trace = tracing()
        self.trace.on_request_start.append(self._on_request)
        self.trace.on_request_end.append(self._on_answer)

    @property
    def is_lost(self) -> bool:
        """Whether Discord has answered nothing of late, though it was asked."""
        return self._is_silent_for(_LOST_AFTER)

    def _is_silent_for(self, seconds: float) -> bool:
        return self._asked_at is not None and time.monotonic() > self._asked_at + seconds

    async def _on_request(self, *_: object) -> None:
        if self._asked_at is None:
            self._asked_at = time.monotonic()

    async def _on_answer(self, *_: object) -> None:
        self._asked_at = None

    async def keep(self, http: HTTPClient) -> typing.NoReturn:
        """Ask Discord while it is silent: without presses, this process sends no other request."""
        while True:
            await asyncio.sleep(_BETWEEN_LOOKS)
            if self._is_silent_for(_BETWEEN_LOOKS):
                with suppress(discord.DiscordException, aiohttp.ClientError, OSError):
                    async with asyncio.timeout(_TO_ANSWER):
                        await http.request(Route("GET", "/gateway"))
