"""Servers as processes of their own."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_LISTENING = "listening on "


@dataclass(frozen=True)
class Server:
    """A server that accepts requests at `base_url`."""

    base_url: str
    pid: int


def memory_of(pid: int) -> int:
    """Return the memory that a process has in use, in KiB."""
    asked = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True)
    return int(asked.stdout)


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used, to the nanosecond, as Linux has it.

    The number of its clock is made as `clock_getcpuclockid` makes it.
    """
    return time.clock_gettime((~pid << 3) | 2)


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


async def told_by(
    module: str, *arguments: str, environment: Mapping[str, str] | None = None
) -> Any:
    """Run `python -m` to its end. Return the JSON of its last line.

    Its environment is ours, plus what is given.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, f"{module} failed"
    return json.loads(told.splitlines()[-1])


def serve_game(path: Path) -> AbstractContextManager[Server]:
    """Run the game service on the database at `path`."""
    return serve("-m", "game_service", "--port", "0", "--database", f"sqlite:///{path}")
