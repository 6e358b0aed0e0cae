"""All that is left to chance comes from a seed while a walk is taken."""

import asyncio
import os
import random
import sqlite3
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import aiosqlite


@contextmanager
def seeded(seed: int) -> Generator[None]:
    """Let jitter, keys and ids of the whole process come from a seed."""
    drawn = random.Random(f"chance {seed}")
    # `secrets` and SystemRandom draw from it, also in modules that imported them before.
    module: Any = random
    kept = os.urandom, module._urandom
    random.seed(seed)
    os.urandom = module._urandom = drawn.randbytes
    try:
        yield
    finally:
        os.urandom, module._urandom = kept
        random.seed()


class AtOnce(ThreadPoolExecutor):
    """Runs a thread's work in the calling thread, because the order of two threads is chance."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = Future[Any]()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            future.set_exception(error)
        return future


@cache
def run_statements_at_once() -> None:
    """Let SQLite run each statement in the calling thread, permanently.

    Which of two threads is first is chance, too. Handing over takes longer than the statement.
    """
    core: Any = aiosqlite.core
    core.sqlite3 = SimpleNamespace(
        **{**vars(sqlite3), "connect": partial(sqlite3.connect, check_same_thread=False)}
    )

    class Connection(core.Connection):
        """Has no thread."""

        def __await__(self) -> Generator[Any, None, Any]:
            return self._connect().__await__()

        async def _connect(self) -> Any:
            self._connection = self._connector()
            return self

        async def _execute(self, function: Any, *arguments: Any, **named: Any) -> Any:
            if not self._connection:
                raise ValueError("Connection closed")
            await asyncio.sleep(0)
            return function(*arguments, **named)

        def stop(self) -> None:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    for name in ("__await__", "_connect", "_execute", "stop"):
        setattr(core.Connection, name, vars(Connection)[name])
