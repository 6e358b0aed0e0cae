"""The public messages that show what was removed: what is owed for each, and what became of it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from bot.domain.moderation import Subject
from bot.domain.outbox import Owed, Priority
from bot.domain.shown import (
    MessageFate,
    Progress,
    RemovedMessage,
    ShownComment,
    Unreached,
    WaitingEdits,
)
from storage.database import Database, Row, Transaction, queries_beside
from storage.outbox import Outbox
from storage.times import from_micros, to_micros

QUERIES = queries_beside(__file__)

KIND = "removal"
# Discord edits what is older slowly.
OLD = timedelta(hours=1)
_GONE = (MessageFate.DELETED, MessageFate.GONE, MessageFate.LOST)
_DISCORD_EPOCH = 1_420_070_400_000


class RemovedMessages:
    """The public messages of all removals; `now` tells the time, aware."""

    def __init__(self, database: Database, outbox: Outbox, now: Callable[[], datetime]) -> None:
        self._database = database
        self._outbox = outbox
        self._now = now

    async def gather(
        self, transaction: Transaction, removal_id: int, guild_id: int, subject: Subject
    ) -> None:
        """Owe every public message of a server that shows a subject, the newest first.

        The server is locked (see storage.moderation).
        """
        if subject.comment_id is None:
            values = {"player_id": subject.player_id}
            await transaction.execute(QUERIES["learn_player"], **values)
            await transaction.execute(
                QUERIES["gather_player"], removal_id=removal_id, guild_id=guild_id, **values
            )
        else:
            await transaction.execute(
                QUERIES["gather_comment"],
                removal_id=removal_id,
                guild_id=guild_id,
                comment_id=subject.comment_id,
            )
        rows = await transaction.fetch(QUERIES["newest_first"], removal_id=removal_id)
        await self._owe(transaction, rows)

    async def complete(
        self, transaction: Transaction, shown_id: int, message_id: int, channel_id: int | None
    ) -> None:
        """Owe a message whose id has only now become known, where something of it was removed."""
        rows = await transaction.fetch(
            QUERIES["complete"], shown_id=shown_id, message_id=message_id, channel_id=channel_id
        )
        await self._owe(transaction, rows)

    async def find(self, removal_id: int, shown_id: int) -> RemovedMessage | None:
        """Return how it stands with a message."""
        return await self._database.read_one(
            RemovedMessage, QUERIES["find"], removal_id=removal_id, shown_id=shown_id
        )

    async def contents(self, shown_id: int) -> Mapping[ShownComment, bool]:
        """Return the comments that a message shows, and whether each is hidden by now."""
        rows = await self._database.fetch(QUERIES["contents"], shown_id=shown_id, now=self._now())
        return {
            ShownComment(row["comment_id"], None, row["below"], row["line"]): bool(row["is_hidden"])
            for row in rows
        }

    async def note(self, removal_id: int, shown_id: int, outcome: MessageFate) -> None:
        """Note what has become of a message."""
        async with self._database.transaction() as transaction:
            await self.note_in(transaction, removal_id, shown_id, outcome)

    async def note_in(
        self, transaction: Transaction, removal_id: int, shown_id: int, outcome: MessageFate
    ) -> None:
        """Note it in a transaction; of a message that is no more, nothing is kept."""
        await transaction.execute(
            QUERIES["note"], removal_id=removal_id, shown_id=shown_id, outcome=outcome
        )
        if outcome in _GONE and outcome is not MessageFate.LOST:
            await transaction.execute(QUERIES["forget_comments"], shown_id=shown_id)
            await transaction.execute(QUERIES["forget_message"], shown_id=shown_id)

    async def drop(self, transaction: Transaction, removal_id: int) -> None:
        """Leave the messages that wait as they are."""
        await transaction.execute(
            QUERIES["drop"], removal_id=removal_id, outcome=MessageFate.DROPPED
        )

    async def progress(self, removal_id: int) -> Progress:
        """Return how far a removal has come."""
        counts = await self._database.fetch(QUERIES["outcomes"], removal_id=removal_id)
        waiting = await self._database.fetch(
            QUERIES["waiting"], removal_id=removal_id, old=first_id_at(self._now() - OLD)
        )
        return Progress(
            {MessageFate(row["outcome"]): row["messages"] for row in counts if row["outcome"]},
            [WaitingEdits(row["channel_id"], row["messages"], row["old"] or 0) for row in waiting],
            sum(row["messages"] for row in counts if not row["outcome"]),
        )

    async def unreached(self, removal_id: int, most: int) -> Sequence[Unreached]:
        """Return messages that could not be taken care of, the newest first."""
        query = QUERIES["unreached"]
        return await self._database.read(Unreached, query, removal_id=removal_id, most=most)

    async def posted_at(self, shown_id: int) -> datetime | None:
        """Return when a message was about to be posted, None where nothing is kept of it."""
        row = await self._database.fetch_one(QUERIES["posted_at"], shown_id=shown_id)
        return None if row is None else from_micros(row["created_at"])

    async def known_ids(self, channel_id: int, first: int, last: int) -> frozenset[int]:
        """Return the ids that are known of a channel's messages, from one to another."""
        rows = await self._database.fetch(
            QUERIES["known_ids"], channel_id=channel_id, first=first, last=last
        )
        return frozenset(row["message_id"] for row in rows)

    async def _owe(self, transaction: Transaction, rows: Sequence[Row]) -> None:
        owed = [
            Owed(
                KIND,
                f"{KIND} {row['removal_id']} {row['shown_id']} {row['message_id'] or 0}",
                Priority.REMOVAL,
                channel_id=row["channel_id"],
                payload={"removal": row["removal_id"], "shown": row["shown_id"]},
            )
            for row in rows
        ]
        await self._outbox.owe(transaction, *owed)


def first_id_at(moment: datetime) -> int:
    """Return the first id that Discord gives at a moment."""
    return max(to_micros(moment) // 1000 - _DISCORD_EPOCH, 0) << 22
