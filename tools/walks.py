"""Count the functions, files and changes of layer in three presses.

`python -m tools.walks` prints a line for each walk. With `--tell`, it prints the calls in order as
well. Then it prints the counts of `tools.statements`.
"""

import asyncio
import dis
import sys
from argparse import ArgumentParser
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any
from weakref import WeakSet

from bot.program.kiosk import Kiosk
from game_service.app import open_service
from tests.support.faulty_proxy import Fault, is_write
from tests.support.forum import EMPTY, ForumTown, open_forum_town
from tests.support.shopping import ask
from tests.support.world import SUBSCRIBER
from tools import statements

ROOT = Path(__file__).parents[1]
# The game runs in the same process, and uses our database code, too.
GAME = f"{ROOT / 'game_service'}/"
OURS = tuple(f"{ROOT / package}/" for package in ("bot", "cogs", "storage"))
# Modules that a reader soon knows by their names, and need not open again. What is left of a walk
# without them is its spine.
VOCABULARY = frozenset(
    {
        *("actions", "background", "cache", "cards", "comments", "custom_ids", "drawing", "forms"),
        *("game_errors", "i18n", "items", "markdown", "rate_limit", "reading", "rows", "theme"),
        *("transport", "trees", "vault", "visible"),
    }
)

Walk = Callable[["Trace", ForumTown], Awaitable[None]]


@dataclass(frozen=True)
class Call:
    """A call of a function of ours, `depth` calls of ours below the event loop."""

    file: str
    function: str
    depth: int

    @property
    def layer(self) -> str | None:
        """The part that the function belongs to: `cogs`, `bot/ui`, `storage`.

        None for a module beside them that all of them use, such as bot/i18n.py.
        """
        top, *rest = self.file.split("/")
        if top != "bot":
            return top
        return f"bot/{rest[0]}" if len(rest) > 1 else None

    @property
    def is_on_spine(self) -> bool:
        """Whether a reader opens the file to understand the walk."""
        path = Path(self.file)
        return path.stem not in VOCABULARY and path.parent != Path("storage/database")


@dataclass
class Trace:
    """The calls of this thread, in order, while `recording` is entered.

    A coroutine counts when it begins, not when it is resumed. Comprehensions and lambdas belong to
    the function around them. Calls in tasks other than those that answer a press, and those that
    they start, aren't counted: the bot does other things at the same time.
    """

    calls: list[Call] = field(default_factory=list[Call])
    _answering: WeakSet[asyncio.Task[Any]] = field(default_factory=WeakSet[asyncio.Task[Any]])

    @contextmanager
    def recording(self) -> Generator[None]:
        """Record what is called inside the block."""

        def note(frame: FrameType, event: str, _argument: object) -> None:
            if event != "call" or not _is_entry(frame) or _is_of_the_game(frame):
                return
            task = asyncio.current_task()
            if task is not None and frame.f_code is Kiosk.on_interaction.__code__:
                self._answering.add(task)
            if task in self._answering:
                self.calls.append(_call(frame))

        def start(loop: asyncio.AbstractEventLoop, coroutine: Any, **how: Any) -> asyncio.Task[Any]:
            task = asyncio.Task(coroutine, loop=loop, **how)
            if asyncio.current_task() in self._answering:
                self._answering.add(task)
            return task

        loop = asyncio.get_running_loop()
        loop.set_task_factory(start)
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)
            loop.set_task_factory(None)

    @property
    def functions(self) -> set[tuple[str, str]]:
        """The distinct functions, each as its file and its qualified name."""
        return {(call.file, call.function) for call in self.calls}

    @property
    def spine(self) -> set[tuple[str, str]]:
        """The functions that no reader knows by their names alone."""
        return {(call.file, call.function) for call in self.calls if call.is_on_spine}

    @property
    def changes_of_layer(self) -> int:
        """The number of consecutive calls that belong to two layers."""
        layers = [call.layer for call in self.calls if call.layer is not None]
        return sum(one != other for one, other in pairwise(layers))


async def turn_to_next(trace: Trace, town: ForumTown) -> None:
    """Press "Next" in a thread whose page is loaded."""
    shown = await town.read()
    with trace.recording():
        await town.press(shown, "Next")


async def lose_an_answer(trace: Trace, town: ForumTown) -> None:
    """Reply to a comment, and lose the game's answer."""
    posted = await town.post("Hello", EMPTY)
    form = await town.press(posted, "Reply")
    with town.proxy.failing(Fault.LOST_ANSWER, is_write), trace.recording():
        await town.world.member.submit_modal(form, {"text": "Hello yourself"})


async def purchase(trace: Trace, town: ForumTown) -> None:
    """Confirm a purchase."""
    card = await ask(town.world, item="1")
    with trace.recording():
        await town.world.member.click(card, label="Buy item")


WALKS: dict[str, Walk] = {
    "Next on a page at hand": turn_to_next,
    "A reply whose answer is lost": lose_an_answer,
    "A purchase": purchase,
}


def main() -> None:
    """Walk all three. `--tell` prints every call, indented below its caller."""
    parser = ArgumentParser("python -m tools.walks", description=__doc__)
    parser.add_argument("--tell", action="store_true", help="print every call below its caller")
    asyncio.run(_walk(tell=parser.parse_args().tell))
    statements.main()


async def trace_of(walk: Walk) -> Trace:
    """Return what is called on a walk through a demo game."""
    trace = Trace()
    async with _linked_town() as town:
        await walk(trace, town)
    return trace


async def _walk(*, tell: bool) -> None:
    for name, walk in WALKS.items():
        trace = await trace_of(walk)
        files = {file for file, _function in trace.functions}
        print(
            f"{name}: {len(trace.functions)} functions, {len(trace.spine)} of the spine,"
            f" in {len(files)} files, {trace.changes_of_layer} changes of layer"
        )
        for call in trace.calls if tell else ():
            print(f"{'  ' * (call.depth + 1)}{call.file}: {call.function}")


@asynccontextmanager
async def _linked_town() -> AsyncGenerator[ForumTown]:
    with TemporaryDirectory() as filled, TemporaryDirectory() as copied:
        demo = f"sqlite:///{filled}/game.db"
        async with open_service(demo, demo=True):
            pass
        async with open_forum_town(demo, Path(copied)) as town:
            await town.world.link(town.world.member, SUBSCRIBER)
            yield town


def _is_entry(frame: FrameType) -> bool:
    """Return whether a function of ours is entered here, rather than a coroutine resumed."""
    code = frame.f_code
    if not code.co_filename.startswith(OURS) or code.co_name.startswith("<"):
        return False
    return frame.f_lasti <= _first_instruction(code)


def _is_of_the_game(frame: FrameType) -> bool:
    caller: FrameType | None = frame
    while caller is not None:
        if caller.f_code.co_filename.startswith(GAME):
            return True
        caller = caller.f_back
    return False


@cache
def _first_instruction(code: CodeType) -> int:
    return next(step.offset for step in dis.get_instructions(code) if step.opname == "RESUME")


def _call(frame: FrameType) -> Call:
    code = frame.f_code
    depth = 0
    caller = frame.f_back
    while caller is not None:
        depth += caller.f_code.co_filename.startswith(OURS)
        caller = caller.f_back
    file = Path(code.co_filename).relative_to(ROOT).as_posix()
    return Call(file, code.co_qualname, depth)


if __name__ == "__main__":
    main()
