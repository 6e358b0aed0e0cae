"""The comments that each public message shows, and the messages that are deleted for a removal."""

import datetime as dt
from collections import abc
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import asdict

from storage import messages, moderation
from storage.database import Database, queries_beside
from storage.database.interface import Source

QUERIES = queries_beside(__file__)
# The kind of messages that an interaction posts.
SHARED = "shared"


class ShownComment(Struct, frozen=True):
    """A comment that a message shows, or only quotes."""

    comment_id: int
    player_id: int | None = None
    thread_id: int | None = None
    is_quoted: bool = False


class ShowingMessage(Struct, frozen=True):
    """A public message that shows a comment. `thread_id` is None if 1.0.0 posted it."""

    channel_id: int
    message_id: int
    thread_id: int | None


class Unreached(Struct, frozen=True):
    """A public message that was not deleted. `reason` begins with Discord's code.

    `message_id` is None if a crash lost it.
    """

    channel_id: int
    message_id: int | None
    reason: str


class Progress(Struct, frozen=True):
    """How many of a removal's public messages are in each state."""

    done: int
    left: int
    refused: int
    total: int


class _Hidden(Exception):
    """The server now hides one of the comments."""


class ShownMessages(Struct, frozen=True):
    database: Database
    outbox: messages.Messages
    now: abc.Callable[[], dt.datetime]

    async def record(
        self, shown_id: int, guild_id: int, channel_id: int, comments: abc.Iterable[ShownComment]
    ) -> bool:
        """Record what is about to be sent. Return False if the server hides some of it."""
        rows = [{"shown_id": shown_id, **asdict(comment)} for comment in comments]
        hidden = {"shown_id": shown_id, "guild_id": guild_id, "now": self.now()}
        with suppress(_Hidden):
            async with self.database.transaction() as transaction:
                await moderation.lock(transaction, guild_id)
                await transaction.execute(QUERIES["forget_comments"], shown_id=shown_id)
                await transaction.execute_many(QUERIES["add_comment"], rows)
                if await transaction.fetch(QUERIES["is_hidden"], **hidden):
                    raise _Hidden
                await self.outbox.place(transaction, shown_id, channel_id)
                return True
        return False

    async def record_told(self, message_id: int, comments: abc.Iterable[ShownComment]) -> None:
        """Record a message's comments before a member gets it. Hiding one later changes it."""
        rows = [{"shown_id": message_id, **asdict(comment)} for comment in comments]
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["forget_comments"], shown_id=message_id)
            await transaction.execute_many(QUERIES["add_comment"], rows)

    async def complete(self, shown_id: int, message_id: int, guild_id: int | None) -> None:
        """Note a message's number. If something in it was removed since, it is deleted."""
        async with self.database.transaction() as transaction:
            if guild_id is not None:
                await moderation.lock(transaction, guild_id)
            await self.outbox.complete(transaction, shown_id, message_id)

    async def shown_in(self, message_id: int) -> abc.Sequence[ShownComment]:
        return await self.database.read(ShownComment, QUERIES["shown_in"], message_id=message_id)

    async def showing(
        self, guild_id: int, subject: moderation.Subject
    ) -> abc.Sequence[ShowingMessage]:
        """Return the messages that show or quote a comment, or a player's, the newest first."""
        sql = QUERIES["showing"]
        return await self.database.read(ShowingMessage, sql, guild_id=guild_id, **subject.ids)

    async def comments_of(self, guild_id: int, player_id: int) -> abc.Sequence[int]:
        """Return the comments of a player that messages in a server show or quote."""
        query = QUERIES["comments_of"]
        rows = await self.database.fetch(query, guild_id=guild_id, player_id=player_id)
        return [row["comment_id"] for row in rows]

    async def progress(self, removal_id: int, source: Source | None = None) -> Progress:
        rows = await (source or self.database).fetch(QUERIES["states"], removal_id=removal_id)
        counts = {row["state"]: row["messages"] for row in rows}
        return Progress(
            counts.get(messages.MessageState.SENT, 0)
            + counts.get(messages.MessageState.DROPPED, 0),
            counts.get(messages.MessageState.OWED, 0),
            counts.get(messages.MessageState.REFUSED, 0),
            sum(counts.values()),
        )

    async def unreached(self, removal_id: int, most: int) -> abc.Sequence[Unreached]:
        query = QUERIES["unreached"]
        return await self.database.read(Unreached, query, removal_id=removal_id, most=most)
