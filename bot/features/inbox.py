"""What could not be told to a member in time, kept until their next command."""

from collections.abc import Sequence

from bot.domain.inbox import Message
from bot.features.recent import Recent
from storage.inbox import Inbox as StoredInbox


class Inbox:
    """The waiting messages of all members."""

    def __init__(self, stored: StoredInbox) -> None:
        self._stored = stored
        # After every command somebody asks, and hardly anybody has a message.
        self._members = Recent[None, frozenset[int]](lambda _: stored.members())

    async def put(self, member_id: int, title: str, body: str) -> None:
        """Keep a message for a member."""
        try:
            await self._stored.put(member_id, title, body)
        finally:
            self._members.forget()

    async def of_member(self, member_id: int, most: int) -> Sequence[Message]:
        """Give a member's oldest messages."""
        if member_id not in await self._members.get(None):
            return []
        return await self._stored.of_member(member_id, most)

    async def remove(self, message_id: int) -> None:
        """Take a message out, once it was shown."""
        await self._stored.remove(message_id)
