"""What following threads owes to Discord: comments, posts with replies inside, and edits."""

from typing import ClassVar

import discord
from discord.http import Route, handle_message_parameters

from bot.domain.following import Follow, SeenComment
from bot.domain.names import PlaceKind
from bot.domain.outbox import EntryState
from bot.domain.shown import ShownComment
from bot.domain.viewers import Viewer
from bot.features.following.posting import COMMENT_KIND, EDIT_KIND, POST_KIND, REPLY_KIND
from bot.features.forum.errors import CommentNotFound
from bot.features.forum.screens import PageKey
from bot.features.forum.threads import Found
from bot.features.names import Place
from bot.i18n import speak
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.worker.kinds import (
    STATES,
    Entry,
    Kind,
    NotOwed,
    NotYet,
    Priority,
    Refused,
    Repeat,
    Requests,
    Sent,
    Settled,
    Transaction,
)
from bot.worker.posts import create_post, find_post, post_payload
from bot.worker.verdicts import is_unknown_message
from bot.worker.vetting import watched_for
from cogs.forum.views.followed import (
    burst_card,
    burst_title,
    followed_card,
    gone_card,
    post_title,
)

_NOBODY = 0
_COMPONENTS_V2 = 1 << 15
_NO_MENTIONS = discord.AllowedMentions.none()


class _FollowKind(Kind):
    """What a follow has come to owe: a comment, or how many there are."""

    priority: ClassVar[Priority] = Priority.LIVE_POST

    def __init__(self, bot: Kiosk) -> None:
        self._following = bot.features.following
        self._threads = bot.features.forum.threads
        self._shown = bot.features.forum.shown
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory
        self._refusals = bot.refusals

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Keep which message it has become; a channel that refuses it gets no more."""
        message_id = verdict.message_id if isinstance(verdict, Sent) else None
        state = STATES[type(verdict)]
        await self._settle(transaction, entry, state, message_id)
        if isinstance(verdict, Refused) and not verdict.is_malformed:
            await self._following.pause(transaction, entry.payload["follow"], verdict.reason)

    async def _settle(
        self, transaction: Transaction, entry: Entry, state: EntryState, message_id: int | None
    ) -> None:
        await self._following.settle(
            transaction,
            entry.key,
            state,
            channel_id=message_id and entry.channel_id,
            message_id=message_id,
        )

    async def _follow(self, entry: Entry) -> tuple[Follow, Place]:
        follow = await self._following.find(entry.payload["follow"])
        if follow is None:
            raise NotOwed
        speak(follow.locale)
        place = await self._directory.place(follow.guild_id, PlaceKind.THREAD, follow.thread_id)
        return follow, place

    async def _seen(self, follow: Follow, entry: Entry) -> SeenComment:
        seen = await self._following.comment(follow, entry.payload["comment"])
        if seen is None:
            raise NotOwed
        return seen

    async def _found(self, requests: Requests, follow: Follow, seen: SeenComment) -> Found:
        """Return a comment as the server may see it. Raises NotOwed."""
        guild_id, channel_id = follow.guild_id, follow.channel_id
        viewer = Viewer(
            member_id=_NOBODY,
            guild_id=guild_id,
            channel_id=channel_id,
            locale=follow.locale,
            player_id=None,
            hidden=await self._moderation.hidden.here(guild_id),
            vet=await watched_for(
                self._moderation.vetting, requests, guild_id, channel_id, follow.locale
            ),
        )
        near = PageKey(follow.thread_id, page=seen.page)
        try:
            return await self._threads.comment(viewer, near, seen.comment_id)
        except CommentNotFound as error:
            raise NotOwed from error

    async def _expect(self, follow: Follow, channel_id: int, found: Found) -> int:
        """Record what is about to be shown. Raises NotOwed where it is hidden by now."""
        shown = ShownComment(found.comment.id, found.comment.player.id)
        shown_id = await self._shown.expect(follow.guild_id, channel_id, [shown])
        if shown_id is None:
            raise NotOwed
        return shown_id


class FollowedComment(_FollowKind):
    """A new comment in a channel, or a card for many."""

    name: ClassVar[str] = COMMENT_KIND
    repeat: ClassVar[Repeat] = Repeat.BY_NONCE

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Post it."""
        follow, place = await self._follow(entry)
        if "count" in entry.payload:
            card = burst_card(place, entry.payload["count"])
            async with self._refusals.watched():
                return await requests.create_message(card, channel_id=entry.channel_id)
        seen = await self._seen(follow, entry)
        found = await self._found(requests, follow, seen)
        channel_id = await self._channel(follow, seen)
        shown_id = await self._expect(follow, channel_id, found)
        async with self._refusals.watched():
            message_id = await requests.create_message(
                followed_card(found, place), channel_id=channel_id
            )
        await self._shown.complete(follow.guild_id, shown_id, message_id)
        return message_id

    async def _channel(self, follow: Follow, _seen: SeenComment) -> int:
        return follow.channel_id


