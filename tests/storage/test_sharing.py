"""Presses of "Share", as they are recorded."""

from storage import MIGRATIONS
from storage.database import open_database
from tests.support.clock import ManualClock
from tests.support.shown import shown_in


async def test_a_press_counts_once_until_it_is_taken_back(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        clock = ManualClock()
        shown = shown_in(database, clock)
        first = await shown.begin("card:button", 1, 2)
        assert first is not None
        assert await shown.begin("card:another", 1, 2)
        await shown.complete(first, 99, 1)
        clock.advance(86_400)
        assert await shown.begin("card:button", 1, 2) is None

        await shown.forget(99)

        assert await shown.begin("card:button", 1, 2)


async def test_a_press_that_failed_or_crashed_can_be_made_again(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        clock = ManualClock()
        shown = shown_in(database, clock)
        await shown.begin("crashed", 1, 2)
        failed = await shown.begin("failed", None, None)
        assert failed is not None
        await shown.free(failed)

        assert await shown.begin("failed", None, None)
        clock.advance(30)
        assert await shown.begin("crashed", 1, 2) is None
        clock.advance(90)
        assert await shown.begin("crashed", 1, 2)
        clock.advance(30)
        assert await shown.begin("crashed", 1, 2) is None
