"""What is kept at hand for seconds."""

import asyncio

from bot.features.recent import Recent


class Shelf:
    """A value that changes, and a clock that is moved by hand."""

    def __init__(self) -> None:
        self.value = "old"
        self.now = 0.0
        self.reads = 0
        self.recent = Recent[str, str](self.read, clock=lambda: self.now)

    async def read(self, key: str) -> str:
        self.reads += 1
        return f"{key}: {self.value}"


async def test_a_value_is_read_once_and_again_when_it_is_old() -> None:
    shelf = Shelf()

    assert [await shelf.recent.get("a") for _ in range(3)] == ["a: old"] * 3
    assert shelf.reads == 1

    shelf.value, shelf.now = "new", 5.0
    assert await shelf.recent.get("a") == "a: new"


async def test_a_change_is_seen_at_once() -> None:
    shelf = Shelf()
    await shelf.recent.get("a")

    shelf.value = "new"
    shelf.recent.forget()

    assert await shelf.recent.get("a") == "a: new"


async def test_what_was_read_while_it_changed_is_not_kept() -> None:
    started, go_on = asyncio.Event(), asyncio.Event()
    answers = iter(["old", "new"])

    async def read(key: str) -> str:
        answer = next(answers)
        started.set()
        await go_on.wait()
        return answer

    recent = Recent[str, str](read)
    early = asyncio.create_task(recent.get("a"))
    await started.wait()
    recent.forget()
    go_on.set()

    assert await early == "old"
    assert await recent.get("a") == "new"
