"""Tasks that belong to no caller, and what is read once for many."""

import asyncio
import contextvars
import gc
from collections.abc import AsyncGenerator

import pytest

from bot.background import BackgroundTasks
from bot.cache import ANEW, TtlCache
from bot.clock import Clock
from tests.support.clock import SteppedClock, utc_now
from tests.support.gates import PATIENCE_SECONDS

WHO = contextvars.ContextVar("WHO", default="not set")


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

    async with BackgroundTasks(Clock()) as tasks:
        tasks.start(first(tasks), finish=True)
        asyncio.get_running_loop().call_soon(gate.set)

    assert ended == ["read", "last"]


async def test_a_caller_who_leaves_takes_nothing_with_them() -> None:
    started, gate = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        await gate.wait()

    async with BackgroundTasks(Clock()) as tasks:
        waiting = asyncio.create_task(tasks.run(wait(), finish=True))
        await started.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        left = tasks.start(gate.wait())
        assert not await tasks.within(0, left)
        gate.set()
        assert await tasks.within(10, left)


async def test_what_is_waited_for_by_the_clock_goes_on_after_it() -> None:
    gate = asyncio.Event()
    clock = SteppedClock(utc_now())

    async with BackgroundTasks(clock) as tasks:
        task = tasks.start(gate.wait())
        waiting = asyncio.create_task(tasks.wait_up_to(3, task))
        for _ in range(3):
            await _settle()
            assert not waiting.done()
            clock.advance(1)
        await _settle()
        assert waiting.done()
        assert not waiting.result()

        gate.set()
        assert await tasks.wait_up_to(3, task)


async def _settle() -> None:
    """Let every task go as far as it gets."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_task_carries_nothing_of_its_callers_context() -> None:
    WHO.set("ann")

    async def who() -> str:
        return WHO.get()

    async with BackgroundTasks(Clock()) as tasks:
        assert await tasks.run(who()) == "not set"


async def test_a_task_in_which_a_cancellation_is_lost_ends_all_the_same() -> None:
    waits = asyncio.Event()

    async def lose_one() -> None:
        try:
            waits.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.Event().wait()

    async with asyncio.timeout(PATIENCE_SECONDS), BackgroundTasks(Clock()) as tasks:
        task = tasks.start(lose_one())
        await waits.wait()

    assert task.cancelled()


class Shelf:
    """A value that changes, and a clock that is moved by hand."""

    def __init__(self, tasks: BackgroundTasks, clock: SteppedClock) -> None:
        self.value = "old"
        self.clock = clock
        self.reads = 0
        self.cache = TtlCache[str, str](tasks, lifetime=60, most_bytes=3000, size=len)

    async def get(self, key: str = "a", max_age: float = 5.0) -> str:
        return await self.cache.get(key, self._read, max_age=max_age)

    def kept(self) -> list[str]:
        return [key for key, _ in self.cache.items()]

    async def _read(self, key: str) -> str:
        self.reads += 1
        return f"{key}: {self.value}"


@pytest.fixture
async def shelf() -> AsyncGenerator[Shelf]:
    clock = SteppedClock(utc_now())
    async with BackgroundTasks(clock) as tasks:
        yield Shelf(tasks, clock)


async def test_a_value_is_read_once_and_again_when_it_is_old(shelf: Shelf) -> None:
    assert [await shelf.get() for _ in range(3)] == ["a: old"] * 3
    assert shelf.reads == 1

    shelf.value = "new"
    shelf.clock.advance(5)
    assert await shelf.get(max_age=5.1) == "a: old"
    assert await shelf.get() == "a: new"


async def test_what_is_read_anew_is_nothing_that_was_kept_a_moment_ago(shelf: Shelf) -> None:
    await shelf.get()
    shelf.value = "new"

    assert await shelf.get(max_age=ANEW) == "a: new"


async def test_who_wants_nothing_that_is_kept_joins_no_read_that_began_before() -> None:
    gate, values = asyncio.Event(), iter(["kept on the way", "new", "newer"])

    async def read(_: str) -> str:
        value = next(values)
        await gate.wait()
        return value

    async with BackgroundTasks(Clock()) as tasks:
        cache = TtlCache[str, str](tasks, lifetime=60)
        ages = (5, 0, 0, 5)
        asking = [asyncio.create_task(cache.get("a", read, max_age=age)) for age in ages]
        await asyncio.sleep(0)
        gate.set()

        assert await asyncio.gather(*asking) == ["kept on the way", "new", "newer", "newer"]
        assert await cache.get("a", read) == "newer"


async def test_what_is_outdated_is_no_news_but_still_there(shelf: Shelf) -> None:
    await shelf.get()

    shelf.cache.outdate("a".__eq__, age=5)
    shelf.cache.change("a".__eq__, str.upper)

    assert await shelf.get(max_age=6) == "A: OLD"
    shelf.value = "new"
    assert await shelf.get() == "a: new"


async def test_what_was_read_while_it_changed_is_not_kept() -> None:
    asked, gate = asyncio.Event(), asyncio.Event()
    answers = iter(["old", "new"])

    async def read(_: str) -> str:
        answer = next(answers)
        asked.set()
        await gate.wait()
        return answer

    async with BackgroundTasks(Clock()) as tasks:
        cache = TtlCache[str, str](tasks, lifetime=60)
        early = asyncio.create_task(cache.get("a", read, max_age=5))
        await asked.wait()
        cache.forget("a".__eq__)
        gate.set()

        assert await early == "old"
        assert await cache.get("a", read, max_age=5) == "new"


async def test_a_failure_that_no_one_waits_for_is_no_fault_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked, gate = asyncio.Event(), asyncio.Event()

    async def read(_: str) -> str:
        asked.set()
        await gate.wait()
        raise OSError

    async with BackgroundTasks(Clock()) as tasks:
        cache = TtlCache[str, str](tasks, lifetime=60)
        early = asyncio.create_task(cache.get("a", read))
        await asked.wait()
        early.cancel()
        cache.forget("a".__eq__)
        gate.set()
        await _settle()

    # Its traceback holds the read.
    del early
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_the_longest_unused_leaves_when_there_is_too_much(shelf: Shelf) -> None:
    for key in ("a", "b", "c", "d", "e", "a", "f"):
        await shelf.get(key)
    assert shelf.kept() == ["f", "a", "e", "d", "c"]


async def test_what_has_expired_is_swept(shelf: Shelf) -> None:
    await shelf.get("a")
    shelf.clock.advance(61)
    await shelf.get("b")
    shelf.clock.advance(-51)

    assert shelf.kept() == ["b"]


async def test_a_group_is_found_by_itself_the_last_used_first() -> None:
    async with BackgroundTasks(Clock()) as tasks:
        cache = TtlCache[str, int](tasks, lifetime=60, most_bytes=3000, group_of=len)
        for number, key in enumerate(["a", "bb", "b", "cc"]):
            cache.put(key, number)
        cache.known("a")

        assert list(cache.items_of(1)) == [("a", 0), ("b", 2)]
        cache.forget("b".__eq__)
        assert list(cache.items_of(1)) == [("a", 0)]
        assert not list(cache.items_of(3))
