"""Run inside the process under test: start one of our programs, ready to die at any line.

`python -m tests.support.crashing MODULE ARGUMENT...` runs the module as `python -m` would. What
differs: discord.py is pointed at the addresses in STANDIN_API and STANDIN_GATEWAY where they are
set, and SIGUSR1 makes the process read an order from CONTROL_FD and obey it:

    arm LINES FOLDER...   count the lines run in these folders; at the given one, kill yourself
    count                 say how many lines were run since then

Each order is answered with one line.
"""

import os
import runpy
import signal
import sys
from types import FrameType
from typing import Any


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


def listen(control: int) -> None:
    """Obey orders from now on."""
    fuse = Fuse()

    def obey(_signal: int, _frame: FrameType | None) -> None:
        order, *arguments = os.read(control, 4096).decode().split("\n")
        if order == "arm":
            lines, *folders = arguments
            fuse.light(int(lines), tuple(folders))
        os.write(control, f"{fuse.lines}\n".encode())

    signal.signal(signal.SIGUSR1, obey)


def main() -> None:
    """Run the module named on the command line."""
    module, *arguments = sys.argv[1:]
    listen(int(os.environ.pop("CONTROL_FD")))
    if "STANDIN_API" in os.environ:
        import yarl
        from discord.gateway import DiscordWebSocket
        from discord.http import Route

        Route.BASE = os.environ["STANDIN_API"]
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["STANDIN_GATEWAY"])
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
