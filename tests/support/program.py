"""A program of ours as a process of its own, which can be killed at any line."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.support.gates import PATIENCE, Happenings

ROOT = Path(__file__).resolve().parents[2]
# As the line to die at: it counts lines, and lives.
NEVER = 0
_LONGEST_LINE = 1 << 20


class Program:
    """A running process and what it has written, to either stream."""

    def __init__(self, process: asyncio.subprocess.Process, control: socket.socket) -> None:
        self._process = process
        self._control = control
        self._written = Happenings[str]()
        self._reading = asyncio.create_task(self._read())

    @property
    def output(self) -> str:
        """All that the program has written so far."""
        return "\n".join(self._written.past)

    async def says(self, text: str) -> str:
        """Wait for a line with this text, and give it; AssertionError if the program ends first."""
        await self._written.until(
            lambda: self._reading.done() or any(text in line for line in self._written.past)
        )
        for line in self._written.past:
            if text in line:
                return line
        raise AssertionError(f"the program ended without {text!r}:\n{self.output}")

    async def arm(self, lines: int, folders: Sequence[str]) -> None:
        """Let it die at the n-th line from now that it runs in these folders of the repository."""
        await self._order("arm", str(lines), *(f"{ROOT / folder}{os.sep}" for folder in folders))

    async def count(self) -> int:
        """Give how many lines it has run since it was armed."""
        return await self._order("count")

    async def kill(self) -> None:
        """End it as a power cut would; it may have died already."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self.ended()

    async def stop(self) -> int:
        """Ask it to end, and give its exit status."""
        with suppress(ProcessLookupError):
            self._process.terminate()
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it has ended; the status of one that was killed is negative."""
        async with asyncio.timeout(PATIENCE):
            # Shielded: whoever waits may be cancelled, and others read on.
            await asyncio.shield(self._reading)
            return await self._process.wait()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._written.add(line.decode(errors="replace").rstrip())
        self._written.notify()

    async def _order(self, *words: str) -> int:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._control, "\n".join(words).encode())
        self._process.send_signal(signal.SIGUSR1)
        async with asyncio.timeout(PATIENCE):
            return int(await loop.sock_recv(self._control, 64))


@asynccontextmanager
async def run_program(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path
) -> AsyncGenerator[Program]:
    """Start `python -m` with these arguments in a folder; kill it at the end if it still runs.

    Nothing of the tests' own environment is handed on, so that no setting is met by accident.
    """
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.support.crashing",
            *arguments,
            cwd=folder,
            env={
                "PATH": os.environ.get("PATH", ""),
                "PYTHONPATH": str(ROOT),
                "PYTHONUNBUFFERED": "1",
                "CONTROL_FD": str(theirs.fileno()),
                **environment,
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            limit=_LONGEST_LINE,
            pass_fds=[theirs.fileno()],
        )
        program = Program(process, ours)
        try:
            yield program
        finally:
            await program.kill()
