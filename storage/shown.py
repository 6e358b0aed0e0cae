"""What each public message of Kiosk's shows of the forum, so that it can be found again."""

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.domain.shown import ShownComment
from storage.database import Database, queries_beside
from storage.moderation import is_any_hidden, lock
from storage.removed_messages import RemovedMessages

QUERIES = queries_beside(__file__)


class ShownMessages:
    """The public messages of all servers that show comments; `now` tells the time, aware."""

    def __init__(
        self, database: Database, removed: RemovedMessages, now: Callable[[], datetime]
    ) -> None:
        self._database = database
        self._removed = removed
        self._now = now

    async def expect(
        self, guild_id: int, channel_id: int, comments: Sequence[ShownComment]
    ) -> int | None:
        """Record a message that is about to be sent; return the id of the record.

        None where the server hides one of the comments by now: nothing is recorded, and it must
        not be sent.
        """
        now = self._now()
        async with self._database.transaction() as transaction:
            await lock(transaction, guild_id)
            if await is_any_hidden(transaction, guild_id, comments, now):
                return None
            (row,) = await transaction.fetch(
                QUERIES["expect"], guild_id=guild_id, channel_id=channel_id, created_at=now
            )
            shown_id = int(row["id"])
            # The game may repeat an id.
            each_once = {comment.comment_id: comment for comment in comments}
            rows = [
                {"shown_id": shown_id, **vars(comment)} for _, comment in sorted(each_once.items())
            ]
            await transaction.execute_many(QUERIES["add_comment"], rows)
        return shown_id

    async def complete(
        self, guild_id: int, shown_id: int, message_id: int, channel_id: int | None = None
    ) -> None:
        """Note which message a record has become, and the channel where that is another.

        It is owed where it was removed meanwhile.
        """
        place = {"message_id": message_id, "channel_id": channel_id}
        async with self._database.transaction() as transaction:
            await lock(transaction, guild_id)
            await transaction.execute(QUERIES["complete"], shown_id=shown_id, **place)
            await self._removed.complete(transaction, shown_id, message_id, channel_id)

    async def forget(self, message_id: int) -> None:
        """Forget a message that is no more."""
        await self._database.execute(QUERIES["forget"], message_id=message_id)

    async def shown_in(self, message_id: int) -> Sequence[int]:
        """Return the comments that a message shows."""
        rows = await self._database.fetch(QUERIES["shown_in"], message_id=message_id)
        return [row["comment_id"] for row in rows]
