"""Print which faults in the SQL an engine doesn't understand: any test would notice those.

`tools.mutants` runs it in a process of its own, since it loads the storage as it is.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from storage import MIGRATIONS
from storage.database import Database, load_queries, open_database
from storage.errors import StatementFailed
from tests.support.postgres import run_postgres
from tools.sql_mutants import SqlMutant, mutants

# For the words that storage/keeping.py puts others for.
_STAND_INS = (
    """CREATE TABLE kept_table (
        kept_key BIGINT, kept_column TEXT, kept_owner BIGINT, kept_rows BOOLEAN,
        kept_row BOOLEAN)""",
)


async def main() -> None:
    """Have each fault's statement read by both engines, with NULL for every parameter."""
    with TemporaryDirectory() as folder:
        async with _open_engines(Path(folder)) as engines:
            for mutant in mutants():
                sql = _statement(mutant, Path(folder) / "faulty.sql")
                if not await _is_understood(sql, engines):
                    print(mutant.name)


@asynccontextmanager
async def _open_engines(folder: Path) -> AsyncGenerator[Sequence[Database]]:
    with run_postgres(folder / "server") as server:
        async with (
            open_database(f"sqlite:///{folder}/kiosk.db", MIGRATIONS) as sqlite,
            open_database(server, MIGRATIONS) as postgres,
        ):
            for engine in (sqlite, postgres):
                for table in _STAND_INS:
                    await engine.execute(table)
            yield sqlite, postgres


def _statement(mutant: SqlMutant, file: Path) -> str:
    """Return the statement with the fault, read as it is where it is used."""
    file.write_text(mutant.apply(mutant.file.read_text(encoding="utf-8")), encoding="utf-8")
    return load_queries(file)[mutant.statement]


async def _is_understood(sql: str, engines: Sequence[Database]) -> bool:
    nothing = dict.fromkeys(re.findall(r"(?<![:\w]):([a-z_]\w*)", sql))
    try:
        for engine in engines:
            await engine.fetch(f"EXPLAIN {sql}", **nothing)
    except StatementFailed:
        return False
    return True


if __name__ == "__main__":
    asyncio.run(main())
