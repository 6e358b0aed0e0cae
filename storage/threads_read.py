"""The threads that members read: where each was last, and what they saw there."""

import datetime as dt
from collections import abc

from msgspec import Struct

from storage import rows
from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)

# A member who comes back to a thread after this time starts a new visit.
_A_LOOK = dt.timedelta(hours=1)
# How long until a visit is noted again, if nothing newer comes.
_NOTED_FOR = dt.timedelta(minutes=5)


class Visit(Struct, frozen=True):
    """The newest comment of a thread that a member saw when they read it, and when that was."""

    thread_id: int
    comment_id: int
    at: dt.datetime


class ThreadsRead(Struct, frozen=True):
    """The threads that each member has read, and the newest comment that they saw there."""

    database: Database
    now: abc.Callable[[], dt.datetime]

    async def visit(
        self, member_id: int, thread_id: int, newest_id: int, *, begins: bool
    ) -> Visit | None:
        """Note that a member reads a thread up to this comment. Return their last visit before.

        None if they never read it before. Turning pages continues the visit that has begun:
        - 10:00 opens the thread, the newest comment is 5: None.
        - 18:00 opens it, newest 9: (5, 10:00), so the comments 6 to 9 are new to them.
        - 18:02 turns the page (not `begins`), newest 10: still (5, 10:00).
        - 18:05 opens it, newest 12: (10, 18:02).
        """
        now = self.now()
        seen = {"member_id": member_id, "thread_id": thread_id, "newest_id": newest_id}
        row = None
        if not begins:
            row = await self.database.fetch_one(
                QUERIES["still_looking"], noted_since=now - _NOTED_FOR, **seen
            )
        if row is None:
            row = await self.database.change_one(
                QUERIES["visit"], begins=int(begins), gone_since=now - _A_LOOK, now=now, **seen
            )
        if row is None or row["comment_id"] is None:
            return None
        return rows.read(Visit, row)

    async def of_member(self, member_id: int) -> abc.Sequence[Visit]:
        """Return the threads that a member has read, the last one first."""
        return await self.database.read(Visit, QUERIES["read_by"], member_id=member_id)
