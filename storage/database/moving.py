"""Copy everything from one database into another, empty one, on whichever engines."""

import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path

from storage.database.interface import Database, Row, Transaction
from storage.database.migrating import refuse_later_steps
from storage.errors import CannotMove

_CREATED = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
_ROWS_AT_ONCE = 1000


async def move(
    source: Database,
    target: Database,
    migrations: Path,
    report: Callable[[int, int], None],
    *,
    replaces: bool = False,
) -> Mapping[str, int]:
    """Copy every row, in one transaction, and compare counts and sums; return the counts.

    `report` is told how many rows are copied, of how many. Both databases have all steps of the
    folder. What is in the target is refused, or else replaced. Raises CannotMove, DatabaseTooNew.
    """
    for database in (source, target):
        await refuse_later_steps(database, migrations)
    tables = _tables(migrations)
    counts = {table: await _count(source, table) for table in tables}
    if not replaces and any([await _count(target, table) for table in tables]):
        raise CannotMove("the target is not empty")
    total, done = sum(counts.values()), 0
    async with target.transaction() as writing:
        for table in reversed(tables if replaces else ()):
            await writing.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        for table in tables:
            columns = await target.columns(table)
            everything = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - ours
            async with aclosing(source.batches(everything, _ROWS_AT_ONCE)) as batches:
                async for rows in batches:
                    values = [[row[name] for name in columns] for row in rows]
                    await writing.insert(table, list(columns), values)
                    done += len(rows)
                    report(done, total)
            await target.continue_ids(writing, table, await source.last_id(table))
            await _compare(source, writing, table, columns)
    return counts


def _tables(migrations: Path) -> list[str]:
    """Return the tables in the order in which the steps make them: none refers to a later one."""
    steps = sorted(path for path in migrations.glob("*.sql") if "." not in path.stem)
    return [name for step in steps for name in _CREATED.findall(step.read_text(encoding="utf-8"))]


async def _count(database: Database, table: str) -> int:
    row = await database.fetch_one(f"SELECT count(*) AS rows FROM {table}")  # noqa: S608 - ours
    return int(row["rows"]) if row else 0


async def _compare(
    source: Database, target: Transaction, table: str, columns: Mapping[str, str]
) -> None:
    numbers = [name for name, kind in columns.items() if kind.upper() == "BIGINT"]
    # In two parts, since a sum of ids would not fit into 64 bits.
    sums = [
        f"sum({name} {part} 1000000) AS {name}_{number}"
        for name in numbers
        for number, part in enumerate(("/", "%"))
    ]
    sql = f"SELECT {', '.join(['count(*) AS rows', *sums])} FROM {table}"  # noqa: S608 - ours
    here, there = await source.fetch_one(sql), await target.fetch_one(sql)
    if here is None or there is None or _numbers(here) != _numbers(there):
        raise CannotMove(f"table {table} arrived with other rows than it left with")


def _numbers(row: Row) -> dict[str, int]:
    return {name: int(value or 0) for name, value in dict(row).items()}
