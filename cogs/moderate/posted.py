"""Read, edit and delete what Kiosk has posted in channels, in archived posts, too."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import discord
from discord.http import Route

from bot.worker.requests import Requests, message_route
from cogs.moderate.turns import OLD, Turns

_ARCHIVED = 50083
_COMPONENTS_V2 = 1 << 15

T = TypeVar("T")


class PostedMessages:
    """The public messages of all channels; those of one are edited in turn.

    Discord changes no message of an archived post. Such a post is opened first, as Discord's own
    app does it; it archives itself again.
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

        await _unarchived(requests, channel_id, change)

    async def delete(self, requests: Requests, channel_id: int, message_id: int) -> None:
        """Delete a message. Raises what Discord answers."""
        route = message_route("DELETE", channel_id, message_id)
        await _unarchived(requests, channel_id, lambda: requests.ask(route))


async def _unarchived(requests: Requests, channel_id: int, ask: Callable[[], Awaitable[T]]) -> T:
    """Ask for something, and once more in an archived post that could be opened."""
    try:
        return await ask()
    except discord.HTTPException as error:
        if error.code != _ARCHIVED:
            raise
        archived = error
    route = Route("PATCH", "/channels/{channel_id}", channel_id=channel_id)
    try:
        await requests.ask(route, json={"archived": False})
    except discord.Forbidden as error:
        # Locked: only who manages threads may open it.
        raise archived from error
    return await ask()
