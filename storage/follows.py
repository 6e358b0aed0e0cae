"""Threads whose comments are posted in channels, and what became of each comment there."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from bot.domain.announcing import Follow, FollowedThread, FollowPost, NewFollow, SeenComment
from storage.database import Database, Transaction, queries_beside
from storage.messages import MessageState
from storage.rows import read, read_all, to_row

QUERIES = queries_beside(__file__)

# For so long it is known which message a comment has become.
KEPT = timedelta(days=31)
# Writes what is owed, in the transaction in which a reading is written.
Owe = Callable[[Transaction], Awaitable[None]]
# By a follow's id and a comment's.
FollowPosts = Mapping[int, Mapping[int, FollowPost]]


class Follows(Struct, frozen=True):
    """The followed threads of all servers; one follow for each channel and thread."""

    database: Database

    async def add(self, new: NewFollow, *, now: datetime) -> Follow:
        """Keep a follow, or let one go on, and follow its thread."""
        values = {**to_row(new), "created_at": now}
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["follow_thread"], thread_id=new.thread_id, now=now)
            (row,) = await transaction.fetch(QUERIES["add"], **values)
        return read(Follow, row)

    async def find(self, follow_id: int) -> Follow | None:
        """Return a follow, unless it is gone."""
        return await self.database.read_one(Follow, QUERIES["find"], follow_id=follow_id)

    async def of_guild(self, guild_id: int) -> Sequence[Follow]:
        """Return a server's follows, the oldest first."""
        return await self.database.read(Follow, QUERIES["of_guild"], guild_id=guild_id)

    async def of_thread(self, transaction: Transaction, thread_id: int) -> Sequence[Follow]:
        """Return a thread's follows, paused ones too."""
        return await transaction.read(Follow, QUERIES["of_thread"], thread_id=thread_id)

    async def remove(self, follow: Follow) -> None:
        """Forget a follow, and with a thread's last one all that was seen there."""
        async with self.database.transaction() as transaction:
            await transaction.execute(QUERIES["remove"], follow_id=follow.id)
            await transaction.execute(QUERIES["unfollow_thread"], thread_id=follow.thread_id)

    async def pause(
        self, transaction: Transaction, follow_id: int, *, now: datetime, reason: int
    ) -> Follow | None:
        """Post nothing there from now on; return what was paused, None where that is not new."""
        return await transaction.read_one(
            Follow, QUERIES["pause"], follow_id=follow_id, paused_at=now, pause_reason=reason
        )

    async def followed(self) -> Sequence[FollowedThread]:
        """Return every thread that is polled."""
        return await self.database.read(FollowedThread, QUERIES["followed"])

    async def thread(self, thread_id: int) -> FollowedThread | None:
        """Return a thread, None where nobody follows it any more."""
        return await self.database.read_one(FollowedThread, QUERIES["thread"], thread_id=thread_id)

    async def seen(self, thread_id: int) -> Mapping[int, SeenComment]:
        """Return the comments of a thread that were seen since it is followed."""
        rows = await self.database.fetch(QUERIES["seen"], thread_id=thread_id)
        return {comment.comment_id: comment for comment in read_all(SeenComment, rows)}

    async def comment(self, thread_id: int, comment_id: int) -> SeenComment | None:
        """Return a comment as it was seen last."""
        return await self.database.read_one(
            SeenComment, QUERIES["comment"], thread_id=thread_id, comment_id=comment_id
        )

    async def record(
        self,
        thread: FollowedThread,
        since: datetime,
        changed: Sequence[SeenComment],
        *,
        now: datetime,
        owe: Owe | None = None,
    ) -> bool:
        """Write what a poll has found and what is owed for it, all or nothing.

        What was noted long ago and written up to `since` is forgotten. Returns False, and writes
        nothing, where another has written since `thread` was read.
        """
        rows = [
            {**to_row(each), "thread_id": thread.thread_id, "noted_at": now} for each in changed
        ]
        place = {"thread_id": thread.thread_id, "since": since}
        oldest = now - KEPT
        async with self.database.transaction() as transaction:
            if not await transaction.execute(QUERIES["begin"], **place, version=thread.version):
                return False
            await transaction.execute_many(QUERIES["keep"], rows)
            if owe is not None:
                await owe(transaction)
            await transaction.execute(QUERIES["forget_comments"], **place, oldest=oldest)
            await transaction.execute(
                QUERIES["forget_posts"], thread_id=thread.thread_id, oldest=oldest
            )
        return True

    async def note_read(self, thread_id: int) -> None:
        """Note that a thread could be read."""
        await self.database.execute(QUERIES["note_read"], thread_id=thread_id)

    async def note_failure(self, thread_id: int) -> None:
        """Note that a thread could not be read once more."""
        await self.database.execute(QUERIES["note_failure"], thread_id=thread_id)

    async def posts(self, thread_id: int, comment_ids: Iterable[int]) -> FollowPosts:
        """Return what became of comments in each channel where their thread is followed."""
        found: dict[int, dict[int, FollowPost]] = defaultdict(dict)
        for comment_id in comment_ids:
            rows = await self.database.fetch(
                QUERIES["posts"], thread_id=thread_id, comment_id=comment_id
            )
            for row in rows:
                found[row["follow_id"]][comment_id] = read(FollowPost, row)
        return found

    async def post(self, follow_id: int, comment_id: int) -> FollowPost | None:
        """Return what became of a comment in a channel."""
        return await self.database.read_one(
            FollowPost, QUERIES["post"], follow_id=follow_id, comment_id=comment_id
        )

    async def shown_of(self, guild_id: int, comment_id: int) -> Sequence[tuple[int, int]]:
        """Return the follows that have posted a comment in a server, and the channel of each."""
        rows = await self.database.fetch(
            QUERIES["shown_of"], guild_id=guild_id, comment_id=comment_id
        )
        return [(row["follow_id"], row["channel_id"]) for row in rows]

    async def changed_posts(self, follow_id: int) -> Sequence[tuple[int, int]]:
        """Return the posted comments that have changed since they were seen, and their channels."""
        rows = await self.database.fetch(QUERIES["changed_posts"], follow_id=follow_id)
        return [(row["comment_id"], row["channel_id"]) for row in rows]

    async def add_posts(
        self,
        transaction: Transaction,
        owed: Iterable[tuple[int, SeenComment, str, bool]],
        now: datetime,
    ) -> None:
        """Note which comments are owed: for which follow, by which key, and whether alone there."""
        rows = [
            {
                "follow_id": follow_id,
                "comment_id": comment.comment_id,
                "delivery": delivery,
                "is_alone": int(is_alone),
                "noted_at": now,
            }
            for follow_id, comment, delivery, is_alone in owed
        ]
        await transaction.execute_many(QUERIES["add_post"], rows)

    async def note_answered(
        self, transaction: Transaction, answered: Iterable[tuple[int, int]], now: datetime
    ) -> None:
        """Keep for longer what became of comments, by each follow's id, that are answered now."""
        rows = [
            {"follow_id": follow_id, "comment_id": comment_id, "noted_at": now}
            for follow_id, comment_id in answered
        ]
        await transaction.execute_many(QUERIES["note_answered"], rows)

    async def settle(
        self,
        transaction: Transaction,
        delivery: str,
        state: MessageState,
        *,
        channel_id: int | None,
        message_id: int | None,
    ) -> None:
        """Note what became of a message."""
        await transaction.execute(
            QUERIES["settle"],
            delivery=delivery,
            state=state,
            channel_id=channel_id,
            message_id=message_id,
        )
