"""Send a queued message's requests to Discord, in turn and in time, and track if they left."""

import typing
from collections import abc
from datetime import timedelta

import aiohttp
import discord
from discord.http import HTTPClient, Route, handle_message_parameters
from msgspec import Struct

from bot.clock import Clock
from bot.ui import drawing
from bot.ui.messages import verdicts
from bot.ui.messages.pacing import Openings, Pacing
from storage.messages import NOT_YET, Message, Messages

# How long to wait for a request that was sent.
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=25)
_INVALID = (401, 403, 429)
_SERVER_ERRORS = 500
_COMPONENTS_V2 = 1 << 15
_ARCHIVED = 50083
_UNKNOWN_TAG = 10087
NO_MENTIONS = discord.AllowedMentions.none()

T = typing.TypeVar("T")


def message_route(method: str, channel_id: int | None, message_id: int, further: str = "") -> Route:
    path = "/channels/{channel_id}/messages/{message_id}" + further
    return Route(method, path, channel_id=channel_id, message_id=message_id)


def tracing() -> aiohttp.TraceConfig:
    """Return a trace that reports each try of a request, including the library's retries."""

    def listener(
        hear: abc.Callable[["Requests", typing.Any], abc.Awaitable[None] | None],
    ) -> typing.Any:
        async def listen(_session: object, context: typing.Any, params: object) -> None:
            requests = context.trace_request_ctx
            waiting = hear(requests, params) if isinstance(requests, Requests) else None
            if waiting is not None:
                await waiting

        return listen

    config = aiohttp.TraceConfig()
    config.on_request_start.append(listener(lambda requests, _: requests.before_try()))
    config.on_request_headers_sent.append(listener(lambda requests, _: requests.on_leaving()))
    config.on_request_end.append(listener(lambda requests, end: requests.after_try(end.response)))
    return config


