"""What each server hides, at hand for everybody who reads."""

from itertools import count
from weakref import WeakValueDictionary

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.domain.shown import Hidden
from storage.changes import Changes
from storage.moderation import TOPIC, Moderation

# In seconds: mutes end by themselves, and where nobody hears of changes, they are learned by then.
_MAX_AGE = 5.0
# What a hidden comment takes in memory, about, in bytes.
_SIZE = 60


class HiddenTexts:
    """What servers hide; whoever was given it has it as it is now, not as it was then."""

    def __init__(self, moderation: Moderation, tasks: BackgroundTasks, changes: Changes) -> None:
        self._moderation = moderation
        self._kept = TtlCache[int, Hidden](
            tasks, lifetime=_MAX_AGE, size=lambda hidden: _SIZE * len(hidden.comments)
        )
        changes.follow(TOPIC, lambda: self._kept.forget(lambda _: True))
        # Of each server, what readers have in hand, and the read that it is from.
        self._live = WeakValueDictionary[int, _Known]()
        self._reads = count(1)

    async def here(self, guild_id: int | None) -> Hidden:
        """Return what a server hides; outside of servers that is nothing."""
        if guild_id is None:
            return Hidden()
        return await self._kept.get(guild_id, lambda: self._read(guild_id), max_age=_MAX_AGE)

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
