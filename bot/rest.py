"""Pauses by the clock, which say whether anything but time or news can end them."""

import asyncio
from contextlib import suppress

from bot.clock import Clock


class Rest:
    """How one duty waits, so that it can say that it has nothing to do now."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # The moment until which it waits, and what ends that before. None while it works.
        self._until: float | None = None
        self._news: asyncio.Event | None = None

    def is_idle(self) -> bool:
        """Return whether only the clock, or news, can end this wait."""
        if self._until is None or self._clock.monotonic() >= self._until:
            return False
        return self._news is None or not self._news.is_set()

    async def sleep(self, seconds: float, news: asyncio.Event | None = None) -> None:
        """Wait for `seconds` of the clock, or until there is news."""
        self._until = self._clock.monotonic() + seconds
        self._news = news
        try:
            if news is None:
                await self._clock.sleep(seconds)
            else:
                with suppress(TimeoutError):
                    async with self._clock.timeout(seconds):
                        await news.wait()
        finally:
            self._until = None
