"""How fast the messages of one channel may be changed."""

import asyncio
import time
from collections.abc import Awaitable, Callable

# Channels that are remembered before those are forgotten whose turn is long over.
_MANY = 1000


class Turns:
    """Gives turns in each channel, so far apart that Discord refuses none.

    `now` counts seconds, and `sleep` passes them.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._now = now
        self._sleep = sleep
        # When each channel is free again.
        self._free: dict[int, float] = {}

    async def turn(self, channel_id: int, seconds: float, *, first: float = 0.0) -> None:
        """Return when it is the caller's turn, whose change takes so many seconds of its channel.

        `first` seconds pass before the first one that is known of: another process may just have
        made some.
        """
        now = self._now()
        if len(self._free) >= _MANY:
            self._free = {each: free for each, free in self._free.items() if free > now}
        starts = max(self._free.get(channel_id, now + first), now)
        self._free[channel_id] = starts + seconds
        if starts > now:
            await self._sleep(starts - now)
