"""What is kept for a while, and for whom it is read."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from bot.background import BackgroundTasks
from bot.cache import TtlCache


class Shelf:
    """A value that changes, and a clock that is moved by hand."""

    def __init__(self, tasks: BackgroundTasks) -> None:
        self.value = "old"
        self.now = 0.0
        self.reads = 0
        self.cache = TtlCache[str, str](
            tasks, lifetime=60, most_bytes=3000, size=len, clock=lambda: self.now
        )

    async def get(self, key: str = "a", max_age: float = 5.0) -> str:
        return await self.cache.get(key, self._read, max_age=max_age)

    def kept(self) -> list[str]:
        return [key for key, _ in self.cache.items()]

    async def _read(self, key: str) -> str:
        self.reads += 1
        return f"{key}: {self.value}"


@pytest.fixture
async def shelf() -> AsyncGenerator[Shelf]:
    async with BackgroundTasks() as tasks:
        yield Shelf(tasks)


async def test_a_value_is_read_once_and_again_when_it_is_old(shelf: Shelf) -> None:
    assert [await shelf.get() for _ in range(3)] == ["a: old"] * 3
    assert shelf.reads == 1

    shelf.value, shelf.now = "new", 5.0
    assert await shelf.get(max_age=5.1) == "a: old"
    assert await shelf.get() == "a: new"


async def test_who_wants_nothing_that_is_kept_joins_no_read_that_began_before() -> None:
    gate, values = asyncio.Event(), iter(["kept on the way", "new", "newer"])

    async def read(_: str) -> str:
        value = next(values)
        await gate.wait()
        return value

    async with BackgroundTasks() as tasks:
        cache = TtlCache[str, str](tasks, lifetime=60)
        ages = (5, 0, 0, 5)
        asking = [asyncio.create_task(cache.get("a", read, max_age=age)) for age in ages]
        await asyncio.sleep(0)
        gate.set()

        assert await asyncio.gather(*asking) == ["kept on the way", "new", "newer", "newer"]
        assert await cache.get("a", read) == "newer"


async def test_an_age_of_nothing_always_reads(shelf: Shelf) -> None:
    await shelf.get()
    shelf.now = -1.0
    await shelf.get(max_age=0)

    assert shelf.reads == 2


async def test_a_change_is_seen_at_once(shelf: Shelf) -> None:
    for key in ("a", "b"):
        await shelf.get(key)

    shelf.value = "new"
    shelf.cache.forget("a".__eq__)

    assert [await shelf.get(key) for key in ("a", "b")] == ["a: new", "b: old"]


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

    async with BackgroundTasks() as tasks:
        cache = TtlCache[str, str](tasks, lifetime=60)
        early = asyncio.create_task(cache.get("a", read, max_age=5))
        await asked.wait()
        cache.forget("a".__eq__)
        gate.set()

        assert await early == "old"
        assert await cache.get("a", read, max_age=5) == "new"


async def test_the_longest_unused_leaves_when_there_is_too_much(shelf: Shelf) -> None:
    for key in ("a", "b", "c", "d", "e", "a", "f"):
        await shelf.get(key)

    assert shelf.kept() == ["f", "a", "e", "d", "c"]


async def test_large_values_leave_sooner_but_one_alone_is_kept(shelf: Shelf) -> None:
    await shelf.get("a")
    shelf.value = "x" * 5000
    await shelf.get("b")

    assert shelf.kept() == ["b"]


async def test_what_has_expired_is_swept(shelf: Shelf) -> None:
    await shelf.get("a")
    shelf.now = 61.0
    await shelf.get("b")
    shelf.now = 10.0

    assert shelf.kept() == ["b"]
