"""Wait for what a bot in this process writes to its database."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import pytest

from storage.database import Database, Transaction
from tests.support.gates import PATIENCE, Happenings


async def until_none(database: Database, sql: str) -> None:
    """Return once a statement finds no row, looking whenever something was committed."""
    with ExitStack() as stack:
        commits = Happenings[Transaction]()
        for engine in Database.__subclasses__():
            stack.enter_context(_noting(engine, commits))
        async with asyncio.timeout(PATIENCE):
            while True:
                before = len(commits.past)
                if not await database.fetch(sql):
                    return
                await commits.until(lambda before=before: len(commits.past) > before)


@contextmanager
def _noting(engine: type[Database], commits: Happenings[Transaction]) -> Generator[None]:
    transaction = engine.transaction

    @asynccontextmanager
    async def noted(self: Database) -> AsyncGenerator[Transaction]:
        async with transaction(self) as opened:
            yield opened
        commits.add(opened)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "transaction", noted)
        yield
