"""Which threads each member has read, and the newest comment that they saw there."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)


class ThreadsRead(Struct, frozen=True):
    database: Database
    now: Callable[[], datetime]

    async def save(self, member_id: int, thread_id: int, newest_id: int) -> None:
        """Note that a member begins to read a thread, up to this comment or one seen before."""
        seen = {"member_id": member_id, "thread_id": thread_id, "newest_id": newest_id}
        await self.database.execute(QUERIES["save"], **seen, read_at=self.now())

    async def of_member(self, member_id: int) -> Sequence[int]:
        """Return the threads that a member has read, the last one first."""
        rows = await self.database.fetch(QUERIES["of_member"], member_id=member_id)
        return [row["thread_id"] for row in rows]
