"""Tasks that belong to no caller, and how they end."""

import asyncio
import contextvars

import pytest

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from tests.support.gates import PATIENCE

WHO = contextvars.ContextVar("WHO", default="nobody")


async def test_a_task_that_is_to_finish_finishes_with_what_it_starts_and_needs() -> None:
    ended: list[str] = []
    gate = asyncio.Event()

    async def read() -> str:
        await gate.wait()
        return "read"

    async def last() -> None:
        ended.append("last")

    async def first(tasks: BackgroundTasks) -> None:
        ended.append(await tasks.run(read()))
        tasks.start(last(), finish=True)

    async with BackgroundTasks() as tasks:
        tasks.start(first(tasks), finish=True)
        asyncio.get_running_loop().call_soon(gate.set)

    assert ended == ["read", "last"]


async def test_every_other_task_is_cancelled_at_the_end() -> None:
    async with BackgroundTasks() as tasks:
        endless = tasks.start(asyncio.Event().wait())

    assert endless.cancelled()


async def test_a_caller_who_leaves_takes_nothing_with_them() -> None:
    started, gate = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        await gate.wait()

    async with BackgroundTasks() as tasks:
        waiting = asyncio.create_task(tasks.run(wait(), finish=True))
        await started.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        left = tasks.start(gate.wait())
        assert not await tasks.within(0, left)
        gate.set()
        assert await tasks.within(10, left)


async def test_a_task_carries_nothing_of_its_callers_context() -> None:
    WHO.set("ann")

    async def who() -> str:
        return WHO.get()

    async with BackgroundTasks() as tasks:
        assert await tasks.run(who()) == "nobody"


async def test_a_close_ends_tasks_that_wait_for_each_other() -> None:
    asked = asyncio.Event()

    async def read(_: str) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with asyncio.timeout(PATIENCE), BackgroundTasks() as tasks:
        cache = TtlCache[str, None](tasks, lifetime=60)
        ahead = tasks.start(cache.get("page 2", read, max_age=5))
        await asked.wait()

    assert ahead.cancelled()


async def test_a_task_in_which_a_cancellation_is_lost_ends_all_the_same() -> None:
    waits = asyncio.Event()

    async def lose_one() -> None:
        try:
            waits.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.Event().wait()

    async with asyncio.timeout(PATIENCE), BackgroundTasks() as tasks:
        task = tasks.start(lose_one())
        await waits.wait()

    assert task.cancelled()
