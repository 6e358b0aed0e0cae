"""Servers as processes of their own."""

import os
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


def processor_seconds(pid: int) -> float:
    """Give the processor time that a process has used, as Linux tells it."""
    told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serve(*arguments: str, told: str = "") -> Generator[Server]:
    """Run `python` with these arguments, which must say `listening on` and an address.

    `told` is its input.
    """
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(told)
            process.stdin.close()
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
