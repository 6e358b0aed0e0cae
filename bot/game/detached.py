"""Tasks that belong to no caller: they outlive the cancellation of whoever started them."""

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class DetachedTasks:
    """Starts tasks in an empty context and keeps them until they end.

    A read may be shared by several members and a write must reach its end, so neither may be
    cancelled with, or carry the context variables of, the command that came first.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task; await it through asyncio.shield()."""
        # Not create_task(context=...): a loop that tracks its tasks still sees the caller's.
        create_task = asyncio.get_running_loop().create_task
        task = contextvars.Context().run(create_task, coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self, *, cancel: bool) -> None:
        """Wait until all have ended, after cancelling them if so wished."""
        tasks = list(self._tasks)
        if cancel:
            for task in tasks:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
