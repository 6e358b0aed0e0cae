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
        await shares.begin("crashed", now=NOW)
        await shares.begin("failed", now=NOW)
        await shares.forget("failed")

        assert await shares.begin("failed", now=NOW)
        assert not await shares.begin("crashed", now=NOW + timedelta(seconds=30))
        assert await shares.begin("crashed", now=NOW + timedelta(minutes=2))
        assert not await shares.begin("crashed", now=NOW + timedelta(minutes=2, seconds=30))
