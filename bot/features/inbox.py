"""What could not be told to a member in time, kept until their next command."""

from collections.abc import Sequence

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.domain.inbox import Message
from storage.inbox import Inbox as StoredInbox

# In seconds: a change made by another process is heard of so much later.
_MAX_AGE = 5.0


class Inbox:
    """The waiting messages of all members."""

    def __init__(self, stored: StoredInbox, tasks: BackgroundTasks) -> None:
        self._stored = stored
        # After every command somebody asks, and hardly anybody has a message.
        self._members = TtlCache[None, frozenset[int]](tasks, lifetime=_MAX_AGE)

    async def put(self, member_id: int, title: str, body: str) -> None:
        """Keep a message for a member."""
        try:
            await self._stored.put(member_id, title, body)
        finally:
            self._members.forget(lambda _: True)

    async def of_member(self, member_id: int, most: int) -> Sequence[Message]:
        """Return a member's oldest messages."""
        if member_id not in await self._members.get(None, self._stored.members, max_age=_MAX_AGE):
            return []
        return await self._stored.of_member(member_id, most)

    async def remove(self, message_id: int) -> None:
        """Take a message out, once it was shown."""
        await self._stored.remove(message_id)
