"""Of several processes one holds a row, and whoever has lost it changes nothing."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.leases import Leases

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=8)
LEASES = Leases("work")
ROW, OTHER_ROW = 1, 2


@pytest.fixture
async def one(address: str) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        await opened.execute(
            "CREATE TABLE work (id INTEGER PRIMARY KEY, claimed_by TEXT NOT NULL, due_at BIGINT)"
        )
        await opened.execute("INSERT INTO work VALUES (1, '', 0), (2, '', 0)")
        yield opened


@pytest.fixture
async def two(address: str, one: Database) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        yield opened


async def take(
    database: Database, *, now: datetime = NOW, until: datetime = LATER, row: int = ROW
) -> str | None:
    """Return the holder that took the row, if it did."""
    async with database.transaction() as transaction:
        taken = await LEASES.take(transaction, row, now=now, until=until)
    return None if taken is None else taken["claimed_by"]


async def renew(database: Database, holder: str, until: datetime) -> bool:
    async with database.transaction() as transaction:
        return await LEASES.renew(transaction, ROW, holder, until=until)


async def release(database: Database, holder: str, due_at: datetime) -> bool:
    async with database.transaction() as transaction:
        return await LEASES.release(transaction, ROW, holder, due_at=due_at)


async def test_a_held_row_is_taken_by_nobody_until_its_lease_is_over(
    one: Database, two: Database
) -> None:
    first = await take(one)

    assert await take(two, now=LATER - timedelta(microseconds=1)) is None
    second = await take(two, now=LATER, until=LATER + timedelta(seconds=8))
    assert first
    assert second
    assert first != second


async def test_taking_a_row_leaves_the_others(one: Database, two: Database) -> None:
    assert await take(one)

    assert await take(two, row=OTHER_ROW)


async def test_a_renewed_lease_is_over_later(one: Database, two: Database) -> None:
    holder = await take(one)
    assert holder is not None

    assert await renew(one, holder, LATER + timedelta(seconds=8))
    assert await take(two, now=LATER) is None


async def test_whoever_was_taken_over_neither_renews_nor_releases(
    one: Database, two: Database
) -> None:
    lost = await take(one)
    until = LATER + timedelta(seconds=8)
    assert await take(two, now=LATER, until=until)
    assert lost is not None

    assert not await renew(one, lost, until + timedelta(days=1))
    assert not await release(one, lost, NOW)
    assert await take(one, now=until - timedelta(microseconds=1)) is None
    assert await take(one, now=until)


async def test_a_released_row_can_be_taken_from_the_moment_that_was_named(
    one: Database, two: Database
) -> None:
    holder = await take(one)
    assert holder is not None

    assert await release(one, holder, NOW + timedelta(seconds=1))
    assert not await renew(one, holder, LATER)
    assert await take(two, now=NOW) is None
    assert await take(two, now=NOW + timedelta(seconds=1))


async def test_a_row_with_nothing_left_to_do_is_neither_taken_nor_renewed(one: Database) -> None:
    holder = await take(one)
    await one.execute("UPDATE work SET due_at = NULL")
    assert holder is not None

    assert await take(one, now=LATER) is None
    assert not await renew(one, holder, LATER)
    assert await take(one, now=LATER) is None
