"""Compare this machine's clock with the database's, by which claims and leases are held."""

import datetime as dt
from collections import abc

from storage.database import Database, queries_beside
from storage.rows import from_micros

QUERIES = queries_beside(__file__)

# If two clocks are further apart, they disagree about what is due and what Discord signed.
_MAX_APART = dt.timedelta(seconds=20)
_TOGETHER = dt.timedelta()


async def find_wrong_clock(database: Database, now: abc.Callable[[], dt.datetime]) -> str:
    """Say how far `now` is off the database's clock, "" if they agree. Raises DatabaseError."""
    before = now()
    (row,) = await database.fetch(database.spelled(QUERIES)["find"])
    after = now()
    there = from_micros(row["now"])
    # The database looked at its clock in between.
    ahead = max(before - there, _TOGETHER) + min(after - there, _TOGETHER)
    if abs(ahead) <= _MAX_APART:
        return ""
    side = "ahead of" if ahead > _TOGETHER else "behind"
    return f"this machine's clock is {abs(ahead).total_seconds():.0f} s {side} the database's"
