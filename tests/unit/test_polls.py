"""When each of what is followed is looked at: any process can tell, and none is forgotten."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from bot.features.polls import Polled, Polls
from tests.support.clock import ManualClock
from tests.support.gates import Happenings

INTERVAL = 300.0
A_MOMENT = timedelta(milliseconds=1)


@dataclass
class One:
    version: int = 1
    failures: int = 0


@dataclass
class Lookout(Polls):
    """A process that follows number 7: when it planned its looks (True), and looked (False)."""

    clock: ManualClock
    one: One = field(default_factory=One)
    happened: Happenings[bool] = field(default_factory=Happenings[bool])

    def __post_init__(self) -> None:
        super().__init__("thing", self.clock, INTERVAL)

    async def followed(self) -> Mapping[int, Polled]:
        self.happened.add(True)
        return {7: self.one}

    async def find(self, number: int, /) -> Polled:
        return self.one

    async def poll(self, number: int, /) -> bool:
        self.happened.add(False)
        return not self.one.failures

    async def looks_at(self, moment: datetime) -> bool:
        """Let it be another moment, and tell whether it looks then."""
        self.clock.moment = moment
        seen = len(self.happened.past)
        for _ in range(2):
            # A look that is due begins before the next plan.
            plans = self.happened.past.count(True)
            self.hurry()
            await self.happened.until(lambda plans=plans: self.happened.past.count(True) > plans)
        return False in self.happened.past[seen:]


@pytest.fixture
async def lookout() -> AsyncGenerator[Lookout]:
    one = Lookout(ManualClock())
    running = asyncio.create_task(one.run())
    await one.looks_at(one.clock())
    assert await one.looks_at(one.clock() + timedelta(seconds=5))
    yield one
    running.cancel()


async def test_another_process_names_the_moment_of_the_next_look(lookout: Lookout) -> None:
    other = Lookout(ManualClock())
    for failures in (0, 0, 0, 1, 2, 3, 0):
        due = other.next_after(lookout.clock(), 7, lookout.one.failures)
        lookout.one.failures = failures

        assert not await lookout.looks_at(due - A_MOMENT)
        assert await lookout.looks_at(due)


def test_turns_are_an_interval_apart_and_spread_over_it() -> None:
    polls = Lookout(ManualClock())
    now = polls.clock()
    at_once = 0
    for number in range(100):
        first = polls.next_after(now, number)
        second = polls.next_after(first, number)
        assert 0.9 * INTERVAL <= (second - first).total_seconds() <= 1.1 * INTERVAL
        at_once += (first - now).total_seconds() < INTERVAL / 4
    assert 10 <= at_once <= 40


def test_what_fails_is_looked_at_more_and_more_seldom() -> None:
    polls = Lookout(ManualClock())
    now = polls.clock()

    waits = [(polls.next_after(now, 7, each) - now).total_seconds() for each in (1, 2, 9)]

    for wait, least in zip(waits, (600, 900, 900), strict=True):
        assert least <= wait <= 1.1 * least
