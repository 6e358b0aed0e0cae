"""What members wrote through Kiosk, since the game lists nobody's own comments."""

from collections.abc import Sequence, Set
from pathlib import Path

from bot.domain.drafts import Authored
from storage.database import Database, Row, load_queries
from storage.times import from_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "authored.sql")


class AuthoredComments:
    """The comments of all members, as far as Kiosk wrote them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def latest(self, member_id: int, limit: int) -> Sequence[Authored]:
        """Return the comments a member wrote last, the newest first."""
        rows = await self._database.fetch(QUERIES["latest"], member_id=member_id, limit=limit)
        return [_read(row) for row in rows]

    async def find(self, comment_id: int) -> Authored | None:
        """Return what is known of a comment, whoever wrote it."""
        row = await self._database.fetch_one(QUERIES["find"], comment_id=comment_id)
        return _read(row) if row else None

    async def known_among(self, comment_ids: Sequence[int]) -> Set[int]:
        """Return those of the comments that Kiosk wrote, for whomever."""
        if not comment_ids:
            return set()
        rows = await self._database.fetch(
            QUERIES["known_between"], first=min(comment_ids), last=max(comment_ids)
        )
        return {row["comment_id"] for row in rows}.intersection(comment_ids)

    async def reword(self, comment_id: int, excerpt: str) -> None:
        """Note that a comment's text has changed."""
        await self._database.execute(QUERIES["reword"], comment_id=comment_id, excerpt=excerpt)

    async def remove(self, comment_id: int) -> None:
        """Forget a comment that is no more."""
        await self._database.execute(QUERIES["remove"], comment_id=comment_id)


def _read(row: Row) -> Authored:
    return Authored(
        row["member_id"],
        row["comment_id"],
        row["thread_id"],
        row["excerpt"],
        from_micros(row["created_at"]),
    )
