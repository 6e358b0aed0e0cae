"""What members wrote through Kiosk, since the game lists nobody's own comments.

Of each comment's text the start is kept, sealed for its writer; `Drafts.settle` notes it.
"""

from collections.abc import Sequence, Set

from bot.domain.drafts import Authored
from storage.database import Database, Row, queries_beside
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)


class AuthoredComments:
    """The comments of all members, as far as Kiosk wrote them."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    async def latest(self, member_id: int, limit: int) -> Sequence[Authored]:
        """Return the comments a member wrote last, the newest first."""
        rows = await self._database.fetch(QUERIES["latest"], member_id=member_id, limit=limit)
        return [self._read(row) for row in rows]

    async def find(self, comment_id: int) -> Authored | None:
        """Return what is known of a comment, whoever wrote it."""
        row = await self._database.fetch_one(QUERIES["find"], comment_id=comment_id)
        return self._read(row) if row else None

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
        async with self._database.transaction() as transaction:
            for row in await transaction.fetch(QUERIES["writers"], comment_id=comment_id):
                await transaction.execute(
                    QUERIES["reword"],
                    comment_id=comment_id,
                    member_id=row["member_id"],
                    sealed_excerpt=seal_excerpt(self._vault, excerpt, comment_id, row["member_id"]),
                )

    async def remove(self, comment_id: int) -> None:
        """Forget a comment that is no more."""
        await self._database.execute(QUERIES["remove"], comment_id=comment_id)

    def _read(self, row: Row) -> Authored:
        return read(Authored, row, excerpt=self._excerpt(row))

    def _excerpt(self, row: Row) -> str:
        # An earlier version leaves it unsealed.
        if row["excerpt"] or row["sealed_excerpt"] is None:
            return row["excerpt"]
        owner, purpose = row["member_id"], _purpose(row["comment_id"])
        return self._vault.try_open(row["sealed_excerpt"], owner=owner, purpose=purpose) or ""


def seal_excerpt(vault: Vault, excerpt: str, comment_id: int, member_id: int) -> bytes:
    """Seal the start of a comment's text for its row."""
    return vault.seal(excerpt, owner=member_id, purpose=_purpose(comment_id))


def _purpose(comment_id: int) -> str:
    return f"excerpt {comment_id}"
