"""How much is under way, for whoever looks after Kiosk: numbers and ages alone."""

from datetime import datetime, timedelta

from bot.domain.operating import MOST_COUNTED, Numbers, Waiting
from storage.database import Database, queries_beside
from storage.outbox import Outbox

QUERIES = queries_beside(__file__)

_DAY = timedelta(days=1)


class Figures:
    """Counts what is under way in the database."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox

    async def count(self, now: datetime) -> Numbers:
        """Count. Raises DatabaseError."""
        rows = await self._database.fetch(QUERIES["orders"], since=now - _DAY, most=MOST_COUNTED)
        return Numbers(
            orders={row["state"]: row["count"] for row in rows},
            open_orders=await self._waiting("open_orders"),
            texts=await self._waiting("texts"),
            outbox=await self._outbox.waiting(),
        )

    async def answers(self) -> bool:
        """Return whether the database answers. Raises DatabaseError."""
        return await self._database.fetch_one("SELECT 1 AS one") is not None

    async def _waiting(self, name: str) -> Waiting:
        (waiting,) = await self._database.read(Waiting, QUERIES[name], most=MOST_COUNTED)
        return waiting
