"""Discord is asked evenly and never too fast, and left alone when it has had enough of us."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest

from bot.messages.pacing import MOST_INVALID, RATE, Openings, Pacing
from tests.support.clock import ManualClock

# As many as Discord surely takes within a second.
TAKEN = 48


class Road:
    """Passes turns, and notes when each was answered; sleeping moves the clock, a bit too far."""

    def __init__(self, *, late: float = 0.0) -> None:
        self.clock = ManualClock()
        self.late = late
        self.pacing = Pacing(self.clock.seconds, self._sleep)
        self.turns: list[float] = []
        self._unanswered = 0

    async def _sleep(self, seconds: float) -> None:
        # The clock counts whole microseconds.
        self.clock.advance(seconds + self.late + 1e-6)

    async def pass_turns(self, count: int, *, answered: bool = True) -> None:
        for _ in range(count):
            await self.pacing.turn()
            self._unanswered += 1
            if answered:
                self.answer()

    def answer(self) -> None:
        """Let all that left arrive and be answered now."""
        for _ in range(self._unanswered):
            self.turns.append(self.clock.seconds())
            self.pacing.count_answer()
        self._unanswered = 0

    def most_in_a_second(self) -> int:
        return max(
            sum(start <= one < start + 1 for one in self.turns[at : at + 2 * RATE])
            for at, start in enumerate(self.turns)
        )


@pytest.mark.parametrize("late", [0.0, 0.001, 0.013])
async def test_no_second_has_more_requests_than_discord_likes_and_each_has_nearly_as_many(
    late: float,
) -> None:
    road = Road(late=late)

    await road.pass_turns(10 * RATE)

    assert road.most_in_a_second() <= TAKEN
    took = road.turns[-1] - road.turns[0]
    assert 10 * 0.95 < took < 10 * 1.05


async def test_what_was_held_up_on_its_way_does_not_arrive_with_too_many_others() -> None:
    road = Road(late=0.001)
    await road.pass_turns(RATE)

    await road.pass_turns(20, answered=False)
    road.answer()
    await road.pass_turns(2 * RATE)

    assert road.most_in_a_second() <= TAKEN


async def test_turns_are_spread_over_the_second() -> None:
    road = Road()

    await road.pass_turns(RATE)

    gaps = [after - before for before, after in pairwise(road.turns)]
    assert min(gaps) > 0.9 / RATE


async def test_a_pause_is_not_made_up_for_at_once() -> None:
    road = Road()
    await road.pass_turns(3)
    road.clock.advance(60)

    await road.pass_turns(2 * RATE)

    assert road.most_in_a_second() <= TAKEN
    assert road.turns[3 + RATE] - road.turns[3] > 0.75


async def test_too_many_invalid_requests_end_all_turns_for_their_ten_minutes() -> None:
    road = Road()
    for _ in range(MOST_INVALID):
        road.pacing.count_answer(is_invalid=True)
        road.clock.advance(0.01)
    first = road.clock.seconds() - MOST_INVALID * 0.01

    await road.pass_turns(1)

    assert road.turns[0] >= first + 600 - 0.001


async def test_turns_come_in_the_order_in_which_they_were_wanted() -> None:
    road = Road()
    order: list[int] = []

    async def want(number: int) -> None:
        await road.pacing.turn()
        order.append(number)

    await asyncio.gather(*map(want, range(9)))

    assert order == list(range(9))
    assert road.pacing.waiting == 0


async def test_edits_of_old_messages_are_two_seconds_apart_and_others_wait_for_nothing() -> None:
    road = Road()
    begun = road.clock.seconds()

    await road.pacing.turn_to_edit(timedelta(minutes=59))
    assert road.clock.seconds() == begun
    await road.pacing.turn_to_edit(timedelta(minutes=61))
    assert road.clock.seconds() - begun == pytest.approx(2, abs=0.001)


def test_direct_channels_are_opened_one_after_the_other() -> None:
    seconds = 100.0
    openings = Openings(10, lambda: seconds)

    assert [openings.wait(member) for member in (1, 2, 3, 2)] == [0, 10, 20, 10]
    seconds = 115
    # Whoever comes late keeps the others at their distance.
    assert openings.wait(2) == 0
    assert openings.wait(3) == 10
    assert openings.wait(4) == pytest.approx(15)
    seconds = 200
    assert openings.wait(5) == 0
