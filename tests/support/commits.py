"""Wait for what a bot in this process writes to its database."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from storage.database import Database, Transaction
from storage.database.postgres import PostgresDatabase
from storage.database.sqlite import SqliteDatabase
from tests.support.gates import PATIENCE_SECONDS, Happenings

_waiting: list[Happenings[Transaction]] = []


async def until_none(database: Database, sql: str) -> None:
    """Return once a statement finds no row, looking whenever something was committed."""
    commits = Happenings[Transaction]()
    _waiting.append(commits)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                before = len(commits.past)
                if not await database.fetch(sql):
                    return
                await commits.until(lambda before=before: len(commits.past) > before)
    finally:
        _waiting.remove(commits)


@contextmanager
def committed() -> Generator[Sequence[Transaction]]:
    """Collect what is committed inside the block."""
    commits = Happenings[Transaction]()
    _waiting.append(commits)
    try:
        yield commits.past
    finally:
        _waiting.remove(commits)


def _note_commits(engine: Any) -> None:
    transaction = engine.transaction

    @asynccontextmanager
    async def noted(self: Database) -> AsyncGenerator[Transaction]:
        async with transaction(self) as opened:
            yield opened
        for commits in _waiting:
            commits.add(opened)

    engine.transaction = noted


# From the start: what had begun before someone waited would end unseen.
for _engine in (SqliteDatabase, PostgresDatabase):
    _note_commits(_engine)
