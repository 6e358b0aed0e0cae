"""Read, edit and delete what Kiosk has posted, also in archived posts, as fast as Discord lets."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import discord
from msgspec import Struct, field

from bot.domain.shown import OLD
from bot.worker.posts import unarchived
from bot.worker.requests import Requests, message_route

_COMPONENTS_V2 = 1 << 15
_MALFORMED = 50035

# Channels that are remembered before those are forgotten whose turn is long over.
_MANY = 1000
# So many changes in so many seconds: of any messages, and of those older than an hour.
_MOST, _SECONDS = 5, 5.0
_MOST_OLD, _SECONDS_OLD = 3, 6.0
# Clocks differ by less.
_MARGIN = 0.05


class _Channel(Struct):
    """When a channel is free again, and when its last changes were done, of old messages too."""

    free: float
    done: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST))
    done_old: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST_OLD))

    def starts(self, *, is_old: bool) -> float:
        """Return when the next change may start.

        Of as many as the limit takes, the first one that is done must be long enough ago: whenever
        they arrived, it was before that.
        """
        starts = self.free
        if len(self.done) == _MOST:
            starts = max(starts, self.done[0] + _SECONDS + _MARGIN)
        if is_old and len(self.done_old) == _MOST_OLD:
            starts = max(starts, self.done_old[0] + _SECONDS_OLD + _MARGIN)
        return starts


class Turns:
    """Gives turns in each channel, so far apart that Discord refuses none.

    `now` counts seconds, and `sleep` passes them. A channel has one change under way at a time.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._now = now
        self._sleep = sleep
        self._channels: dict[int, _Channel] = {}

    @asynccontextmanager
    async def turn(
        self, channel_id: int, *, is_old: bool = False, is_known: bool = False
    ) -> AsyncGenerator[None]:
        """Make one change in the block, when its turn has come.

        Where it `is_known` that no other process has just made some, the first needs no wait.
        """
        seconds = _SECONDS_OLD / _MOST_OLD if is_old else _SECONDS / _MOST
        channel = self._channel(channel_id, first=0.0 if is_known else seconds + _MARGIN)
        starts = channel.starts(is_old=is_old)
        while (wait := starts - self._now()) > 0:
            await self._sleep(wait)
        channel.free = self._now() + seconds
        try:
            yield
        finally:
            channel.done.append(self._now())
            if is_old:
                channel.done_old.append(self._now())

    def _channel(self, channel_id: int, *, first: float) -> _Channel:
        now = self._now()
        if len(self._channels) >= _MANY:
            self._channels = {
                each: channel
                for each, channel in self._channels.items()
                if channel.free > now - _SECONDS_OLD
            }
        known = self._channels.get(channel_id)
        if known is None:
            # Another process may just have made some.
            known = self._channels[channel_id] = _Channel(now + first)
        return known


class PostedMessages:
    """The public messages of all channels; those of one are edited in turn.

    Archived posts are opened.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    async def read(
        self, requests: Requests, channel_id: int, message_id: int
    ) -> Sequence[Mapping[str, Any]]:
        """Return the components of a message. Raises what Discord answers."""
        message = await requests.ask(message_route("GET", channel_id, message_id))
        return message.get("components", ())

    async def edit(
        self,
        requests: Requests,
        channel_id: int,
        message_id: int,
        components: Sequence[Mapping[str, Any]],
        *,
        is_known: bool = False,
    ) -> None:
        """Replace the components of a message; `is_known` is as in `Turns.turn`.

        Raises what Discord answers.
        """
        changed: dict[str, Any] = {
            "components": components,
            "flags": _COMPONENTS_V2,
            "allowed_mentions": {"parse": []},
        }
        is_old = datetime.now(UTC) - discord.utils.snowflake_time(message_id) > OLD

        async def change() -> None:
            async with self._turns.turn(channel_id, is_old=is_old, is_known=is_known):
                await requests.ask(message_route("PATCH", channel_id, message_id), json=changed)

        await unarchived(requests, channel_id, change)

    async def take_out(
        self,
        requests: Requests,
        channel_id: int,
        message_id: int,
        components: Sequence[Mapping[str, Any]],
        instead: Sequence[Mapping[str, Any]],
    ) -> None:
        """Replace the components of a message, by `instead` where Discord does not take them.

        However they were read, what is taken out must not stay. Raises what Discord answers.
        """
        try:
            await self.edit(requests, channel_id, message_id, components)
        except discord.HTTPException as error:
            if error.code != _MALFORMED:
                raise
            await self.edit(requests, channel_id, message_id, instead)

    async def delete(self, requests: Requests, channel_id: int, message_id: int) -> None:
        """Delete a message. Raises what Discord answers."""
        route = message_route("DELETE", channel_id, message_id)
        await unarchived(requests, channel_id, lambda: requests.ask(route))
