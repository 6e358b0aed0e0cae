"""A sleeper says whether only the clock, or news, can end its wait."""

import asyncio

import pytest

from bot.background import BackgroundTasks
from bot.program.duties import Worker
from bot.rest import Rest
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import open_database
from tests.support.clock import SteppedClock, utc_now
from tests.support.databases import lasting_address
from tests.support.gates import Happenings
from tests.support.rest import until_idle


async def test_a_sleeper_is_idle_until_its_moment_and_not_while_it_wakes() -> None:
    clock = SteppedClock(utc_now())
    rest = Rest(clock)
    assert not rest.is_idle()
    sleeping = asyncio.create_task(rest.sleep(60))
    await asyncio.sleep(0)
    assert rest.is_idle()

    clock.advance(59)
    assert rest.is_idle()
    clock.advance(1)
    assert not rest.is_idle()
    await sleeping
    assert not rest.is_idle()


async def test_who_waits_for_news_is_not_idle_once_there_is_some() -> None:
    news = asyncio.Event()
    rest = Rest(SteppedClock(utc_now()))
    waiting = asyncio.create_task(rest.sleep(60, news))
    await asyncio.sleep(0)
    assert rest.is_idle()

    news.set()
    assert not rest.is_idle()
    await waiting


async def test_a_pause_that_no_news_ends_stays_idle() -> None:
    news = asyncio.Event()
    rest = Rest(SteppedClock(utc_now()))
    await _began(rest, news)
    pausing = asyncio.create_task(rest.sleep(60))
    await asyncio.sleep(0)

    news.set()

    assert rest.is_idle()
    pausing.cancel()


async def _began(rest: Rest, news: asyncio.Event) -> None:
    """Let it have waited for news before."""
    waiting = asyncio.create_task(rest.sleep(60, news))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_worker_is_idle_while_each_of_its_looks_waits_for_its_time() -> None:
    clock = SteppedClock(utc_now())
    looks = Happenings[str]()
    going_on = asyncio.Event()

    async def look() -> None:
        looks.add("begun")
        await going_on.wait()
        looks.add("over")

    async def fail() -> None:
        raise ValueError

    async with (
        open_database(lasting_address(), MIGRATIONS) as database,
        Claims(database, term=3600) as claims,
        BackgroundTasks(clock) as tasks,
    ):
        worker = Worker(claims, tasks)
        worker.add_looks("look", look, 5.0)
        worker.add_looks("fail", fail, 5.0)
        assert not worker.is_idle()
        tasks.start(worker.run())
        await looks.until(lambda: looks.past == ["begun"])
        assert not worker.is_idle()

        going_on.set()
        await until_idle(worker)
        assert looks.past == ["begun", "over"]

        # An hour is one look.
        clock.advance(3600)
        assert not worker.is_idle()
        await until_idle(worker)
        assert looks.past == ["begun", "over"] * 2
