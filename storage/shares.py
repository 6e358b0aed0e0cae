"""Presses of "Share", which count once each."""

from datetime import datetime, timedelta

from msgspec import Struct

from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)
# Whoever began to share before is gone.
_LONGEST_SENDING = timedelta(minutes=1)


class Shares(Struct, frozen=True):
    """What was shared with which press; a press is named by its card and its button."""

    database: Database

    async def begin(self, pressed: str, *, now: datetime) -> bool:
        """Record a press; return False where one of its name was, or is being, shared."""
        row = await self.database.change_one(
            QUERIES["begin"], pressed=pressed, created_at=now, stale=now - _LONGEST_SENDING
        )
        return row is not None

    async def complete(self, pressed: str, message_id: int) -> None:
        """Note which message a press has become."""
        await self.database.execute(QUERIES["complete"], pressed=pressed, message_id=message_id)

    async def forget(self, pressed: str) -> None:
        """Forget a press that came to nothing."""
        await self.database.execute(QUERIES["forget"], pressed=pressed)

    async def forget_message(self, message_id: int) -> None:
        """Forget the press that a message came from, so that it can be shared again."""
        await self.database.execute(QUERIES["forget_message"], message_id=message_id)
