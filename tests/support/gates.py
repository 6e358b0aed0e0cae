"""Wait for things to happen, and hold them up: how tests choose the order of events."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

T = TypeVar("T")

# A test that waits for what never comes ends here. Nothing else depends on this number: a person
# wants to know soon, and the machines of CI may be slow.
PATIENCE_SECONDS = 300.0 if os.environ.get("CI") else 60.0
# The longest time that a test may take, with its fixtures.
TEST_SECONDS = 2 * PATIENCE_SECONDS
SOAK_SECONDS = 3600.0


class Happenings(Generic[T]):
    """A list of what has happened, oldest first, that can be waited on."""

    def __init__(self) -> None:
        self.past: list[T] = []
        self._changed = asyncio.Event()

    def add(self, happening: T) -> None:
        self.past.append(happening)
        self.notify()

    def notify(self) -> None:
        """Let those who wait look again, as when something noted has changed."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def first(self, wanted: Callable[[T], bool], *, since: int = 0) -> T:
        """Give the first that is wanted, among the past from `since` on or else in the future."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                for happening in self.past[since:]:
                    if wanted(happening):
                        return happening
                await self._changed.wait()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return once the condition holds, looking whenever something happens."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not condition():
                await self._changed.wait()


class Gate(Generic[T]):
    """Holds up what is wanted until it is opened; what is not wanted passes."""

    def __init__(self, wanted: Callable[[T], bool]) -> None:
        self._wanted = wanted
        self._opened = asyncio.Event()
        self._arrived = Happenings[T]()

    async def arrival(self) -> T:
        """Wait until something is held at the gate."""
        return await self._arrived.first(lambda _: True)

    async def arrivals(self, count: int) -> None:
        await self._arrived.until(lambda: len(self._arrived.past) >= count)

    def open(self) -> None:
        self._opened.set()

    async def hold(self, passer: T) -> None:
        """Keep the passer waiting if it is wanted and the gate is closed."""
        if self._wanted(passer):
            self._arrived.add(passer)
            await self._opened.wait()


class Gates(Generic[T]):
    def __init__(self) -> None:
        self._gates: list[Gate[T]] = []

    async def pass_by(self, passer: T) -> None:
        """Go on once no gate holds the passer."""
        for gate in tuple(self._gates):
            await gate.hold(passer)

    @asynccontextmanager
    async def closed(self, wanted: Callable[[T], bool]) -> AsyncGenerator[Gate[T]]:
        """Hold up what is wanted while the block runs, unless the gate is opened before."""
        gate = Gate(wanted)
        self._gates.append(gate)
        try:
            yield gate
        finally:
            self._gates.remove(gate)
            gate.open()
