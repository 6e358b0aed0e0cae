"""Tasks that continue when the code that started them is cancelled."""

import asyncio
import contextvars
import typing
from collections import abc
from contextlib import suppress
from functools import wraps

from bot.clock import Clock

T = typing.TypeVar("T")
P = typing.ParamSpec("P")

# In seconds.
_SECONDS_BETWEEN_CANCELLATIONS = 0.1


class BackgroundTasks:
    """Owns every background task of the program. Leaving its `async with` ends them all.

    Tasks that are to finish get `seconds_to_finish` real seconds then, or the time they take. No
    task is cancelled with, or carries the context variables of, the command that came first. Code
    that decides by time, and has tasks, goes by their `clock`.
    """

    def __init__(self, clock: Clock, seconds_to_finish: float | None = None) -> None:
        self.clock = clock
        self._seconds_to_finish = seconds_to_finish
        # By whether they are to finish.
        self._tasks: dict[asyncio.Task[typing.Any], bool] = {}

    async def __aenter__(self) -> typing.Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for the tasks that are to finish, but not for too long, then cancel the others."""
        # A task that finishes may need others until its end.
        with suppress(TimeoutError):
            async with asyncio.timeout(self._seconds_to_finish):
                await self.until_finished()
        while running := [task for task in self._tasks if not task.done()]:
            await self.end(*running)

    async def end(self, *tasks: asyncio.Task[typing.Any]) -> None:
        """Cancel tasks until they have ended: `asyncio.wait_for` of Python 3.11 may swallow it."""
        while running := [task for task in tasks if not task.done()]:
            for task in running:
                task.cancel()
            await self.within(_SECONDS_BETWEEN_CANCELLATIONS, *running)

    @property
    def are_finishing(self) -> bool:
        """Whether something runs that is to finish."""
        return any(self._tasks.values())

    async def until_finished(self) -> None:
        """Wait for all tasks that are to finish. Such tasks may start more."""
        while finishing := [task for task, is_to in self._tasks.items() if is_to]:
            await asyncio.wait(finishing)
            # Whatever is done is forgotten by its callback, which comes a moment later.
            await asyncio.sleep(0)

    def start(
        self, coroutine: abc.Coroutine[typing.Any, typing.Any, T], *, finish: bool = False
    ) -> asyncio.Task[T]:
        """Return a started task. It is cancelled when the program ends, unless it is to finish."""
        # Not create_task(context=...): a loop that tracks its tasks still sees the caller's.
        create_task = asyncio.get_running_loop().create_task
        task = contextvars.Context().run(create_task, coroutine)
        self._tasks[task] = finish
        # In an empty context, too: simcord stops calling back in that of bot code when it ends.
        task.add_done_callback(lambda _: self._tasks.pop(task), context=contextvars.Context())
        return task

    async def run(
        self, coroutine: abc.Coroutine[typing.Any, typing.Any, T], *, finish: bool = False
    ) -> T:
        """Return a coroutine's result. It continues when the caller is cancelled."""
        return await asyncio.shield(self.start(coroutine, finish=finish))

    async def within(self, seconds: float, *tasks: asyncio.Task[typing.Any]) -> bool:
        """Return whether all tasks ended within these seconds of real time. They continue."""
        if not tasks:
            return True
        _, pending = await self.run(asyncio.wait(tasks, timeout=seconds))
        return not pending

    async def wait_up_to(self, seconds: float, *tasks: asyncio.Task[typing.Any]) -> bool:
        """Return whether all tasks ended within these seconds of the clock. They continue."""
        ending = self.start(asyncio.wait(tasks))
        timer = self.clock.call_later(seconds, ending.cancel)
        try:
            await asyncio.wait([ending])
        finally:
            timer.cancel()
            ending.cancel()
        return all(task.done() for task in tasks)


class _HasTasks(typing.Protocol):
    tasks: BackgroundTasks


Owner = typing.TypeVar("Owner", bound=_HasTasks)


def uncancellable(
    method: abc.Callable[typing.Concatenate[Owner, P], abc.Coroutine[typing.Any, typing.Any, T]],
) -> abc.Callable[typing.Concatenate[Owner, P], abc.Coroutine[typing.Any, typing.Any, T]]:
    """Let a method finish what it has begun, even if its caller is cancelled."""

    @wraps(method)
    async def finished(owner: Owner, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.shield(owner.tasks.start(method(owner, *args, **kwargs), finish=True))

    return finished


async def finish_despite_cancel(last: abc.Awaitable[T]) -> T:
    """Await the last steps of a task, however often it is cancelled. Return their result."""
    steps = asyncio.ensure_future(last)
    while not steps.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([steps])
    return steps.result()
