"""The posts of forum channels: made, opened where they are archived, and renamed."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

import discord
from discord.http import Route, handle_message_parameters

from bot.worker.requests import NO_MENTIONS, Requests
from bot.worker.verdicts import NotYet

_ARCHIVED, _UNKNOWN_TAG = 50083, 10087

T = TypeVar("T")


async def create_post(
    requests: Requests,
    channel_id: int | None,
    view: discord.ui.LayoutView,
    title: str,
    *,
    tag_id: int | None,
    allowed_mentions: discord.AllowedMentions = NO_MENTIONS,
) -> int:
    """Make a post, without a tag that was deleted; return its id and its first message's."""
    message = handle_message_parameters(view=view, allowed_mentions=allowed_mentions).payload
    tags = [] if tag_id is None else [str(tag_id)]
    payload: dict[str, Any] = {"name": title, "message": message, "applied_tags": tags}
    route = Route("POST", "/channels/{channel_id}/threads", channel_id=channel_id)
    try:
        post = await requests.ask(route, makes=True, json=payload)
    except discord.HTTPException as error:
        if error.code != _UNKNOWN_TAG and "applied_tags" not in error.text:
            raise
        # Where one is needed, Discord says so.
        post = await requests.ask(route, makes=True, json={**payload, "applied_tags": []})
    return int(post["id"])


async def rename_post(requests: Requests, channel_id: int, message_id: int, name: str) -> None:
    """Rename a post whose first message this is: its name tells how that began.

    Any other message has no name. Raises what Discord answers, NotYet where it takes no more names
    for now: it takes two in ten minutes.
    """
    # A post has the id of its first message.
    if message_id != channel_id:
        return
    route = Route("PATCH", "/channels/{channel_id}", channel_id=channel_id)
    try:
        await unarchived(requests, channel_id, lambda: requests.ask(route, json={"name": name}))
    except discord.RateLimited as error:
        raise NotYet("too many names", timedelta(seconds=error.retry_after)) from error


async def unarchived(
    requests: Requests, channel_id: int | None, ask: Callable[[], Awaitable[T]]
) -> T:
    """Ask for something, and once more in an archived post that could be opened.

    Discord changes no message of an archived post. Such a post is opened first, as Discord's own
    app does it; it archives itself again.
    """
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
