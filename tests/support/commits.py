"""Wait for what a bot in this process writes to its database."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from storage.database import Database, Transaction
from tests.support.gates import PATIENCE, Happenings


async def until_none(database: Database, sql: str) -> None:
    """Return once a statement finds no row, looking whenever something was committed."""
    with _commits() as commits:
        async with asyncio.timeout(PATIENCE):
            while True:
                before = len(commits.past)
                if not await database.fetch(sql):
                    return
                await commits.until(lambda before=before: len(commits.past) > before)


@contextmanager
def _commits() -> Generator[Happenings[Transaction]]:
    commits = Happenings[Transaction]()
    committed = Transaction.committed

    def note(self: Transaction) -> None:
        committed(self)
        commits.add(self)

    Transaction.committed = note
    try:
        yield commits
    finally:
        Transaction.committed = committed
