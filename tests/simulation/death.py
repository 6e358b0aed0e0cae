"""Let a bot die between any two of its crossings, as a kill would end it, inside one process.

A bot crosses when a statement or commit of its database is about to begin or has ended, and when a
request to the game or to Discord is about to go out or was answered. Nothing that lasts is written
between two crossings. A bot's connections and sessions are those that its opening made; requests to
Discord are those of its tasks. All of this is noticed in the libraries below Kiosk.
"""

import asyncio
import functools
import os
from collections import abc
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import aiohttp
import aiosqlite
import psycopg
from discord.http import Route
from simcord import _runtime
from simcord.http import FakeHTTPClient, FakeWebhookAdapter

from tests.support.databases import run_in_thread

Bot = TypeVar("Bot")

_ROOT = Path(__file__).parents[2]
_FOLDERS = tuple(f"{_ROOT / name}{os.sep}" for name in ("bot", "cogs", "storage"))
# Methods that hand a statement to a connection of SQLite.
_STATEMENTS = {
    *("execute", "executemany", "executescript", "_execute_fetchall"),
    *("commit", "rollback"),
}
# By the database's own clock a process that is dead holds them on, since its number lives.
_ENDINGS = ("UPDATE claims SET expires_at = 0", "UPDATE writes SET due_at = 0 WHERE holder <> ''")
# How long the game may take to do what it was asked before the death. In real seconds.
_PATIENCE_SECONDS = 1.0
# Tasks that swallow a cancellation are cancelled again after so long.
_SECONDS_BETWEEN_CANCELLATIONS = 0.01


class Died(BaseException):
    """The bot died in a task that isn't its own, as while it is opened or attached."""


