"""Presses of "Share", as they are recorded."""

from datetime import UTC, datetime, timedelta

from storage import MIGRATIONS
from storage.database import open_database
from storage.shares import Shares

NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def test_a_press_counts_once_until_its_message_is_taken_back(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        shares = Shares(database)
        assert await shares.begin("card:button", now=NOW)
        assert await shares.begin("card:another", now=NOW)
        await shares.complete("card:button", 99)
        later = NOW + timedelta(hours=1)
        assert not await shares.begin("card:button", now=later)

        await shares.forget_message(99)

        assert await shares.begin("card:button", now=later)


async def test_a_press_that_came_to_nothing_counts_no_more(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        shares = Shares(database)
        await shares.begin("failed", now=NOW)
        await shares.forget("failed")
        await shares.begin("crashed", now=NOW)

        assert await shares.begin("failed", now=NOW)
        assert not await shares.begin("crashed", now=NOW + timedelta(seconds=30))
        assert await shares.begin("crashed", now=NOW + timedelta(minutes=2))


async def test_old_presses_are_forgotten(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        shares = Shares(database)
        for name, message_id, day in (("old", 98, 0), ("new", 99, 2)):
            await shares.begin(name, now=NOW + timedelta(days=day))
            await shares.complete(name, message_id)

        await shares.purge(oldest=NOW + timedelta(days=1))

        assert await shares.begin("old", now=NOW + timedelta(days=3))
        assert not await shares.begin("new", now=NOW + timedelta(days=3))
