"""Discord is asked evenly and never too fast, and left alone when it has had enough of us."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest

from bot.domain.outbox import Priority
from bot.worker.pacing import MOST, MOST_INVALID, RATE, Openings, Pacing
from tests.support.clock import ManualClock

# From a moment of leaving, and by chance: when Discord counts a request, and when the answer is
# back.
Way = Callable[[float, Random], tuple[float, float]]


def at_once(left: float, _: Random) -> tuple[float, float]:
    return left, left


def far_away(left: float, _: Random) -> tuple[float, float]:
    return left + 0.1, left + 0.25


def uneven_there(left: float, chance: Random) -> tuple[float, float]:
    counted = left + 0.03 + chance.uniform(0, 0.1)
    return counted, counted + 0.03


def uneven_back(left: float, chance: Random) -> tuple[float, float]:
    return left + 0.02, left + 0.04 + chance.uniform(0, 0.1)


def held_up(left: float, chance: Random) -> tuple[float, float]:
    """Discord, or the machine, stands still for a good while every two seconds."""
    counted = left + 0.01 + chance.uniform(0, 0.05)
    counted = max(counted, counted // 2 * 2 + 0.7)
    return counted, counted + 0.01


class Road:
    """Passes turns, and notes when each came and was counted; sleeping moves the clock."""

    def __init__(self, way: Way = at_once, *, late: float = 0.0) -> None:
        self.clock = ManualClock()
        self.late = late
        self.way = way
        self.pacing = Pacing(self.clock.seconds, self._sleep)
        self.turns: list[float] = []
        self.counted: list[float] = []
        self._answers: list[tuple[float, float]] = []
        self._chance = Random(45)

    async def _sleep(self, seconds: float) -> None:
        # The clock counts whole microseconds.
        until = self.clock.seconds() + seconds + self.late + 1e-6
        while self._answers and self._answers[0][0] <= until:
            self._answer()
        self.clock.advance(until - self.clock.seconds())

    def _answer(self) -> None:
        at, left = heapq.heappop(self._answers)
        self.clock.advance(max(0.0, at - self.clock.seconds()))
        self.pacing.end(at - left)

    async def pass_turns(self, count: int) -> None:
        for _ in range(count):
            turn = asyncio.ensure_future(self.pacing.turn())
            await asyncio.sleep(0)
            while not turn.done():
                self._answer()
                await asyncio.sleep(0)
            now = self.clock.seconds()
            counted, answered = self.way(now, self._chance)
            self.turns.append(now)
            self.counted.append(counted)
            heapq.heappush(self._answers, (answered, now))

    def most_counted_in_a_second(self) -> int:
        counted = sorted(self.counted)
        return max(
            sum(start <= one < start + 1 for one in counted[at : at + 2 * MOST])
            for at, start in enumerate(counted)
        )


@pytest.mark.parametrize("late", [0.0, 0.001, 0.013])
@pytest.mark.parametrize("way", [at_once, far_away, uneven_there, uneven_back])
async def test_no_second_has_more_requests_than_discord_likes_and_each_has_nearly_as_many(
    way: Way, late: float
) -> None:
    road = Road(way, late=late)

    await road.pass_turns(10 * RATE)

    assert road.most_counted_in_a_second() <= MOST
    took = road.turns[-1] - road.turns[0]
    assert 10 * 0.95 < took < 10 * 1.05


async def test_what_was_held_up_on_its_way_does_not_arrive_with_too_many_others() -> None:
    road = Road(held_up, late=0.03)

    await road.pass_turns(20 * RATE)

    assert road.most_counted_in_a_second() <= MOST


async def test_what_is_never_answered_lets_no_more_leave() -> None:
    road = Road(lambda left, _: (left, left + 3600))

    await road.pass_turns(MOST + 1)

    assert road.turns[MOST] - road.turns[0] >= 3600


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

    assert road.most_counted_in_a_second() <= MOST
    assert road.turns[3 + RATE] - road.turns[3] > 0.75


async def test_too_many_invalid_requests_end_all_turns_for_their_ten_minutes() -> None:
    road = Road()
    for _ in range(MOST_INVALID):
        road.pacing.note_invalid()
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


NEWS, WATCH = Priority.DIRECT_MESSAGE, Priority.WATCH


def test_direct_channels_are_opened_one_after_the_other() -> None:
    seconds = 100.0
    openings = Openings(10, lambda: seconds)

    assert [openings.wait(member, NEWS) for member in (1, 2, 3, 2)] == [0, 10, 20, 10]
    seconds = 115
    # Whoever comes late keeps the others at their distance.
    assert openings.wait(2, NEWS) == 0
    assert openings.wait(3, NEWS) == 10
    assert openings.wait(4, NEWS) == pytest.approx(15)
    seconds = 200
    assert openings.wait(5, NEWS) == 0


def test_what_is_urgent_opens_its_channels_first_and_the_others_keep_their_order() -> None:
    seconds, tries = 0.0, 0
    openings = Openings(10, lambda: seconds)
    opened: list[int] = []
    due = {(member, WATCH): 0.0 for member in range(20)} | {(90, NEWS): 25.0, (91, NEWS): 25.0}

    while due:
        seconds = min(due.values())
        for member, priority in [who for who, at in due.items() if at <= seconds]:
            tries += 1
            due[member, priority] += (pause := openings.wait(member, priority))
            if not pause:
                opened.append(member)
                del due[member, priority]

    assert opened == [0, 1, 2, 90, 91, *range(3, 20)]
    assert tries < 3 * len(opened)
