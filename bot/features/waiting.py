"""Who has nothing to be told, so that not every command asks the database."""

import logging

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from storage.changes import Changes
from storage.errors import StatementFailed
from storage.outcomes import TOPIC, Untold

log = logging.getLogger(__name__)

# In seconds, unless anything comes to wait for anybody.
_LIFETIME = 600.0


class Waiting:
    """Knows whether anything waits until a member uses their next command."""

    def __init__(self, untold: Untold, tasks: BackgroundTasks, changes: Changes) -> None:
        self._untold = untold
        self._changes = changes
        self._known = TtlCache[int, bool](tasks, lifetime=_LIFETIME)
        changes.follow(TOPIC, lambda: self._known.forget(lambda _: True))

    async def has_any(self, member_id: int) -> bool:
        """Return whether a text, an outcome or a message waits, as far as can be read."""
        max_age = self._changes.max_age(_LIFETIME)
        try:
            waits = await self._known.get(
                member_id, lambda: self._untold.is_any(member_id), max_age=max_age
            )
        except StatementFailed as error:
            log.warning("what a member was not told can't be read now: %s", error)
            return False
        if waits:
            # Until it is told.
            self.note(member_id)
        return waits

    def note(self, member_id: int) -> None:
        """Note that something may wait for a member."""
        self._known.forget(member_id.__eq__)
