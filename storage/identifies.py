"""When each shard has told Discord who it is, in whichever process: Discord counts these."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)


@dataclass(frozen=True)
class Recent:
    """How often a shard identified of late, and when it, and any shard at all, last did."""

    number: int
    last: datetime | None
    last_of_any: datetime | None


class Identifies:
    """The identifies of the last day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, shard_id: int, now: datetime) -> None:
        """Note one."""
        await self._database.execute(QUERIES["add"], shard_id=shard_id, identified_at=now)

    async def recent(self, shard_id: int, since: datetime) -> Recent:
        """Return what is known of a shard since a moment."""
        (recent,) = await self._database.read(
            Recent, QUERIES["recent"], shard_id=shard_id, since=since
        )
        return recent
