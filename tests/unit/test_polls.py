"""When each of what is followed is looked at: any process can tell, and none is forgotten."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
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
    """Thread 7, which is followed, and when it was due until now."""

    happened: Happenings[bool]
    rows: list[Followed]

    async def due(self, kind: PlaceKind, most: int) -> Mapping[int, datetime]:
        self.happened.add(True)
        return {7: self.rows[-1].due_at}

    async def bring_forward(self, latest: datetime) -> None:
        assert latest >= self.rows[-1].due_at

    async def place(self, kind: PlaceKind, place_id: int, source: Source | None = None) -> Followed:
        return self.rows[-1]

    async def save_look(
        self,
        followed: Followed,
        failure: str | None,
        now: datetime,
        due_at: datetime,
        owe_gone: object = None,
    ) -> None:
        self.rows.append(replace(followed, due_at=due_at))


class Lookout(Poller):
    """A process that follows it: it has planned its looks (True), and looked (False)."""

    def __init__(self) -> None:
        self.hands, self.happened = ManualClock(), Happenings[bool]()
        now = self.hands()
        due_at = now + timedelta(seconds=INTERVAL)
        self.rows = [Followed(PlaceKind.THREAD, 7, now, due_at, 1, read_at=now)]
        shelf = Shelf(cast("Database", None), self.happened, self.rows)
        nobody = cast("Any", None)
        own_account = OwnAccount(nobody, self.hands, None)
        super().__init__(nobody, own_account, shelf, nobody, nobody, self.hands, INTERVAL)

    async def look(self, followed: Followed) -> str | None:
        self.happened.add(False)
        return None


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
        first = polls.next_look(number, now)
        second = polls.next_look(number, first)
        assert 0.9 * INTERVAL <= (second - first).total_seconds() <= 1.1 * INTERVAL
        at_once += (first - now).total_seconds() < INTERVAL / 4
    assert 10 <= at_once <= 40


def test_what_fails_is_looked_at_more_and_more_seldom() -> None:
    polls = Lookout()
    now = polls.clock.now()

    waits = [(polls.next_look(7, now, each) - now).total_seconds() for each in (1, 2, 9)]

    for wait, least in zip(waits, (600, 900, 900), strict=True):
        assert least <= wait <= 1.1 * least
    polls.interval = 60.0
    assert polls.next_look(7, now, 3) - now == timedelta(minutes=8)


async def test_it_is_idle_until_a_place_is_due_or_something_has_changed(lookout: Lookout) -> None:
    await until_idle(lookout)
    due = lookout.rows[-1].due_at
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
