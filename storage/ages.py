"""Let what is under way be as old as it is, though the clock was set between two starts."""

from collections.abc import Callable
from datetime import datetime, timedelta

from storage.database import Database, Transaction, queries_beside
from storage.rows import from_micros, to_micros

# Between the clocks of two processes.
_LARGEST_SKEW = timedelta(minutes=1)
_MICROSECOND = timedelta(microseconds=1)
# Orders that one statement moves, so that nobody waits long for it.
_MOVED_AT_ONCE = 200
# The fact that says what time it was at the last start, and when that was by the machine's clock.
_CLOCK = "clock"
_QUERIES = queries_beside(__file__)
_FACTS = queries_beside(__file__, "facts")


class Ages:
    """The moments of orders and texts that are not at their end."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def go_on(
        self, now: datetime, noted: str, since: Callable[[str], timedelta | None]
    ) -> timedelta:
        """Move them as the clock was set since the last start; return by how much that was.

        `noted` is this moment, of which another start will be told by `since` how long ago it was,
        where it can tell. Those that come from the future all the same are due.
        """
        by = timedelta()
        async with self._database.transaction() as transaction:
            await transaction.execute(_FACTS["hold"], name=_CLOCK)
            if row := await transaction.fetch_one(_FACTS["find"], name=_CLOCK):
                told, _, before = str(row["value"]).partition(" ")
                passed = since(before)
                was_set = now - from_micros(int(told)) - (passed or timedelta())
                if passed is not None and abs(was_set) > _LARGEST_SKEW:
                    by = was_set
                    await _move(transaction, by)
            value = f"{to_micros(now)} {noted}"
            await transaction.execute(_FACTS["save"], name=_CLOCK, value=value)
            # Those of a process, too, that has run on by the clock as it was.
            for name in ("bring_orders_back", "bring_drafts_back"):
                await transaction.execute(_QUERIES[name], now=now, later=now + _LARGEST_SKEW)
        return by


async def _move(transaction: Transaction, by: timedelta) -> None:
    micros = by // _MICROSECOND
    for name in ("move_drafts", "move_outcomes"):
        await transaction.execute(_QUERIES[name], by=micros)
    ids = await transaction.fetch_one(_QUERIES["order_ids"])
    if ids is None or ids["first"] is None:
        return
    for first in range(ids["first"], ids["last"] + 1, _MOVED_AT_ONCE):
        last = first + _MOVED_AT_ONCE - 1
        await transaction.execute(_QUERIES["move_orders"], by=micros, first=first, last=last)
