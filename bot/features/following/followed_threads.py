"""Threads that servers follow: set up, and the posts of their comments."""

import datetime as dt
from collections import abc

import msgspec

from bot.features import feature_errors
from bot.features.following import comparing
from bot.features.following.owing import comment_key
from bot.features.following.poller import Poller
from bot.game import game_errors
from storage import messages, moderation, subscriptions
from storage.deliveries import Deliveries
from storage.following import Following, SeenComment
from storage.names import PlaceKind
from storage.subscriptions import Subscriptions

# Per server. Each may be another thread to look at every few minutes.
_MAX_THREADS = 100


class FollowedThreads(msgspec.Struct, frozen=True):
    following: Following
    subscribed: Subscriptions
    deliveries: Deliveries
    outbox: messages.Messages
    poller: Poller
    now: abc.Callable[[], dt.datetime]

    async def follow(
        self,
        new: subscriptions.NewSubscription,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> tuple[subscriptions.Subscription, bool]:
        """Follow a thread. Also return whether it wasn't followed there before.

        Raises ThreadNotInGame, TooManyFollowedThreads, GameError.
        """
        known = await self.subscribed.of_guild(new.guild_id, PlaceKind.THREAD)
        place = new.channel_id, new.place_id
        is_known = any(
            (subscription.channel_id, subscription.place_id) == place for subscription in known
        )
        if not is_known and len(known) >= _MAX_THREADS:
            raise feature_errors.TooManyFollowedThreads(number=str(_MAX_THREADS))
        try:
            await self.poller.client.list_comments(new.place_id)
        except game_errors.NotFound as error:
            raise feature_errors.ThreadNotInGame(name=str(new.place_id)) from error
        followed = await self.subscribed.add(
            new, comparing.subscription_key(new), now=self.now(), renews=True, line_of=line_of
        )
        if followed is None:
            raise feature_errors.UnknownAnnouncement
        self.poller.hurry()
        return followed, not is_known

    async def draw_anew(self, guild_id: int, comment_ids: abc.Iterable[int]) -> None:
        """Redraw the messages of comments that a server no longer hides."""
        followed = await self.subscribed.of_guild(guild_id, PlaceKind.THREAD)
        async with self.outbox.transaction() as transaction:
            keys = [
                comment_key(subscription.id, comment_id)
                for subscription in followed
                for comment_id in comment_ids
            ]
            await self.outbox.redraw(transaction, *keys)

    async def taken_post(
        self, guild_id: int, comment_id: int, number: int
    ) -> tuple[subscriptions.Subscription, SeenComment]:
        """Return a subscription and the comment that a removal took from its channel.

        Raises NotFollowedThere, PostedThereAlready, StillDeleting.
        """
        subscription = await self.subscribed.find(number)
        seen = None
        if subscription is not None and subscription.guild_id == guild_id:
            seen = await self.following.comment(subscription.place_id, comment_id)
        if subscription is None or seen is None or subscription.stopped_at is not None:
            raise feature_errors.NotFollowedThere
        taken = await self.deliveries.taken(guild_id, comment_id)
        message = await self.outbox.find(comment_key(number, comment_id))
        if message is None or number not in [other.id for other in taken]:
            raise feature_errors.PostedThereAlready(name=str(comment_id))
        if message.due_at is not None:
            raise feature_errors.StillDeleting
        return subscription, seen
