"""What following threads owes to Discord: comments, and posts with replies inside."""

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from msgspec import Struct

from bot.domain.announcing import Follow, SeenComment
from bot.features.errors import CommentNotFound
from bot.features.following.changes import COMMENT_KIND, POST_KIND, REPLY_KIND
from bot.features.forum.threads import Found
from bot.features.moderation.policy import Viewer
from bot.features.names import Place
from bot.features.polls import code_of
from bot.game.models import PageKey
from bot.i18n import speak
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.visible import text_key
from bot.worker.kinds import Kind, NotOwed, Repeat, Transaction
from bot.worker.posts import create_post
from bot.worker.requests import Requests, channels_above
from bot.worker.verdicts import STATES, NotYet, Refused, Sent, Settled
from cogs.forum.following import (
    burst_card,
    burst_title,
    comments_followed,
    followed_card,
    post_title,
)
from storage.messages import Message, MessageState, Priority
from storage.names import PlaceKind
from storage.shown import ShownComment

_NOBODY = 0
# Missing access, and missing permissions: posts have those of their channel.
_NOT_ALLOWED = (50001, 50013)


class _Drawn(Struct, frozen=True):
    """A comment as a channel is to see it, or how many there are, where none are `shown`."""

    follow: Follow
    card: Card
    title: str
    root_id: int = 0
    shown: Sequence[ShownComment] = ()


class FollowKind(Kind):
    """What a follow has come to owe: a comment, or how many there are."""

    priority: ClassVar[Priority] = Priority.LIVE_POST
    pauses: ClassVar[bool] = True

    def __init__(self, bot: Kiosk) -> None:
        self._following = bot.features.following
        self._threads = bot.features.forum.threads
        self._shown = bot.features.forum.shown
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Keep which message it has become; a channel that refuses it gets no more."""
        message_id = verdict.message_id if isinstance(verdict, Sent) else None
        await self._following.follows.settle(
            transaction,
            message.key,
            STATES[type(verdict)],
            channel_id=message_id and self._channel_of(message, message_id),
            message_id=message_id,
        )
        if isinstance(verdict, Refused) and self._is_closed(verdict):
            await self._following.pause(transaction, message.payload["follow"], verdict.reason)

    def _is_closed(self, verdict: Refused) -> bool:
        """Return whether the channel takes nothing any more."""
        return not verdict.is_alone

    def _channel_of(self, message: Message, message_id: int) -> int | None:
        """Return where replies to a message that was sent go to."""
        del message_id
        return message.channel_id

    async def _follow(self, message: Message) -> tuple[Follow, Place]:
        follow = await self._following.find(message.payload["follow"])
        if follow is None:
            raise NotOwed
        speak(follow.locale)
        place = await self._directory.place(follow.guild_id, PlaceKind.THREAD, follow.thread_id)
        return follow, place

    async def _seen(self, follow: Follow, message: Message) -> SeenComment:
        seen = await self._following.follows.comment(follow.thread_id, message.payload["comment"])
        if seen is None:
            raise NotOwed
        return seen

    async def _found(self, requests: Requests, follow: Follow, seen: SeenComment) -> Found:
        """Return a comment as the server may see it. Raises NotOwed."""
        guild_id = follow.guild_id
        viewer = Viewer(
            member_id=_NOBODY,
            guild_id=guild_id,
            channels=await channels_above(
                self._moderation.policy, requests, guild_id, follow.channel_id
            ),
            locale=follow.locale,
        )
        near = PageKey(follow.thread_id, page=seen.page)
        with suppress(CommentNotFound):
            found = await self._threads.comment(viewer, near, seen.comment_id)
            if text_key(found.comment.content) == seen.digest:
                return found
        try:
            # What is at hand may be older than the comment, where another process has seen it.
            return await self._threads.comment(viewer, near, seen.comment_id, fresh=True)
        except CommentNotFound as error:
            raise NotOwed from error

    async def _drawn(self, message: Message, requests: Requests) -> _Drawn:
        follow, place = await self._follow(message)
        if (count := message.payload.get("count")) is not None:
            return _Drawn(follow, burst_card(place, count), burst_title(place, count))
        seen = await self._seen(follow, message)
        found = await self._found(requests, follow, seen)
        card, title = followed_card(found, place), post_title(found)
        return _Drawn(follow, card, title, seen.root_id, comments_followed(found))

    async def _expect(self, drawn: _Drawn, channel_id: int) -> int | None:
        """Record what is about to be shown. Raises NotOwed where it is hidden by now."""
        if not drawn.shown:
            return None
        shown_id = await self._shown.expect(drawn.follow.guild_id, channel_id, drawn.shown)
        if shown_id is None:
            raise NotOwed
        return shown_id

    async def _complete(
        self, drawn: _Drawn, shown_id: int | None, message_id: int, channel_id: int | None = None
    ) -> None:
        if shown_id is not None:
            guild_id = drawn.follow.guild_id
            await self._shown.complete(guild_id, shown_id, message_id, channel_id)


class FollowedComment(FollowKind):
    """A new comment in a channel, or a card for many."""

    name: ClassVar[str] = COMMENT_KIND
    repeat: ClassVar[Repeat] = Repeat.BY_NONCE

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Post it."""
        drawn = await self._drawn(message, requests)
        channel_id = await self._channel(drawn)
        shown_id = await self._expect(drawn, channel_id)
        message_id = await requests.create_message(drawn.card, channel_id=channel_id)
        await self._complete(drawn, shown_id, message_id)
        return message_id

    async def _channel(self, drawn: _Drawn) -> int:
        return drawn.follow.channel_id


class FollowedReply(FollowedComment):
    """A reply, in the post of the comment at the top."""

    name: ClassVar[str] = REPLY_KIND

    def _is_closed(self, verdict: Refused) -> bool:
        """Return whether replies are not allowed: posts may be locked or gone one by one."""
        return code_of(verdict.reason) in _NOT_ALLOWED

    def _channel_of(self, message: Message, message_id: int) -> int | None:
        del message, message_id
        return None

    async def _channel(self, drawn: _Drawn) -> int:
        post = await self._following.follows.post(drawn.follow.id, drawn.root_id)
        if post is None or post.state not in (MessageState.OWED, MessageState.SENT):
            raise NotOwed
        if post.message_id is None:
            raise NotYet("its post is not there yet")
        # A post has the id of its first message.
        return post.message_id


class FollowedPost(FollowKind):
    """A comment as a post of a forum channel, or a post for many."""

    name: ClassVar[str] = POST_KIND
    repeat: ClassVar[Repeat] = Repeat.NEVER

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Make the post."""
        drawn = await self._drawn(message, requests)
        follow = drawn.follow
        shown_id = await self._expect(drawn, follow.channel_id)
        post_id = await create_post(
            requests, follow.channel_id, drawn.card, drawn.title, tag_id=follow.tag_id
        )
        await self._complete(drawn, shown_id, post_id, post_id)
        return post_id

    def _channel_of(self, message: Message, message_id: int) -> int | None:
        del message
        return message_id
