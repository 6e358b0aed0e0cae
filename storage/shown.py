"""What each public message of Kiosk's shows of the forum, and what is owed to it since."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import asdict

from storage.database import Database, Row, Transaction, queries_beside
from storage.messages import Messages, NewMessage, Priority
from storage.moderation import Subject, lock
from storage.rows import from_micros, read, to_micros

_SHOWN = queries_beside(__file__, "shown")
_REMOVED = queries_beside(__file__, "removed_messages")
_LOOKS = queries_beside(__file__, "looks")
# The kinds of entries by which messages are gone through.
_REMOVAL, _LOOK = "removal", "look"
_DISCORD_EPOCH = 1_420_070_400_000
# Discord edits what is older slowly.
OLD = timedelta(hours=1)
# In the place of a line.
QUOTED = -1


class ShownComment(Struct, frozen=True):
    """A comment that a message shows, and where.

    One that has no place of its own is a `line` of what stands `below` another, counted from 0, or
    is QUOTED by that other, in the last line of what stands above it.
    """

    comment_id: int
    player_id: int | None = None
    below: int | None = None
    line: int | None = None


class PublicMessage(Struct, frozen=True):
    """A public message, and the comments that it was posted with."""

    guild_id: int
    channel_id: int
    message_id: int
    comments: Sequence[ShownComment]


class MessageFate(StrEnum):
    """What became of a public message that shows what was removed."""

    DELETED = "deleted"
    EDITED = "edited"
    # It was no longer there, or a crash lost it before Discord told its id.
    GONE = "gone"
    LOST = "lost"
    CLOSED = "closed"
    ARCHIVED = "archived"
    FAILED = "failed"
    # The removal was undone before its turn came.
    DROPPED = "dropped"


class RemovedMessage(Struct, frozen=True):
    """A public message that shows what was removed; its id is None where a crash lost it."""

    removal_id: int
    shown_id: int
    channel_id: int
    message_id: int | None
    outcome: MessageFate | None
    locale: str
    is_restored: bool
    guild_id: int


class Unreached(Struct, frozen=True):
    """A public message that could not be taken care of."""

    channel_id: int
    message_id: int | None
    outcome: MessageFate


class WaitingEdits(Struct, frozen=True):
    """How many public messages of a channel wait, and how many of them are OLD."""

    channel_id: int
    messages: int
    old: int


class Progress(Struct, frozen=True):
    """How far a removal has come with the public messages: what is done, and what waits."""

    outcomes: Mapping[MessageFate, int]
    waiting: Sequence[WaitingEdits]
    left: int

    @property
    def done(self) -> int:
        """How many messages show it no longer."""
        return self.outcomes.get(MessageFate.DELETED, 0) + self.outcomes.get(MessageFate.EDITED, 0)

    @property
    def total(self) -> int:
        """How many messages there are or were."""
        return self.left + sum(self.outcomes.values())


_GONE = (MessageFate.DELETED, MessageFate.GONE)


class ShownMessages(Struct, frozen=True):
    """The public messages of all servers that show comments; `now` tells the time, aware."""

    database: Database
    removed: "RemovedMessages"
    now: Callable[[], datetime]

    async def expect(
        self, guild_id: int, channel_id: int, comments: Sequence[ShownComment]
    ) -> int | None:
        """Record a message that is about to be sent; return the id of the record.

        None where the server hides one of the comments by now: nothing is recorded, and it must
        not be sent.
        """
        now = self.now()
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            if await _is_any_hidden(transaction, guild_id, comments, now):
                return None
            (row,) = await transaction.fetch(
                _SHOWN["expect"], guild_id=guild_id, channel_id=channel_id, created_at=now
            )
            shown_id = int(row["id"])
            # The game may repeat an id.
            each_once = {comment.comment_id: comment for comment in comments}
            rows = [
                {"shown_id": shown_id, **asdict(comment)}
                for _, comment in sorted(each_once.items())
            ]
            await transaction.execute_many(_SHOWN["add_comment"], rows)
        return shown_id

    async def complete(
        self, guild_id: int, shown_id: int, message_id: int, channel_id: int | None = None
    ) -> None:
        """Note which message a record has become, and the channel where that is another.

        It is owed where it was removed meanwhile.
        """
        place = {"message_id": message_id, "channel_id": channel_id}
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            await transaction.execute(_SHOWN["complete"], shown_id=shown_id, **place)
            await self.removed.complete(transaction, shown_id, message_id, channel_id)

    async def forget(self, message_id: int) -> None:
        """Forget a message that is no more."""
        await self.database.execute(_SHOWN["forget"], message_id=message_id)

    async def shown_in(self, message_id: int) -> Sequence[int]:
        """Return the comments that a message shows, but for what it only quotes."""
        rows = await self.database.fetch(_SHOWN["shown_in"], message_id=message_id)
        return [row["comment_id"] for row in rows]

    async def has_shown(self, guild_id: int, comment_id: int) -> bool:
        """Return whether a message shows a comment in a server."""
        row = await self.database.fetch_one(
            _SHOWN["has_shown"], guild_id=guild_id, comment_id=comment_id
        )
        return row is not None


async def _is_any_hidden(
    transaction: Transaction, guild_id: int, comments: Iterable[ShownComment], now: datetime
) -> bool:
    """Return whether a server hides any of these comments."""
    for comment in comments:
        row = await transaction.fetch_one(
            _SHOWN["is_hidden"],
            guild_id=guild_id,
            comment_id=comment.comment_id,
            player_id=comment.player_id,
            now=now,
        )
        if row is not None:
            return True
    return False


class RemovedMessages(Struct, frozen=True):
    """The public messages of all removals; `now` tells the time, aware."""

    database: Database
    outbox: Messages
    now: Callable[[], datetime]

    async def gather(
        self, transaction: Transaction, removal_id: int, guild_id: int, subject: Subject
    ) -> None:
        """Owe every public message of a server that shows a subject, the newest first.

        The server is locked (see storage.moderation).
        """
        await transaction.execute(
            _REMOVED["gather"],
            removal_id=removal_id,
            guild_id=guild_id,
            comment_id=subject.comment_id,
            player_id=subject.player_id if subject.comment_id is None else None,
        )
        rows = await transaction.fetch(_REMOVED["newest_first"], removal_id=removal_id)
        await self._owe(transaction, rows)

    async def complete(
        self, transaction: Transaction, shown_id: int, message_id: int, channel_id: int | None
    ) -> None:
        """Owe a message whose id has only now become known, where something of it was removed."""
        rows = await transaction.fetch(
            _REMOVED["complete"], shown_id=shown_id, message_id=message_id, channel_id=channel_id
        )
        await self._owe(transaction, rows)

    async def find(self, removal_id: int, shown_id: int) -> RemovedMessage | None:
        """Return how it stands with a message."""
        return await self.database.read_one(
            RemovedMessage, _REMOVED["find"], removal_id=removal_id, shown_id=shown_id
        )

    async def contents(self, shown_id: int) -> Mapping[ShownComment, bool]:
        """Return the comments that a message shows, and whether each is hidden by now."""
        rows = await self.database.fetch(_REMOVED["contents"], shown_id=shown_id, now=self.now())
        return {
            ShownComment(row["comment_id"], None, row["below"], row["line"]): bool(row["is_hidden"])
            for row in rows
        }

    async def note(self, removal_id: int, shown_id: int, outcome: MessageFate) -> None:
        """Note what has become of a message."""
        async with self.database.transaction() as transaction:
            await self.note_in(transaction, removal_id, shown_id, outcome)

    async def note_in(
        self, transaction: Transaction, removal_id: int, shown_id: int, outcome: MessageFate
    ) -> None:
        """Note it in a transaction; of a message that is no more, nothing is kept."""
        await transaction.execute(
            _REMOVED["note"], removal_id=removal_id, shown_id=shown_id, outcome=outcome
        )
        if outcome in _GONE:
            await transaction.execute(_REMOVED["forget_comments"], shown_id=shown_id)
            await transaction.execute(_REMOVED["forget_message"], shown_id=shown_id)

    async def drop(self, transaction: Transaction, removal_id: int) -> None:
        """Leave the messages that wait as they are."""
        await transaction.execute(
            _REMOVED["drop"], removal_id=removal_id, outcome=MessageFate.DROPPED
        )

    async def progress(self, removal_id: int) -> Progress:
        """Return how far a removal has come."""
        counts = await self.database.fetch(_REMOVED["outcomes"], removal_id=removal_id)
        waiting = await self.database.fetch(
            _REMOVED["waiting"], removal_id=removal_id, old=first_id_at(self.now() - OLD)
        )
        return Progress(
            {MessageFate(row["outcome"]): row["messages"] for row in counts if row["outcome"]},
            [WaitingEdits(row["channel_id"], row["messages"], row["old"] or 0) for row in waiting],
            sum(row["messages"] for row in counts if not row["outcome"]),
        )

    async def unreached(self, removal_id: int, most: int) -> Sequence[Unreached]:
        """Return messages that could not be taken care of, the newest first."""
        query = _REMOVED["unreached"]
        return await self.database.read(Unreached, query, removal_id=removal_id, most=most)

    async def posted_at(self, shown_id: int) -> datetime | None:
        """Return when a message was about to be posted, None where nothing is kept of it."""
        row = await self.database.fetch_one(_REMOVED["posted_at"], shown_id=shown_id)
        return None if row is None else from_micros(row["created_at"])

    async def known_ids(self, channel_id: int, first: int, last: int) -> frozenset[int]:
        """Return the ids that are known of a channel's messages, from one to another."""
        rows = await self.database.fetch(
            _REMOVED["known_ids"], channel_id=channel_id, first=first, last=last
        )
        return frozenset(row["message_id"] for row in rows)

    async def _owe(self, transaction: Transaction, rows: Sequence[Row]) -> None:
        owed = [
            NewMessage(
                _REMOVAL,
                f"{_REMOVAL} {row['removal_id']} {row['shown_id']} {row['message_id'] or 0}",
                Priority.REMOVAL,
                channel_id=row["channel_id"],
                payload={"removal": row["removal_id"], "shown": row["shown_id"]},
            )
            for row in rows
        ]
        await self.outbox.want(transaction, *owed)


