"""Setting up where the comments of threads are posted."""

from collections.abc import Callable
from datetime import datetime

from bot.domain.announcing import Follow, NewFollow
from bot.features.following.errors import NotFollowed, TooManyFollows
from bot.features.following.polling import ThreadPoller
from bot.features.following.posting import Posting
from bot.features.forum.errors import ThreadNotInGame
from bot.features.pausing import code_of, pause_notice
from bot.game.client import GameClient
from bot.game.errors import NotFound
from storage.database import Transaction
from storage.follows import Follows
from storage.outbox import Outbox

# Each thread is read again and again, so that no server may slow down what others follow.
_MOST_OF_A_SERVER = 100


class Following:
    """What servers follow, kept in `follows`; `poller` looks at it in the background."""

    def __init__(
        self,
        client: GameClient,
        follows: Follows,
        outbox: Outbox,
        *,
        clock: Callable[[], datetime],
        interval: float,
    ) -> None:
        self._client = client
        self.follows = follows
        self._outbox = outbox
        self.clock = clock
        self.poller = ThreadPoller(
            client, follows, Posting(follows, outbox, clock), clock=clock, interval=interval
        )

    async def add(self, new: NewFollow) -> Follow:
        """Follow a thread in a channel, or go on.

        Raises ThreadNotInGame, TooManyFollows, GameError.
        """
        place = new.channel_id, new.thread_id
        others = [
            one
            for one in await self.follows.of_guild(new.guild_id)
            if (one.channel_id, one.thread_id) != place
        ]
        if len(others) >= _MOST_OF_A_SERVER:
            raise TooManyFollows(number=str(_MOST_OF_A_SERVER))
        try:
            await self._client.list_comments(new.thread_id)
        except NotFound as error:
            raise ThreadNotInGame(name=str(new.thread_id)) from error
        added = await self.follows.add(new, now=self.clock())
        self.poller.hurry()
        return added

    async def remove(self, guild_id: int, thread_id: int, channel_id: int) -> Follow:
        """Follow a thread in a channel no more. Raises NotFollowed."""
        for follow in await self.follows.of_guild(guild_id):
            if (follow.thread_id, follow.channel_id) == (thread_id, channel_id):
                await self.follows.remove(follow)
                return follow
        raise NotFollowed

    async def find(self, follow_id: int) -> Follow | None:
        """Return a follow that is at work."""
        follow = await self.follows.find(follow_id)
        return None if follow is None or follow.paused_at is not None else follow

    async def pause(self, transaction: Transaction, follow_id: int, reason: str) -> None:
        """Post nothing more where Discord refuses it, and tell the server, once."""
        code, now = code_of(reason), self.clock()
        paused = await self.follows.pause(transaction, follow_id, now=now, reason=code)
        if paused is not None:
            await self._outbox.owe(transaction, pause_notice(paused, paused.id, code, now))
