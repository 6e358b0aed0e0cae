"""What announcing owes to Discord: messages, posts, and that they are published."""

from datetime import timedelta
from typing import ClassVar

import discord
from msgspec.structs import replace

from bot.domain.announcing import FORUM_CHANNEL, Subscription
from bot.features import Features
from bot.features.announcing.deliveries import (
    MESSAGE_KIND,
    POST_KIND,
    PUBLISH_KIND,
    TEST_KIND,
    sample_event,
)
from bot.features.announcing.rules import DAY
from bot.i18n import speaking, t
from bot.ui.cards import Card
from bot.worker.kinds import Kind, NotOwed, Repeat, Transaction
from bot.worker.posts import create_post
from bot.worker.requests import Requests, message_route
from bot.worker.verdicts import (
    STATES,
    Dropped,
    NotYet,
    Refused,
    Sent,
    Settled,
    is_unknown_message,
)
from cogs.announce.announcement import announcement, post_title
from storage.messages import Message, Priority
from storage.names import PlaceKind

_ALREADY_PUBLISHED, _NO_NEWS_CHANNEL = 40033, 50024


class AnnouncementKind(Kind):
    """An announcement in a text or announcement channel, or in a thread."""

    name: ClassVar[str] = MESSAGE_KIND
    priority: ClassVar[Priority] = Priority.ANNOUNCEMENT
    repeat: ClassVar[Repeat] = Repeat.BY_NONCE
    # After an outage of Discord's, too, it is told what was missed.
    gives_up: ClassVar[bool] = False
    pauses: ClassVar[bool] = True

    def __init__(self, features: Features) -> None:
        self._announcing = features.announcing
        self._directory = features.directory

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Post it, in the server's language."""
        subscription, card, _ = await self._drawn(message)
        return await requests.create_message(
            card, channel_id=message.channel_id, allowed_mentions=mentions_of(subscription)
        )

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Keep what became of it; pause what is refused, and publish what can be.

        What is not posted for what has changed meanwhile is not lost.
        """
        await self._announcing.announcements.settle(
            transaction, message.key, STATES[type(verdict)], now=self._announcing.clock()
        )
        if isinstance(verdict, Refused) and not verdict.is_alone:
            await self._announcing.note_refusal(transaction, message, verdict.reason)
        elif isinstance(verdict, Dropped):
            await self._announcing.note_refusal(transaction, message)
        elif isinstance(verdict, Sent) and verdict.message_id and message.payload["is_published"]:
            await self._announcing.publish(transaction, message, verdict.message_id)

    async def _drawn(self, message: Message) -> tuple[Subscription, Card, str]:
        """Return for whom it is, the card, and what it is called as a post.

        All that waits is told in one where Discord took nothing for a day.
        """
        is_late = self._announcing.clock() - message.wanted_at > DAY
        if message.attempted_at is None and is_late:
            await self._announcing.announcements.gather(
                message.payload["subscription"], message.key
            )
        subscription = await self._announcing.subscriptions.find(message.payload["subscription"])
        if subscription is None or subscription.paused_at is not None:
            raise NotOwed
        if subscription.channel_id != message.channel_id and message.attempted_at is None:
            raise NotOwed
        if not message.payload.get("pings", True):
            subscription = replace(subscription, role_id=None)
        events = await self._announcing.announcements.events_of(message.key)
        if not events:
            raise NotOwed
        catalog = await self._directory.place(
            subscription.guild_id, PlaceKind.CATALOG, subscription.catalog_id
        )
        with speaking(subscription.locale):
            card = announcement(events, catalog, subscription.role_id, is_late=is_late)
            return subscription, card, post_title(events, catalog)


class PostKind(AnnouncementKind):
    """An announcement as a post of a forum channel, which Discord knows no nonce for."""

    name: ClassVar[str] = POST_KIND
    repeat: ClassVar[Repeat] = Repeat.NEVER

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Make the post; the id of its first message is its own."""
        subscription, card, title = await self._drawn(message)
        return await create_post(
            requests,
            message.channel_id,
            card,
            title,
            tag_id=subscription.tag_id,
            allowed_mentions=mentions_of(subscription),
        )


class TestKind(AnnouncementKind):
    """An announcement of an item that is no news, which pings nobody."""

    # pytest collects no class of this name.
    __test__ = False
    name: ClassVar[str] = TEST_KIND
    priority: ClassVar[Priority] = Priority.LIVE_POST
    repeat: ClassVar[Repeat] = Repeat.NEVER
    gives_up: ClassVar[bool] = True
    pauses: ClassVar[bool] = False

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Post it, however the subscription stands."""
        one = await self._announcing.subscriptions.find(message.payload["subscription"])
        if one is None:
            raise NotOwed
        catalog = await self._directory.place(one.guild_id, PlaceKind.CATALOG, one.catalog_id)
        event = sample_event(
            one, message.payload["item"], message.payload["news"], message.wanted_at
        )
        with speaking(one.locale):
            card, title = announcement([event], catalog), t("Test of Kiosk's announcements")
        if one.channel_kind == FORUM_CHANNEL:
            return await create_post(requests, message.channel_id, card, title, tag_id=one.tag_id)
        return await requests.create_message(card, channel_id=message.channel_id)

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Pause what is refused, so that the list says why."""
        if isinstance(verdict, Refused) and not verdict.is_alone:
            await self._announcing.note_refusal(transaction, message, verdict.reason)


class PublishKind(Kind):
    """A message of an announcement channel that goes to those who follow the channel."""

    name: ClassVar[str] = PUBLISH_KIND
    priority: ClassVar[Priority] = Priority.ANNOUNCEMENT

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Publish it, unless it is published already, or gone."""
        message_id = int(message.payload["message"])
        route = message_route("POST", message.channel_id, message_id, "/crosspost")
        try:
            await requests.ask(route)
        except discord.RateLimited as error:
            # Ten an hour are published, and any number may be posted.
            raise NotYet("it is published later", timedelta(seconds=error.retry_after)) from error
        except discord.HTTPException as error:
            if is_unknown_message(error) or error.code == _NO_NEWS_CHANNEL:
                raise NotOwed from error
            if error.code != _ALREADY_PUBLISHED:
                raise
        return message_id


def mentions_of(subscription: Subscription) -> discord.AllowedMentions:
    """Return that nobody is pinged but the role that the subscription names."""
    mentions = discord.AllowedMentions.none()
    if subscription.role_id is not None:
        mentions.roles = [discord.Object(subscription.role_id)]
    return mentions
