"""What one process changes, others learn: by numbers, the truth, and by hints that may fail."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import psycopg
import pytest

from bot.changes import HOLDS_WITHIN, Changes
from storage import MIGRATIONS
from storage.changes import note_change
from storage.database import Database, open_database
from storage.errors import StatementFailed
from tests.support.clock import ManualClock
from tests.support.database_proxy import open_database_proxy
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.databases import address_at
from tests.support.gates import Happenings

LONG = 600.0
NEVER = 3600.0


@pytest.fixture
async def one(address: str) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        yield opened


@pytest.fixture
async def two(address: str) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        yield opened


async def change(database: Database, topic: str = "names") -> int:
    async with database.transaction() as transaction:
        return await note_change(transaction, topic)


class Follower:
    """One process that remembers something of a topic."""

    def __init__(self, database: Database, topic: str = "names", pause: float = NEVER) -> None:
        self.clock = ManualClock()
        self.changes = Changes(database, pause=pause, passing=self.clock.seconds)
        self.forgot = Happenings[str]()
        self.changes.follow(topic, lambda: self.forgot.add(topic))

    async def looked(self) -> bool:
        """Look, and say whether something was forgotten."""
        before = len(self.forgot.past)
        await self.changes.look()
        return len(self.forgot.past) > before


async def test_a_change_in_one_process_is_seen_at_the_next_look_of_another_and_once(
    one: Database, two: Database
) -> None:
    follower = Follower(two)
    await change(one)
    assert await follower.looked()

    assert not await follower.looked()
    await change(one)
    assert await follower.looked()


async def test_a_change_of_another_topic_makes_nothing_be_forgotten(
    one: Database, two: Database
) -> None:
    follower = Follower(two)
    await change(one, "pauses")

    assert not await follower.looked()


async def test_a_change_that_is_undone_is_none(one: Database, two: Database) -> None:
    follower = Follower(two)

    async def change_in_vain() -> None:
        async with one.transaction() as transaction:
            await note_change(transaction, "names")
            await transaction.execute("DELETE FROM nowhere")

    with pytest.raises(StatementFailed):
        await change_in_vain()

    assert not await follower.looked()


async def test_numbers_come_to_last_in_their_order(one: Database, two: Database) -> None:
    """Whoever reads what came after a number misses nothing that was written before it."""
    async with one.transaction() as transaction:
        first = await note_change(transaction, "names")
        waiting = asyncio.create_task(change(two))
        await transaction.fetch("SELECT 1")
        assert not waiting.done()

    assert await waiting == first + 1


async def test_what_is_remembered_counts_for_seconds_only_while_nobody_knows_of_changes(
    one: Database,
) -> None:
    follower = Follower(one)
    assert follower.changes.max_age(LONG) == HOLDS_WITHIN
    await follower.changes.look()

    assert follower.changes.max_age(LONG) == LONG
    # The database stops answering, or the listener died silently: no look since.
    follower.clock.advance(HOLDS_WITHIN)
    assert follower.changes.max_age(LONG) == HOLDS_WITHIN


async def test_looks_go_on_where_there_are_no_hints(one: Database, two: Database) -> None:
    follower = Follower(two, pause=0.01)
    running = asyncio.create_task(follower.changes.run())
    await change(one)

    await follower.forgot.first(lambda _: True)
    running.cancel()


@pytest.fixture
def postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DATABASE", "postgresql")
    return address_at(tmp_path / "kiosk.db")


async def test_postgresql_hints_at_a_change_long_before_the_next_look(postgres: str) -> None:
    async with (
        open_database(postgres, MIGRATIONS) as one,
        open_database(postgres, MIGRATIONS) as two,
    ):
        follower = Follower(two)
        running = asyncio.create_task(follower.changes.run())
        for number in range(1, 4):
            await change(one)
            await follower.forgot.until(lambda number=number: len(follower.forgot.past) >= number)
        running.cancel()


async def test_a_storm_of_hints_makes_few_looks(postgres: str) -> None:
    reads = Happenings[DatabaseRead]()
    async with open_database(postgres, MIGRATIONS) as database:
        watch_reads(database, reads)
        follower = Follower(database)
        running = asyncio.create_task(follower.changes.run())
        async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as stranger:
            # All at once, however slow the machine is: over minutes there may be many looks.
            await stranger.execute(
                "SELECT pg_notify('kiosk', number::text) FROM generate_series(1, 500) AS number"
            )
        await change(database)
        await follower.forgot.first(lambda _: True)
        running.cancel()

    assert len(reads.past) < 50


async def test_a_listener_that_is_cut_off_or_dies_silently_is_not_needed(postgres: str) -> None:
    async with (
        open_database_proxy(postgres) as proxy,
        open_database(proxy.address, MIGRATIONS) as one,
        open_database(postgres, MIGRATIONS) as two,
    ):
        follower = Follower(one, pause=0.01)
        running = asyncio.create_task(follower.changes.run())
        async with proxy.answering.closed(lambda data: b"kiosk" in data and data[:1] == b"A"):
            await change(two)
            await follower.forgot.first(lambda _: True)
        proxy.cut()
        await change(two)
        await follower.forgot.until(lambda: len(follower.forgot.past) >= 2)
        running.cancel()
