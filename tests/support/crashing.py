"""Run apart from the tests: start our programs, each in a process that is ready to die at any line.

`python -m tests.support.crashing FD` loads our programs, then serves orders that come through the
socket FD, each one JSON object and answered with one number:

    {"arguments": [...], "environment": {...}, "folder": ...}     gives the id of a new process
    {"wait": ID}                                                  gives the exit status

The first comes with three file descriptors: for the program's output, for its complaints, and for
its orders. The new process is a fork, which has the modules already, and runs what
`python -m ARGUMENTS` would. What differs: discord.py is pointed at the addresses in STANDIN_API and
STANDIN_GATEWAY if they are set, and SIGUSR1 makes the process obey an order of one line, and
answer with the number of lines it has run:

    arm LINES FOLDER...   count the lines run in these folders; at the given one, kill yourself
    count                 only answer
"""

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
from io import TextIOWrapper
from types import FrameType
from typing import Any, cast

_MAX_ORDER_LENGTH = 1 << 16


class Fuse:
    """Counts lines of the main thread and kills the process when they are used up.

    SIGKILL, because nothing may be tidied up. The line that would have come next is not run.
    """

    def __init__(self) -> None:
        self.lines = 0
        self._last = 0
        self._folders: tuple[str, ...] = ()

    def light(self, lines: int, folders: tuple[str, ...]) -> None:
        """Start counting from zero."""
        self.lines, self._last, self._folders = 0, lines, folders
        sys.settrace(self._enter)

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        # A coroutine that goes on enters its frame again, so suspended ones are met too.
        return self._step if frame.f_code.co_filename.startswith(self._folders) else None

    def _step(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self._last:
                os.kill(os.getpid(), signal.SIGKILL)
        return self._step


def serve(orders: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Obey until the tests are gone. Returns in new processes alone, with what they are to be."""
    running: set[int] = set()
    while True:
        data, descriptors, _, _ = socket.recv_fds(orders, _MAX_ORDER_LENGTH, 3)
        if not data:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
            sys.exit()
        order = json.loads(data)
        if "wait" in order:
            pid, status = os.waitpid(order["wait"], 0)
            running.discard(pid)
            orders.send(str(os.waitstatus_to_exitcode(status)).encode())
            continue
        pid = os.fork()
        if not pid:
            orders.close()
            return order, descriptors
        for descriptor in descriptors:
            os.close(descriptor)
        running.add(pid)
        orders.send(str(pid).encode())


def become(order: dict[str, Any], output: int, errors: int, control: int) -> None:
    if os.isatty(output):
        # The first one that a new session opens is the one at which it is typed.
        os.setsid()
        os.dup2(os.open(os.ttyname(output), os.O_RDWR), sys.stdin.fileno())
        # As Python writes to a terminal that is there at its start.
        cast("TextIOWrapper", sys.stdout).reconfigure(line_buffering=True)
    os.dup2(output, sys.stdout.fileno())
    os.dup2(errors, sys.stderr.fileno())
    os.close(output)
    os.close(errors)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    _listen(control)
    if "STANDIN_API" in os.environ:
        _point_at_stand_in()
    sys.argv = list(order["arguments"])
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _listen(control: int) -> None:
    fuse = Fuse()

    def obey(_signal: int, _frame: FrameType | None) -> None:
        order, *arguments = os.read(control, _MAX_ORDER_LENGTH).decode().split("\n")
        if order == "arm":
            lines, *folders = arguments
            fuse.light(int(lines), tuple(folders))
        os.write(control, str(fuse.lines).encode())

    signal.signal(signal.SIGUSR1, obey)


def _point_at_stand_in() -> None:
    import yarl
    from discord.gateway import DiscordWebSocket
    from discord.http import Route

    Route.BASE = os.environ["STANDIN_API"]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["STANDIN_GATEWAY"])


def main() -> None:
    importlib.import_module("tests.support.preloaded")
    # New processes need not copy what they never collect.
    gc.freeze()
    order, (output, errors, control) = serve(socket.socket(fileno=int(sys.argv[1])))
    become(order, output, errors, control)


if __name__ == "__main__":
    main()