def first_id_at(moment: datetime) -> int:
    """Return the first id that Discord gives at a moment."""
    return max(to_micros(moment) // 1000 - _DISCORD_EPOCH, 0) << 22


class Looks(Struct, frozen=True):
    """The looks that are owed; `now` tells the time, aware."""

    database: Database
    outbox: Messages
    now: Callable[[], datetime]

    async def owe(self, guild_id: int, locale: str) -> int:
        """Owe a look at every public message of a server, the newest first; return at how many.

        `locale` is the server's language. What is asked for twice in a minute is owed once.
        """
        rows = await self.database.fetch(_LOOKS["of_server"], guild_id=guild_id)
        minute = f"{self.now():%Y-%m-%dT%H:%M}"
        owed = [
            NewMessage(
                _LOOK,
                f"{_LOOK} {row['id']} {minute}",
                # Reads that nobody waits for.
                Priority.DIRECT_MESSAGE,
                channel_id=row["channel_id"],
                payload={"shown": row["id"], "locale": locale},
            )
            for row in rows
        ]
        async with self.database.transaction() as transaction:
            await self.outbox.want(transaction, *owed)
        return len(owed)

    async def find(self, shown_id: int) -> PublicMessage | None:
        """Return a message that is looked at, None where it is gone."""
        rows = await self.database.fetch(_LOOKS["find"], shown_id=shown_id)
        if not rows:
            return None
        comments = [read(ShownComment, row) for row in rows]
        return read(PublicMessage, rows[0], comments=comments)
