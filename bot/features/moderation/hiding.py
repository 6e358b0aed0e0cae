"""What each server hides from its readers: the comments and players that were removed."""

from itertools import count
from weakref import WeakValueDictionary

from bot.background import BackgroundTasks
from bot.cache import SHARED_LIFETIME, TtlCache
from storage.moderation import Hidden, Moderation

# What a hidden comment takes in memory, about, in bytes.
_SIZE = 60


class HiddenTexts:
    """What servers hide; whoever was given it has it as it is now, not as it was then."""

    def __init__(self, moderation: Moderation, tasks: BackgroundTasks) -> None:
        self._moderation = moderation
        self._kept = TtlCache[int, Hidden](
            tasks, lifetime=SHARED_LIFETIME, size=lambda hidden: _SIZE * len(hidden.comments)
        )
        # Of each server, what readers have in hand, and the read that it is from.
        self._live = WeakValueDictionary[int, _Known]()
        self._reads = count(1)

    async def here(self, guild_id: int | None) -> Hidden:
        """Return what a server hides; outside of servers that is nothing."""
        if guild_id is None:
            return Hidden()
        return await self._kept.get(guild_id, self._read)

    async def refresh(self, guild_id: int) -> None:
        """Learn at once what has changed."""
        self._kept.forget(guild_id.__eq__)
        await self.here(guild_id)

    async def _read(self, guild_id: int) -> Hidden:
        number = next(self._reads)
        read = await self._moderation.hidden(guild_id)
        known = self._live.setdefault(guild_id, _Known())
        # One that began before another may end after it.
        if number > known.read:
            known.comments, known.players, known.read = read.comments, read.players, number
        return known


class _Known(Hidden):
    """What a server hides, and the number of the read that it is from."""

    read = 0
