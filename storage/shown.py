"""What each public message of Kiosk's shows of the forum, so that it can be found again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from storage.database import Database, load_queries
from storage.times import to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "shown.sql")


@dataclass(frozen=True)
class ShownMessage:
    """A public message; its id is None where a crash came before Discord told it."""

    channel_id: int
    message_id: int | None


class ShownMessages:
    """The public messages of all servers that show comments."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def expect(self, guild_id: int, channel_id: int, comment_ids: Iterable[int]) -> int:
        """Record a message that is about to be sent; return the id of the record."""
        async with self._database.transaction() as transaction:
            row = await transaction.fetch_one(
                QUERIES["expect"],
                guild_id=guild_id,
                channel_id=channel_id,
                created_at=to_micros(datetime.now(UTC)),
            )
            assert row is not None  # noqa: S101 - RETURNING gives the row that was inserted
            shown_id = int(row["id"])
            rows = [{"shown_id": shown_id, "comment_id": each} for each in sorted(set(comment_ids))]
            await transaction.execute_many(QUERIES["add_comment"], rows)
        return shown_id

    async def complete(self, shown_id: int, message_id: int) -> None:
        """Note which message a record has become."""
        await self._database.execute(QUERIES["complete"], shown_id=shown_id, message_id=message_id)

    async def forget(self, message_id: int) -> None:
        """Forget a message that is no more."""
        await self._database.execute(QUERIES["forget"], message_id=message_id)

    async def showing(self, guild_id: int, comment_id: int) -> Sequence[ShownMessage]:
        """Return a server's messages that show a comment, the newest first."""
        rows = await self._database.fetch(
            QUERIES["showing"], guild_id=guild_id, comment_id=comment_id
        )
        return [ShownMessage(row["channel_id"], row["message_id"]) for row in rows]
