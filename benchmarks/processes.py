"""Servers as processes of their own."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_LISTENING = "listening on "


@dataclass(frozen=True)
class Server:
    """A server that accepts requests at `base_url`."""

    base_url: str
    pid: int

    def memory(self) -> int:
        """Give the memory that the process has in use, in KiB."""
        return memory_of(self.pid)


def memory_of(pid: int) -> int:
    """Give the memory that a process has in use, in KiB."""
    asked = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True)
    return int(asked.stdout)


@contextmanager
def serve(*arguments: str) -> Generator[Server]:
    """Run `python` with these arguments, which must say `listening on` and an address."""
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith(_LISTENING), f"{arguments} does not listen"
            yield Server(line.removeprefix(_LISTENING).strip(), process.pid)
        finally:
            process.terminate()


def serve_game(path: Path) -> AbstractContextManager[Server]:
    """Run the game service on the database at `path`."""
    return serve(*game_arguments(path))


def game_arguments(path: Path) -> list[str]:
    """Give what makes `python` run the service on the database at `path`, on a free port."""
    return ["-m", "game_service", "--port", "0", "--database", f"sqlite:///{path}"]
