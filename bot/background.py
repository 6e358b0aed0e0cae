"""Tasks that outlive the cancellation of whoever started them, and timers by the real clock.

Both leave the caller's context for simcord's sake: in the context of bot code its clocks stand
still, so that no timeout would ever pass there.
"""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

T = TypeVar("T")


class BackgroundTasks:
    """Owns every background task of the program; leaving its `async with` ends them all.

    A read may be shared by several members and a write must reach its end, so neither may be
    cancelled with, or carry the context variables of, the command that came first.
    """

    def __init__(self) -> None:
        # By whether they are to finish.
        self._tasks: dict[asyncio.Task[Any], bool] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for the tasks that are to finish, then cancel the others."""
        # What finishes may need others until its end, and may start more that is to finish.
        while running := [task for task in self._tasks if not task.done()]:
            finishing = [task for task in running if self._tasks[task]]
            ending = finishing or running
            if not finishing:
                for task in ending:
                    task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)

    def start(self, coroutine: Coroutine[Any, Any, T], *, finish: bool = False) -> asyncio.Task[T]:
        """Return a started task; when the program ends it is cancelled unless it is to finish."""
        # Not create_task(context=...): a loop that tracks its tasks still sees the caller's.
        create_task = asyncio.get_running_loop().create_task
        task = contextvars.Context().run(create_task, coroutine)
        self._tasks[task] = finish
        # In an empty context, too: simcord stops calling back in that of bot code when it ends.
        task.add_done_callback(lambda _: self._tasks.pop(task), context=contextvars.Context())
        return task

    async def run(self, coroutine: Coroutine[Any, Any, T], *, finish: bool = False) -> T:
        """Return a coroutine's result; it goes on when the caller is cancelled."""
        return await asyncio.shield(self.start(coroutine, finish=finish))

    async def within(self, seconds: float, *tasks: asyncio.Task[Any]) -> bool:
        """Return whether all tasks ended within so many seconds of real time; they go on."""
        _, pending = await self.run(asyncio.wait(tasks, timeout=seconds))
        return not pending


def call_later(seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Return the timer of a callback that runs in the caller's context after so many seconds."""
    here = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return contextvars.Context().run(loop.call_later, seconds, lambda: here.run(callback))
