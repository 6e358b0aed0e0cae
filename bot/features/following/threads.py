"""Where servers read the comments of threads."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from bot.features.errors import NotFollowed, ThreadNotInGame, TooManyFollows
from bot.features.following.owing import Owing, comment_key
from bot.features.following.poller import Poller
from bot.game.client import GameClient
from bot.game.errors import NotFound
from storage.following import FollowedPlaces, NewSubscription, Subscription, Subscriptions
from storage.messages import Messages
from storage.names import PlaceKind

# Each thread is read again and again, so that no server may slow down what others follow.
_MOST_OF_A_SERVER = 100


class Following(Struct, frozen=True):
    """Which threads' comments servers have posted, and where."""

    client: GameClient
    places: FollowedPlaces
    subscriptions: Subscriptions
    owing: Owing
    outbox: Messages
    poller: Poller
    clock: Callable[[], datetime]

    async def add(self, new: NewSubscription) -> None:
        """Follow a thread, or go on. Raises ThreadNotInGame, TooManyFollows, GameError."""
        known = await self.subscriptions.of_guild(new.guild_id, PlaceKind.THREAD)
        place = new.channel_id, new.game_id
        before = next((one for one in known if (one.channel_id, one.game_id) == place), None)
        if before is None and len(known) >= _MOST_OF_A_SERVER:
            raise TooManyFollows(number=str(_MOST_OF_A_SERVER))
        try:
            await self.client.list_comments(new.game_id)
        except NotFound as error:
            raise ThreadNotInGame(name=str(new.game_id)) from error
        await self.subscriptions.add(new, now=self.clock())
        if before is not None and before.paused_at is not None:
            # What was changed or deleted meanwhile still stands there as it was.
            seen = (await self.places.comments(new.game_id)).values()
            changed = [comment_key(before.id, each.id) for each in seen if each.is_changed]
            async with self.outbox.transaction() as transaction:
                await self.outbox.redraw(transaction, *changed)
        self.poller.hurry()

    async def remove(self, guild_id: int, thread_id: int, channel_id: int) -> Subscription:
        """Follow a thread in a channel no more. Raises NotFollowed."""
        for one in await self.subscriptions.of_guild(guild_id, PlaceKind.THREAD):
            if (one.game_id, one.channel_id) == (thread_id, channel_id):
                await self.subscriptions.remove(one)
                return one
        raise NotFollowed

    async def draw_anew(self, guild_id: int, comment_id: int) -> None:
        """Draw the messages of a comment anew that a server lets be seen after all."""
        followed = await self.subscriptions.of_guild(guild_id, PlaceKind.THREAD)
        async with self.outbox.transaction() as transaction:
            keys = [comment_key(one.id, comment_id) for one in followed]
            await self.outbox.redraw(transaction, *keys)