@dataclass(eq=False)
class Life:
    """The life of one bot: it counts its crossings, and ends at the one that was chosen."""

    opening: AbstractAsyncContextManager[Any]
    crossings: int = 0
    # Statements and requests to the game that are not answered yet.
    under_way: int = 0
    # How many of the database's wait until it is silent no more.
    held: int = 0
    # What the bot was doing at its last crossing.
    died_at: str = ""
    has_died: asyncio.Event = field(default_factory=asyncio.Event)
    # Whether all of it has ended.
    is_over: bool = False
    _dies_at: int | None = None
    # Set once the database answers again, None while it does; and how many it still answers.
    _silence: asyncio.Event | None = None
    _before_silence: int = 0
    _is_open: bool = False
    # Whether its files are closed by now, while nothing of it runs.
    is_closing: bool = False
    _reaping: asyncio.Task[None] | None = None
    _outside: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    # What it has made, and will not close itself if it dies.
    files: list[aiosqlite.Connection] = field(default_factory=list[aiosqlite.Connection])
    servers: list[psycopg.AsyncConnection[Any]] = field(
        default_factory=list[psycopg.AsyncConnection[Any]]
    )
    sessions: list[aiohttp.ClientSession] = field(default_factory=list[aiohttp.ClientSession])

    @property
    def is_dead(self) -> bool:
        return self.has_died.is_set()

    def die_at(self, crossing: int | None) -> None:
        """Let the bot die at so many crossings from now, 1 for the next; None takes it back."""
        self._dies_at = None if crossing is None else self.crossings + crossing

    def cross(self, when: str, what: abc.Sequence[object]) -> None:
        """Count a crossing. Raises CancelledError in a dead bot's tasks, Died elsewhere."""
        if not self.is_dead:
            self.crossings += 1
            if self.crossings != self._dies_at:
                return
            self._die(" ".join([when, *map(_told, what[:2])]))
        raise Died if _owner_of_task() is None else asyncio.CancelledError

    @contextmanager
    def outside(self) -> abc.Generator[None]:
        """Let what others do for this task be done, though the bot dies meanwhile."""
        task = asyncio.current_task()
        assert task is not None
        self._outside.add(task)
        # What they start is no task of the bot.
        token = _life.set(None)
        try:
            yield
        finally:
            _life.reset(token)
            self._outside.discard(task)

    @contextmanager
    def silent_database(self, after: int) -> abc.Generator[None]:
        """Let the database do nothing meanwhile, once it has done so many things more."""
        self._silence, self._before_silence = asyncio.Event(), after
        try:
            yield
        finally:
            self._silence.set()
            self._silence = None

    async def until_database_answers(self) -> None:
        if self._silence is None:
            return
        if self._before_silence:
            self._before_silence -= 1
            return
        self.held += 1
        try:
            await self._silence.wait()
        finally:
            self.held -= 1

    async def begin(self) -> Any:
        """Open the bot. Raises Died if it dies meanwhile."""
        token = _life.set(self)
        _latest[asyncio.get_running_loop()] = self
        try:
            bot = await self.opening.__aenter__()
        except Died:
            await self.end()
            raise
        finally:
            _life.reset(token)
        self._is_open = True
        _bots[bot] = self
        return bot

    async def end(self) -> None:
        """Kill the bot if it lives, and return once none of its tasks and connections is left."""
        if not self.is_dead:
            self._die("between two crossings")
        assert self._reaping is not None
        await self._reaping
        self.is_closing = True
        for connection in self.files:
            # What was handed to its thread is done first. A statement that is still held
            # would keep the file open, and locked, after it is closed.
            with suppress(ValueError):
                await connection.rollback()
            await connection.close()
        self.is_closing = False
        for connection in self.servers:
            connection.pgconn.finish()
        for session in self.sessions:
            await session.close()
        if self._is_open:
            self._is_open = False
            leaving = _start(self._leave(), self)
            # Cancelled any earlier, it would not even begin.
            await asyncio.sleep(0)
            await self._reap()
            assert leaving.done()
        self.is_over = True

    async def leave(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close a living bot as its process would; end a dead one."""
        if self.is_dead:
            await self.end()
        elif self._is_open:
            self._is_open = False
            try:
                await self.opening.__aexit__(kind, error, trace)
            except (Died, asyncio.CancelledError):
                # A pool waits for its workers, which are cancelled as it dies.
                if not self.is_dead:
                    raise
                await self.end()
            self.is_over = True

    async def _leave(self) -> None:
        await self.opening.__aexit__(None, None, None)

    def _die(self, where: str) -> None:
        self.died_at = where
        self.has_died.set()
        self._reaping = _start(self._reap(), None)

    async def _reap(self) -> None:
        """Cancel the bot's tasks until none is left; what has begun outside is finished."""
        loop = asyncio.get_running_loop()
        late = loop.time() + _PATIENCE_SECONDS
        while tasks := [task for task, life in _owners.items() if life is self and not task.done()]:
            for task in tasks:
                if task not in self._outside or loop.time() > late:
                    task.cancel()
            await asyncio.wait(
                tasks, timeout=_SECONDS_BETWEEN_CANCELLATIONS, return_when=asyncio.FIRST_COMPLETED
            )


@asynccontextmanager
async def mortal(
    opening: AbstractAsyncContextManager[Bot], *, dies_at: int | None = None
) -> abc.AsyncGenerator[tuple[Bot, Life]]:
    """Open a bot that can die, and give it with its life; `dies_at` counts from the opening."""
    _watch_libraries()
    asyncio.get_running_loop().set_task_factory(_make_task)
    life = Life(opening)
    life.die_at(dies_at)
    bot = await life.begin()
    async with AsyncExitStack() as stack:
        stack.push_async_exit(life.leave)
        yield bot, life


async def release(database_url: str) -> None:
    """End the claims and leases of a bot that has ended, as time would."""
    for sql in _ENDINGS:
        await run_in_thread(database_url, sql)


def forget_lives() -> None:
    """Let what is begun from now on belong to no bot: the last one of this loop has ended."""
    _latest.pop(asyncio.get_running_loop(), None)


# The life that a context belongs to, None for what belongs to no bot though a bot began it.
_life = ContextVar[Life | None]("life")
_UNKNOWN = Life(nullcontext())
_latest = WeakKeyDictionary[asyncio.AbstractEventLoop, Life]()
_bots = WeakKeyDictionary[object, Life]()
_owners = WeakKeyDictionary[asyncio.Task[Any], Life]()
# The lives of connections and sessions.
_lives = WeakKeyDictionary[object, Life]()


def _find_life() -> Life | None:
    """Return the life of the bot that runs now."""
    life = _life.get(_UNKNOWN)
    if life is not _UNKNOWN:
        return life
    # simcord hands a bot its events in the task that acts.
    scope: Any = vars(_runtime)["_BOT_SCOPE"].get()
    if scope is not None:
        return _bots.get(scope[0].bot)
    # A task that was started in an empty context belongs to the life that started it.
    return _owner_of_task()


def _owner_of_task() -> Life | None:
    with suppress(RuntimeError):
        if (task := asyncio.current_task()) is not None:
            return _owners.get(task)
    return None


def _start(coroutine: abc.Coroutine[Any, Any, None], life: Life | None) -> asyncio.Task[None]:
    context = Context()
    context.run(_life.set, life)
    return context.run(asyncio.get_running_loop().create_task, coroutine)


def _make_task(
    loop: asyncio.AbstractEventLoop, coroutine: Any, *, context: Context | None = None
) -> asyncio.Task[Any]:
    life = _find_life() or _life_begun_by(coroutine, loop)
    if life is None:
        return asyncio.Task(coroutine, loop=loop, context=context)
    if context is None:
        context = copy_context()
        context.run(_life.set, life)
    task = asyncio.Task[Any](coroutine, loop=loop, context=context)
    _owners[task] = life
    if life.is_over:
        # A timer that outlived the bot has begun it.
        task.cancel()
    return task


def _life_begun_by(coroutine: Any, loop: asyncio.AbstractEventLoop) -> Life | None:
    """Return the latest life for what Kiosk begins in an empty context outside of its tasks."""
    code = getattr(coroutine, "cr_code", None)
    is_kiosk = code is not None and code.co_filename.startswith(_FOLDERS)
    return _latest.get(loop) if is_kiosk and _life.get(_UNKNOWN) is _UNKNOWN else None


@functools.cache
def _watch_libraries() -> None:
    """Notice what bots make, and their crossings, in the libraries below Kiosk."""
    _note_makers(aiosqlite.Connection, lambda life: life.files)
    _note_makers(psycopg.AsyncConnection, lambda life: life.servers)
    _note_makers(aiohttp.ClientSession, lambda life: life.sessions)
    until_answers = Life.until_database_answers
    _watch(
        aiosqlite.Connection,
        "_execute",
        _lives.get,
        is_crossing=_is_statement,
        until_begun=until_answers,
    )
    _watch(psycopg.AsyncConnection, "wait", _lives.get, until_begun=until_answers)
    _watch(aiohttp.ClientSession, "_request", _lives.get)
    for discord in (FakeHTTPClient, FakeWebhookAdapter):
        # simcord answers at once, and may hand the bot an event meanwhile.
        _watch(discord, "request", lambda _: _find_life(), is_elsewhere=False)


def _note_makers(library: Any, made_by: abc.Callable[[Life], list[Any]]) -> None:
    make = library.__init__

    @functools.wraps(make)
    def noted(made: Any, *arguments: Any, **named: Any) -> None:
        make(made, *arguments, **named)
        if (life := _find_life()) is not None:
            _lives[made] = life
            made_by(life).append(made)

    library.__init__ = noted


def _is_statement(life: Life, method: Any, *_: object) -> bool:
    """Return whether a connection's thread is handed a statement, or a dead bot's anything."""
    if life.is_closing:
        return False
    return method.__name__ in _STATEMENTS or (life.is_dead and method.__name__ != "close")


def _always(*_: object) -> bool:
    return True


def _watch(
    library: Any,
    name: str,
    find_life: abc.Callable[[Any], Life | None],
    *,
    is_crossing: abc.Callable[..., bool] = _always,
    is_elsewhere: bool = True,
    until_begun: abc.Callable[[Life], abc.Coroutine[Any, Any, None]] | None = None,
) -> None:
    """Make a method's calls cross before and after. Those done elsewhere are finished."""
    original = getattr(library, name)

    @functools.wraps(original)
    async def crossed(made: Any, *arguments: Any, **named: Any) -> Any:
        life = find_life(made)
        if life is None or not is_crossing(life, *arguments):
            return await original(made, *arguments, **named)
        life.cross("before", arguments)
        life.under_way += is_elsewhere
        try:
            with life.outside() if is_elsewhere else nullcontext():
                if until_begun is not None:
                    await until_begun(life)
                result = await original(made, *arguments, **named)
        except Exception:
            life.cross("after", arguments)
            raise
        finally:
            life.under_way -= is_elsewhere
        life.cross("after", arguments)
        return result

    setattr(library, name, crossed)


def _told(argument: Any) -> str:
    """Return what is asked for: a statement, a route, or the name of a step."""
    if isinstance(argument, Route):
        return f"{argument.method} {argument.path}"
    return str(getattr(argument, "__name__", argument)).partition("\n")[0]
