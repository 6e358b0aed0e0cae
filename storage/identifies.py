"""When each shard has told Discord who it is, in whichever process: Discord counts these."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from storage.database import Database, load_queries
from storage.times import from_micros, to_micros

QUERIES = load_queries(Path(__file__).parent / "sql" / "identifies.sql")


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
        await self._database.execute(
            QUERIES["add"], shard_id=shard_id, identified_at=to_micros(now)
        )

    async def recent(self, shard_id: int, since: datetime) -> Recent:
        """Return what is known of a shard since a moment."""
        row = await self._database.fetch_one(
            QUERIES["recent"], shard_id=shard_id, since=to_micros(since)
        )
        assert row is not None  # noqa: S101 - a count is always answered
        return Recent(row["number"], _moment(row["last"]), _moment(row["last_of_any"]))


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
