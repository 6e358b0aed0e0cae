"""Kiosk goes by the time it is handed, and by no other."""

from datetime import timedelta

from bot.app import open_bot
from tests.support.cards import text_of
from tests.support.clock import ManualClock
from tests.support.faulty_proxy import Fault, is_write
from tests.support.forum import ForumTown


async def test_after_the_machine_slept_a_text_is_as_old_as_it_is(linked: ForumTown) -> None:
    world, clock = linked.world, ManualClock()
    async with open_bot(world.settings, now=clock) as again:
        await world.env.restart_bot(again)
        with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
            await linked.post("Half a thought")
        before = await world.slash("forum drafts", world.member)

        # A machine that sleeps stops its monotonic clock alone.
        clock.advance(timedelta(hours=25))
        after = await world.slash("forum drafts", world.member)

    assert "Half a thought" in text_of(before)
    assert "You have no unsent texts" in text_of(after)
