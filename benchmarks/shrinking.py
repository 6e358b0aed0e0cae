"""How much smaller a SQLite file is after a big server left."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.measuring import Finding, Ratio
from storage import MIGRATIONS, copying
from storage.database import Database, open_database
from storage.purging import Purge
from storage.retention import SERVER_DAYS

_ROWS = 200_000
_BIG, _SMALL = 1, 2
# What moderators did, of both servers in turn.
_FILL = (
    """
    INSERT INTO cases (id, guild_id, subject, comment_id, player_name, locale, touched_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
    SELECT i, CASE WHEN i % 10 < :big THEN 1 ELSE 2 END, 'comment ' || i, i, 'Sprig', 'en-GB', i
      FROM n
    """,
    """
    INSERT INTO removals (case_id, guild_id, moderator_id, reason, locale, created_at)
    SELECT id, guild_id, 1, 'Insults', 'en-GB', id FROM cases
    """,
    """
    INSERT INTO log_lines (guild_id, member_id, what, case_id, detail, created_at)
    SELECT guild_id, 1, 'dismissed', id, '', id FROM cases
    """,
)


def compare(folder: Path) -> Iterator[Finding]:
    """Forget a server that had nine of ten rows, and one that had half of them."""
    # SQLite joins pages that are less than a third full, and one of ten pages may be free:
    # a tenth of the rows takes 0.1 * 3 / 0.9 of the file at most.
    after, compacted = asyncio.run(_measure(folder / "nine.db", big=9))
    what = "size of a SQLite file after a server with 9 of 10 rows left"
    yield Finding(what, "before", Ratio(after), at_most=0.33)
    yield Finding("the same once it is compacted", "before", Ratio(compacted), at_most=0.12)
    after, compacted = asyncio.run(_measure(folder / "half.db", big=5))
    yield Finding("the same of a server with half of the rows", "before", Ratio(after))
    yield Finding("the same once it is compacted", "before", Ratio(compacted), at_most=0.55)


async def _measure(path: Path, big: int) -> tuple[float, float]:
    """Return the size after the server with so many of ten rows left, and then once compacted."""
    address = f"sqlite:///{path}"
    async with open_database(address, MIGRATIONS) as database:
        async with database.transaction() as transaction:
            for statement in _FILL:
                await transaction.execute(statement, rows=_ROWS, big=big)
        await database.truncate_log()
        before = _size_of(path)
        await _forget(database)
        while await database.give_back_room():
            pass
        await database.truncate_log()
        after = _size_of(path)
    _, compacted = await copying.compact(address)
    return after / before, compacted / before


def _size_of(path: Path) -> int:
    return path.stat().st_size


async def _forget(database: Database) -> None:
    now = datetime.now(UTC)
    purge = Purge(database)
    await purge.save_servers({_SMALL}, now - timedelta(days=SERVER_DAYS + 1))
    await purge.forget_servers(now)
