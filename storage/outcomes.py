"""What became of texts, until their writers have been told; `Drafts.settle` notes it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from bot.domain.drafts import Outcome
from storage.database import Database, load_queries
from storage.rows import read_all
from storage.times import to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "outcomes.sql")


class Outcomes:
    """The outcomes that members were not told."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_member(self, member_id: int, *, oldest: datetime) -> Sequence[Outcome]:
        """Return what a member's texts came to, the oldest first."""
        rows = await self._database.fetch(
            QUERIES["of_member"], member_id=member_id, oldest=to_micros(oldest)
        )
        return read_all(Outcome, rows)

    async def remove(self, draft_id: int) -> None:
        """Forget the outcome of a draft, once the member was told."""
        await self._database.execute(QUERIES["remove"], draft_id=draft_id)
