"""When each of what is followed is looked at: any process can tell, and none is forgotten."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

import pytest
from msgspec.structs import replace

from bot.features.following.own_account import OwnAccount
from bot.features.following.poller import Poller
from bot.rest import Rest
from storage.database import Database
from storage.database.interface import Source
from storage.following import Followed, Following
from storage.names import PlaceKind
from tests.support.clock import ManualClock
from tests.support.gates import Happenings
from tests.support.rest import until_idle

INTERVAL = 300.0


class Shelf(Following, frozen=True):
    """Thread 7, which is followed, how it was looked at last, and how the next look will go."""

    happened: Happenings[bool]
    rows: list[Followed]
    failures: list[int]

    async def all(self) -> Sequence[Followed]:
        self.happened.add(True)
        return self.rows[-1:]

    async def place(self, kind: PlaceKind, place_id: int, source: Source | None = None) -> Followed:
        return self.rows[-1]

    async def save_look(
        self, followed: Followed, failure: str | None, now: datetime, owe_gone: object = None
    ) -> None:
        if failure is None:
            self.rows.append(replace(followed, read_at=now, failures=0))
        else:
            self.rows.append(replace(followed, failed_at=now, failures=self.failures[-1]))


def followed_from(now: datetime, number: int = 7, failures: int = 0) -> Followed:
    """Return a thread that was looked at just now."""
    return Followed(PlaceKind.THREAD, number, now, 1, read_at=now, failed_at=now, failures=failures)


class Lookout(Poller):
    """A process that follows it: it has planned its looks (True), and looked (False)."""

    def __init__(self) -> None:
        self.hands, self.happened, self.failures = ManualClock(), Happenings[bool](), [0]
        self.rows = [followed_from(self.hands())]
        shelf = Shelf(cast("Database", None), self.happened, self.rows, self.failures)
        nobody = cast("Any", None)
        own_account = OwnAccount(nobody, self.hands, None)
        super().__init__(nobody, own_account, shelf, nobody, nobody, self.hands, INTERVAL)

    async def look(self, followed: Followed) -> str | None:
        self.happened.add(False)
        return "timeout" if self.failures[-1] else None


@pytest.fixture
async def lookout() -> AsyncGenerator[Lookout]:
    one = Lookout()
    running = asyncio.create_task(one.run(Rest(one.clock)))
    yield one
    running.cancel()


def test_turns_are_an_interval_apart_and_spread_over_it() -> None:
    polls = Lookout()
    now = polls.clock.now()
    at_once = 0
    for number in range(100):
        first = polls.next_look(followed_from(now, number))
        second = polls.next_look(followed_from(first, number))
        assert 0.9 * INTERVAL <= (second - first).total_seconds() <= 1.1 * INTERVAL
        at_once += (first - now).total_seconds() < INTERVAL / 4
    assert 10 <= at_once <= 40


def test_what_fails_is_looked_at_more_and_more_seldom() -> None:
    polls = Lookout()
    now = polls.clock.now()

    waits = [
        (polls.next_look(followed_from(now, failures=each)) - now).total_seconds()
        for each in (1, 2, 9)
    ]

    for wait, least in zip(waits, (600, 900, 900), strict=True):
        assert least <= wait <= 1.1 * least
    polls.interval = 60.0
    assert polls.next_look(followed_from(now, failures=3)) - now == timedelta(minutes=8)


async def test_it_is_idle_until_a_place_is_due_or_something_has_changed(lookout: Lookout) -> None:
    await until_idle(lookout)
    due = lookout.next_look(lookout.rows[-1])
    lookout.hurry()
    assert not lookout.is_idle()
    await until_idle(lookout)

    lookout.hands.moment = due - timedelta(seconds=1)
    lookout.hurry()
    await until_idle(lookout)
    assert False not in lookout.happened.past
    lookout.hands.moment = due + timedelta(seconds=1)
    assert not lookout.is_idle()
    lookout.hurry()
    await until_idle(lookout)
    assert False in lookout.happened.past