class Requests(Struct, kw_only=True, eq=False):
    """Sends the requests for one message.

    Nothing is sent after `send_before`, in seconds of the `clock`. The library repeats requests
    that Discord answers with 500, 502, 504 or 524, up to four times, unless they are sent `once`.
    """

    http: HTTPClient
    pacing: Pacing
    messages: Messages
    openings: Openings
    message: Message
    send_before: float
    once: bool
    clock: Clock
    is_unanswered: bool = False
    has_failed: bool = False
    has_made: bool = False
    # Whether everything is ready, and only Discord's limits delay the request.
    is_ready: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether a request may have been carried out without a saved result."""
        return self.is_unanswered or self.has_failed or self.has_made

    async def tell_server(self, guild_id: int, card: drawing.Card) -> int | None:
        """Post in a server's system channel, if it has one. Return the message's id."""
        guild = await self.ask(Route("GET", "/guilds/{guild_id}", guild_id=guild_id))
        if not guild.get("system_channel_id"):
            return None
        return await self.create_message(card, channel_id=int(guild["system_channel_id"]))

    async def create_message(
        self,
        view: drawing.Card,
        *,
        channel_id: int | None = None,
        member_id: int | None = None,
        allowed_mentions: discord.AllowedMentions = NO_MENTIONS,
        link: str = "",
    ) -> int:
        """Post in a channel or to a member, as an embed if there is a `link`. Return the id."""
        payload = handle_message_parameters(
            view=view, nonce=self.message.nonce, allowed_mentions=allowed_mentions
        ).payload
        if link:
            payload = {**(payload or {}), "flags": 0, **as_embed(view, link)}
        kept = await self.messages.direct_channel(member_id) if member_id else None
        target = channel_id or kept or await self._open_direct_channel(member_id or 0)
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=target)
        try:
            message = await self.ask(route, makes=True, json=payload)
        except discord.HTTPException as error:
            if member_id and error.code in (verdicts.UNKNOWN_CHANNEL, verdicts.MISSING_ACCESS):
                await self.messages.forget_direct_channel(member_id)
                if kept:
                    raise verdicts.TryAgain(str(error)) from error
            raise
        return int(message["id"])

    async def create_post(
        self,
        view: discord.ui.LayoutView,
        channel_id: int | None,
        title: str,
        *,
        tag_id: int | None,
        allowed_mentions: discord.AllowedMentions = NO_MENTIONS,
    ) -> int:
        message = handle_message_parameters(view=view, allowed_mentions=allowed_mentions).payload
        tags = [] if tag_id is None else [str(tag_id)]
        payload: dict[str, typing.Any] = {"name": title, "message": message, "applied_tags": tags}
        route = Route("POST", "/channels/{channel_id}/threads", channel_id=channel_id)
        try:
            post = await self.ask(route, makes=True, json=payload)
        except discord.HTTPException as error:
            if error.code != _UNKNOWN_TAG and "applied_tags" not in error.text:
                raise
            # If the forum needs a tag, Discord says so.
            post = await self.ask(route, makes=True, json={**payload, "applied_tags": []})
        return int(post["id"])

    async def edit_message(
        self, card: drawing.Card, channel_id: int | None, message_id: int, *, link: str = ""
    ) -> None:
        """Change a message without pinging anyone. With a `link`, it becomes an embed."""
        changed: dict[str, typing.Any] = {"allowed_mentions": {"parse": []}}
        if link:
            changed |= {"content": None, "flags": 0, **as_embed(card, link)}
        else:
            changed |= {"components": card.to_components(), "flags": _COMPONENTS_V2}
        route = message_route("PATCH", channel_id, message_id)
        await self._unarchived(channel_id, lambda: self.ask(route, json=changed))

    async def delete_message(self, channel_id: int | None, message_id: int) -> None:
        route = message_route("DELETE", channel_id, message_id)
        await self._unarchived(channel_id, lambda: self.ask(route))

    async def rename_post(self, channel_id: int, message_id: int, name: str) -> None:
        """Rename the post that a message starts. Raises NotYet after two names in ten minutes."""
        # A post has the id of its first message.
        if message_id != channel_id:
            return
        route = Route("PATCH", "/channels/{channel_id}", channel_id=channel_id)
        try:
            await self._unarchived(channel_id, lambda: self.ask(route, json={"name": name}))
        except discord.RateLimited as error:
            raise verdicts.NotYet("too many names", timedelta(seconds=error.retry_after)) from error

    async def _unarchived(
        self, channel_id: int | None, ask: abc.Callable[[], abc.Awaitable[T]]
    ) -> T:
        """Send a request. If its post is archived, open it first, as Discord's own app does."""
        try:
            return await ask()
        except discord.HTTPException as error:
            if error.code != _ARCHIVED:
                raise
            archived = error
        route = Route("PATCH", "/channels/{channel_id}", channel_id=channel_id)
        try:
            await self.ask(route, json={"archived": False})
        except discord.Forbidden as error:
            # Locked: only members who manage threads may open it.
            raise archived from error
        return await ask()

    async def ask(
        self, route: Route, *, makes: bool = False, **parameters: typing.Any
    ) -> typing.Any:
        """Send any request, as `HTTPClient.request` takes it. Return the answer's JSON.

        After a request that `makes` something, any later failure leaves the message in doubt.
        """
        self.is_ready = True
        answer = await self.http.request(
            route, trace_request_ctx=self, timeout=_TIMEOUT, **parameters
        )
        self.is_unanswered = False
        self.has_made = makes
        return answer

    async def before_try(self) -> None:
        """Wait for the turn of a request. Raises TryAgain."""
        if self.once and self.has_failed:
            raise verdicts.TryAgain("may be sent once only")
        await self.pacing.turn()
        if self.clock.monotonic() > self.send_before:
            raise verdicts.TryAgain("its time was over")

    def on_leaving(self) -> None:
        """Note that there is a connection, and the request is being sent."""
        self.is_unanswered = True

    def after_try(self, response: aiohttp.ClientResponse) -> None:
        """Note an answer. After a server error, the request may still have been carried out.

        A successful request counts as answered once the answer has been read to its end.
        """
        self.is_unanswered = response.ok
        self.has_failed = self.has_failed or response.status >= _SERVER_ERRORS
        self.pacing.count_answer(is_invalid=counts_as_invalid(response))

    async def _open_direct_channel(self, member_id: int) -> int:
        if pause := self.openings.wait(member_id):
            raise verdicts.TryAgain(f"{NOT_YET}: others are opened first", timedelta(seconds=pause))
        route = Route("POST", "/users/@me/channels")
        try:
            channel = await self.ask(route, json={"recipient_id": member_id})
        except discord.HTTPException as error:
            if pause := verdicts.pause_of_openings(error):
                self.openings.hold(member_id, pause.total_seconds())
            raise
        finally:
            # Opening a channel twice does no harm.
            self.is_unanswered = self.has_failed = False
        channel_id = int(channel["id"])
        await self.messages.save_direct_channel(member_id, channel_id)
        return channel_id


def counts_as_invalid(response: aiohttp.ClientResponse) -> bool:
    """Return whether Discord counts a request as invalid: 10,000 in ten minutes are too many."""
    is_shared = response.headers.get("X-RateLimit-Scope") == "shared"
    return response.status in _INVALID and not is_shared


def as_embed(card: drawing.Card, link: str) -> dict[str, typing.Any]:
    """Return a card as a message with an embed that ends with a link, and ordinary rows below.

    Messages published from an announcement channel lose their components in other servers. The
    link replaces the card's last paragraph, which is about the components.
    """
    *above, frame = card.to_components()
    parts = list(drawing.parts_of(frame["components"]))
    *texts, _ = (part["content"] for part in parts if part["type"] == drawing.TEXT)
    embed: dict[str, typing.Any] = {
        "color": frame["accent_color"],
        "description": "\n\n".join([*texts, link]),
    }
    pictures = {
        part["type"]: part.get("items", [part])[0]["media"]
        for part in reversed(parts)
        if part["type"] in (drawing.GALLERY, drawing.THUMBNAIL)
    }
    if drawing.GALLERY in pictures:
        embed["image"] = pictures[drawing.GALLERY]
    elif drawing.THUMBNAIL in pictures:
        embed["thumbnail"] = pictures[drawing.THUMBNAIL]
    content = "\n".join(part["content"] for part in above)
    return {
        **({"content": content} if content else {}),
        "embeds": [embed],
        "components": [part for part in frame["components"] if part["type"] == drawing.ROW],
    }