class FollowedReply(FollowedComment):
    """A reply, in the post of the comment at the top."""

    name: ClassVar[str] = REPLY_KIND

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Keep which message it has become; that its post is closed says nothing of others."""
        message_id = verdict.message_id if isinstance(verdict, Sent) else None
        await self._following.settle(
            transaction,
            entry.key,
            STATES[type(verdict)],
            channel_id=None,
            message_id=message_id,
        )

    async def _channel(self, follow: Follow, seen: SeenComment) -> int:
        post = await self._following.post(follow, seen.root_id)
        if post is None or post.state not in (EntryState.OWED, EntryState.SENT):
            raise NotOwed
        if post.message_id is None:
            raise NotYet("its post is not there yet")
        # A post has the id of its first message.
        return post.message_id


class FollowedPost(_FollowKind):
    """A comment as a post of a forum channel, or a post for many."""

    name: ClassVar[str] = POST_KIND
    repeat: ClassVar[Repeat] = Repeat.NEVER

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Make the post."""
        follow, place = await self._follow(entry)
        if "count" in entry.payload:
            count = entry.payload["count"]
            return await self._create(
                requests, follow, burst_card(place, count), burst_title(place, count)
            )
        found = await self._found(requests, follow, await self._seen(follow, entry))
        shown_id = await self._expect(follow, follow.channel_id, found)
        card = followed_card(found, place)
        post_id = await self._create(requests, follow, card, post_title(found))
        await self._shown.complete(follow.guild_id, shown_id, post_id, post_id)
        return post_id

    async def reconcile(self, entry: Entry, requests: Requests) -> Sent | bool:
        """Look for a post of this name among the active ones."""
        follow, place = await self._follow(entry)
        shown: Found | None = None
        if "count" in entry.payload:
            title = burst_title(place, entry.payload["count"])
        else:
            shown = await self._found(requests, follow, await self._seen(follow, entry))
            title = post_title(shown)
        found = await find_post(
            requests,
            follow.guild_id,
            entry.channel_id,
            title,
            after=entry.attempted_at or entry.created_at,
            now=self._following.clock(),
        )
        if isinstance(found, bool):
            return found
        if shown is not None:
            shown_id = await self._expect(follow, found, shown)
            await self._shown.complete(follow.guild_id, shown_id, found)
        return Sent(found)

    async def _settle(
        self, transaction: Transaction, entry: Entry, state: EntryState, message_id: int | None
    ) -> None:
        await self._following.settle(
            transaction, entry.key, state, channel_id=message_id, message_id=message_id
        )

    async def _create(self, requests: Requests, follow: Follow, card: Card, title: str) -> int:
        payload = post_payload(card, title, follow.tag_id, _NO_MENTIONS)
        async with self._refusals.watched():
            return await create_post(requests, follow.channel_id, payload)


class FollowedEdit(_FollowKind):
    """A comment whose text is another now, or that is gone."""

    name: ClassVar[str] = EDIT_KIND

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Draw its message anew."""
        follow, place = await self._follow(entry)
        seen = await self._seen(follow, entry)
        if entry.payload.get("revision", seen.revision) != seen.revision:
            # It is owed as it is now, too: texts may change faster than Discord takes edits.
            raise NotOwed
        post = await self._following.post(follow, seen.comment_id)
        if post is None or post.message_id is None:
            raise NotOwed
        card = gone_card(place)
        if not seen.is_gone:
            card = followed_card(await self._found(requests, follow, seen), place)
        route = Route(
            "PATCH",
            "/channels/{channel_id}/messages/{message_id}",
            channel_id=entry.channel_id,
            message_id=post.message_id,
        )
        payload = handle_message_parameters(view=card, allowed_mentions=_NO_MENTIONS).payload
        try:
            await requests.ask(route, json=payload)
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise
            # Moderators have deleted it, and it is not posted again.
        return post.message_id

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Leave what can't be edited as it is."""
