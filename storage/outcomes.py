"""What became of texts, until their writers have been told; `Drafts.settle` notes it."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.drafts import Outcome
from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)


class Outcomes:
    """The outcomes that members were not told."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_member(self, member_id: int, *, oldest: datetime) -> Sequence[Outcome]:
        """Return what a member's texts came to, the oldest first."""
        return await self._database.read(
            Outcome, QUERIES["of_member"], member_id=member_id, oldest=oldest
        )

    async def remove(self, draft_id: int) -> None:
        """Forget the outcome of a draft, once the member was told."""
        await self._database.execute(QUERIES["remove"], draft_id=draft_id)
