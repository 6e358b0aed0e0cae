"""A loop that stands still, as another thread sees it."""

import asyncio

from bot.program.watchdog import Watchdog

TICKS = 12


async def test_a_loop_that_moves_now_and_then_is_left_alone() -> None:
    watchdog = Watchdog()
    for _ in range(3):
        # The first tick asks it to move.
        assert [watchdog.tick() for _ in range(TICKS)] == [""] * TICKS
        await asyncio.sleep(0)


async def test_a_loop_that_stands_still_for_twelve_ticks_is_said_with_its_place() -> None:
    watchdog = Watchdog()
    await asyncio.sleep(0)
    *before, place = [watchdog.tick() for _ in range(TICKS + 1)]

    assert before == [""] * TICKS
    assert f" < {__name__}:" in place
