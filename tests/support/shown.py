"""The records of public messages: made as the wiring makes them, and looked into."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from storage import MIGRATIONS
from storage.database import Database, open_existing_database
from storage.messages import Messages
from storage.shown import ShownComment, ShownMessages
from tests.support.clock import ManualClock


def shown_in(database: Database, clock: Callable[[], datetime] | None = None) -> ShownMessages:
    """Give the public messages that a database knows."""
    now = clock or ManualClock()
    return ShownMessages(database, Messages(database, now), now)


async def claim(
    shown: ShownMessages, guild_id: int, channel_id: int, comments: Iterable[ShownComment]
) -> int | None:
    """Record what someone is about to post. Return its row, None if it must not be."""
    shown_id = await shown.outbox.begin_posting(str(uuid4()), guild_id, channel_id)
    assert shown_id is not None
    return shown_id if await shown.record(shown_id, guild_id, channel_id, comments) else None


@dataclass(frozen=True)
class ShownMessage:
    """A public message. Its id is None if a crash came before Discord told it."""

    channel_id: int
    message_id: int | None


async def showing(database: Database, guild_id: int, comment_id: int) -> list[ShownMessage]:
    """Return a server's messages that show a comment, the newest first."""
    rows = await database.fetch(
        "SELECT channel_id, message_id FROM messages JOIN message_comments"
        " ON message_comments.shown_id = messages.id"
        " WHERE guild_id = :guild_id AND comment_id = :comment_id ORDER BY id DESC",
        guild_id=guild_id,
        comment_id=comment_id,
    )
    return [ShownMessage(row["channel_id"], row["message_id"]) for row in rows]


async def showing_at(url: str, guild_id: int, comment_id: int) -> list[ShownMessage]:
    """Return the same from a bot's database, by its address."""
    async with open_existing_database(url, MIGRATIONS) as database:
        return await showing(database, guild_id, comment_id)
