"""What following threads owes to Discord: comments, and posts with replies inside."""

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from bot.features.errors import CommentNotFound
from bot.features.following.owing import (
    COMMENT,
    COMMENT_POST,
    COMMENT_REPLY,
    comment_key,
)
from bot.features.forum.threads import Found
from bot.features.moderation.policy import Viewer
from bot.game.models import PageKey
from bot.i18n import speak
from bot.kiosk import Kiosk
from bot.visible import text_key
from bot.worker.kinds import Drawn, Kind, NotOwed, Repeat, Transaction, change, post
from bot.worker.requests import Requests, channels_above
from bot.worker.verdicts import NotYet, Refused, Sent, Settled
from cogs.forum.following import (
    burst_card,
    burst_title,
    comments_followed,
    followed_card,
    gone_card,
    gone_title,
    post_title,
)
from storage.following import SeenComment, Subscription
from storage.messages import Message, MessageState, Priority, code_of
from storage.names import PlaceKind
from storage.shown import ShownComment

_NOBODY = 0
# Missing access, and missing permissions: posts have those of their channel.
_NOT_ALLOWED = (50001, 50013)


class FollowedComment(Kind):
    """A comment in a channel, as it is now, or how many there are."""

    name: ClassVar[str] = COMMENT
    priority: ClassVar[Priority] = Priority.LIVE_POST
    repeat: ClassVar[Repeat] = Repeat.BY_NONCE
    pauses: ClassVar[bool] = True
    # Whether it is a post of a forum channel.
    is_post: ClassVar[bool] = False

    def __init__(self, bot: Kiosk) -> None:
        self._following = bot.features.announcing
        self._threads = bot.features.forum.threads
        self._shown = bot.features.forum.shown
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory
        self._messages = bot.features.announcing.outbox

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Post it, or draw it anew; where it can't be, it stays as it is."""
        if message.message_id is not None:
            with suppress(NotOwed):
                drawn, _ = await self._drawn(message, requests)
                await change(message, message.message_id, drawn, requests)
            return message.message_id
        drawn, shown = await self._drawn(message, requests)
        guild_id, channel_id = message.guild_id or 0, drawn.channel_id or message.channel_id or 0
        if shown and not await self._shown.claim(message.id, guild_id, channel_id, shown):
            # It is hidden by now.
            raise NotOwed
        return await post(message, drawn, requests)

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Take out what was removed meanwhile; post no more in a channel that refuses it."""
        is_new = message.message_id is None
        if is_new and isinstance(verdict, Sent) and verdict.message_id is not None:
            post_id = verdict.message_id if self.is_post else None
            await self._shown.complete_in(transaction, message.id, verdict.message_id, post_id)
        if is_new and isinstance(verdict, Refused) and self._is_closed(verdict):
            number = message.payload["subscription"]
            if one := await self._following.subscriptions.find(number, transaction):
                await self._following.owing.pause(transaction, one, verdict.reason)

    def _is_closed(self, verdict: Refused) -> bool:
        """Return whether the channel takes nothing any more."""
        return not verdict.is_alone

    async def _drawn(
        self, message: Message, requests: Requests
    ) -> tuple[Drawn, Sequence[ShownComment]]:
        """Return the message, and the comments that it shows. Raises NotOwed."""
        one = await self._following.subscriptions.find(message.payload["subscription"])
        if one is None or one.paused_at is not None:
            raise NotOwed
        speak(one.locale)
        place = await self._directory.place(one.guild_id, PlaceKind.THREAD, one.game_id)
        if (count := message.payload.get("count")) is not None:
            title = burst_title(place, count) if self.is_post else None
            return Drawn(burst_card(place, count), title=title, tag_id=one.tag_id), ()
        seen = await self._following.places.comment(one.game_id, message.payload["comment"])
        if seen is None:
            raise NotOwed
        channel_id = await self._channel(message, one, seen)
        if seen.is_gone and message.message_id is not None:
            card, title, shown = gone_card(place), gone_title(), ()
        else:
            found = await self._found(message, requests, one, seen)
            card, title = followed_card(found, place), post_title(found)
            shown = comments_followed(found)
        drawn = Drawn(
            card,
            title=title if self.is_post else None,
            tag_id=one.tag_id,
            channel_id=channel_id,
        )
        return drawn, shown

    async def _channel(self, message: Message, one: Subscription, seen: SeenComment) -> int | None:
        """Return where it stands, where that is not the channel. Raises NotOwed, NotYet."""
        del one, seen
        # A post has the id of its first message.
        return message.message_id if self.is_post else None

    async def _found(
        self, message: Message, requests: Requests, one: Subscription, seen: SeenComment
    ) -> Found:
        """Return a comment as the server may see it. Raises NotOwed."""
        policy = self._moderation.policy
        if message.message_id is not None:
            # What another process has just hidden must not come back.
            policy.forget(one.guild_id)
        viewer = Viewer(
            member_id=_NOBODY,
            guild_id=one.guild_id,
            channels=await channels_above(policy, requests, one.guild_id, one.channel_id),
            locale=one.locale,
        )
        near = PageKey(one.game_id, page=seen.page)
        with suppress(CommentNotFound):
            found = await self._threads.comment(viewer, near, seen.id)
            if text_key(found.comment.content) == seen.digest:
                return found
        try:
            # What is at hand may be older than the comment, where another process has seen it.
            return await self._threads.comment(viewer, near, seen.id, fresh=True)
        except CommentNotFound as error:
            raise NotOwed from error


class FollowedPost(FollowedComment):
    """A comment as a post of a forum channel, or a post for many."""

    name: ClassVar[str] = COMMENT_POST
    repeat: ClassVar[Repeat] = Repeat.NEVER
    is_post: ClassVar[bool] = True


class FollowedReply(FollowedComment):
    """A reply, in the post of the comment at the top."""

    name: ClassVar[str] = COMMENT_REPLY

    def _is_closed(self, verdict: Refused) -> bool:
        """Return whether replies are not allowed: posts may be locked or gone one by one."""
        return code_of(verdict.reason) in _NOT_ALLOWED

    async def _channel(self, message: Message, one: Subscription, seen: SeenComment) -> int | None:
        top = await self._messages.find(comment_key(one.id, seen.root_id))
        if top is None or (top.message_id is None and top.state is not MessageState.OWED):
            raise NotOwed
        if top.message_id is None:
            raise NotYet("its post is not there yet")
        return top.message_id
