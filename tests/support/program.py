"""Programs of ours as processes of their own, which can be killed at any line."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from tests.support.gates import PATIENCE_SECONDS, Happenings

ROOT = Path(__file__).resolve().parents[2]
# As the line to die at: it counts lines, and lives.
NEVER = 0
# What the log of a program has of each fault of ours, and of nothing else.
FAULT = "Traceback (most recent call last)"
# How many have died at a line of their own, by the test that armed them.
DIED_AT_A_LINE = Counter[str]()
_MAX_LINE_LENGTH = 1 << 20


class Launcher:
    """Starts programs as forks of an interpreter that has loaded their libraries."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        output: int,
        errors: int,
        control: int,
    ) -> int:
        """Start `python -m` with these arguments in a folder; gives its id.

        It has these descriptors to write to and to obey. Nothing of the tests' own environment is
        handed on, so that no setting is met by accident.
        """
        order = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "folder": str(folder),
        }
        return self._send(order, output, errors, control)

    def wait(self, pid: int) -> int:
        """Give the exit status of a program that ends, or has ended."""
        return self._send({"wait": pid})

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> "Ended":
        """Run `python -m` with these arguments in a folder to its end."""
        ours, theirs = socket.socketpair()
        with ours, theirs, TemporaryFile() as output, TemporaryFile() as errors:
            pid = self.start(
                arguments,
                environment,
                folder,
                output=output.fileno(),
                errors=errors.fileno(),
                control=theirs.fileno(),
            )
            status = self.wait(pid)
            output.seek(0)
            errors.seek(0)
            return Ended(status, output.read().decode(), errors.read().decode())

    def _send(self, order: Mapping[str, object], *descriptors: int) -> int:
        socket.send_fds(self._orders, [json.dumps(order).encode()], descriptors)
        answer = self._orders.recv(64)
        assert answer, "the launcher is gone"
        return int(answer)


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str


@contextmanager
def open_launcher() -> Generator[Launcher]:
    """Load the programs; whatever still runs is killed at the end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.crashing", str(theirs.fileno())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        with process:
            theirs.close()
            try:
                yield Launcher(ours)
            finally:
                # It ends once no one can give it orders, and is waited for.
                ours.close()


class Program:
    """A running process and what it has written, to either stream."""

    def __init__(
        self, launcher: Launcher, pid: int, output: asyncio.StreamReader, control: socket.socket
    ) -> None:
        self._launcher = launcher
        self.pid = pid
        self._status: int | None = None
        self._control = control
        self._is_killed = False
        self._written = Happenings[str]()
        self._reading = asyncio.create_task(self._read(output))

    @property
    def output(self) -> str:
        return "\n".join(self._written.past)

    @property
    def has_failed(self) -> bool:
        return any(FAULT in line for line in self._written.past)

    async def says(self, text: str) -> str:
        """Wait for a line with this text; AssertionError if the program ends or fails first."""

        def is_enough() -> bool:
            is_said = any(text in line for line in self._written.past)
            return is_said or self._status is not None or self.has_failed

        await self._written.until(is_enough)
        for line in self._written.past:
            if text in line:
                return line
        raise AssertionError(f"the program ended or failed without {text!r}:\n{self.output}")

    async def died_before(self, text: str) -> bool:
        """Wait for a line with this text; tells whether the program was killed before it."""
        try:
            await self.says(text)
        except AssertionError:
            if self.has_failed:
                raise
            assert await self.ended() == -signal.SIGKILL, self.output
            return True
        return False

    async def arm(self, lines: int, folders: Sequence[str]) -> None:
        """Let it die at the n-th line from now that it runs in these folders of the repository."""
        await self._order("arm", str(lines), *(f"{ROOT / folder}{os.sep}" for folder in folders))

    async def count(self) -> int:
        """Give how many lines it has run since it was armed."""
        return await self._order("count")

    async def kill(self) -> None:
        self.send(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> int:
        self.send(signal.SIGTERM)
        return await self.ended()

    async def ended(self) -> int:
        """Wait until it has ended; the status of one that was killed is negative."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            # Shielded: a waiter may be cancelled, and others read on.
            return await asyncio.shield(self._reading)

    async def _read(self, output: asyncio.StreamReader) -> int:
        async for line in output:
            self._written.add(line.decode(errors="replace").rstrip())
        self._status = self._launcher.wait(self.pid)
        if self._status == -signal.SIGKILL and not self._is_killed:
            DIED_AT_A_LINE[os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]] += 1
        self._written.notify()
        return self._status

    async def _order(self, *words: str) -> int:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._control, "\n".join(words).encode())
        self.send(signal.SIGUSR1)
        async with asyncio.timeout(PATIENCE_SECONDS):
            return int(await loop.sock_recv(self._control, 64))

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; it may have ended."""
        # Until its status was asked for, even a dead process keeps its id.
        if self._status is None:
            self._is_killed |= number is signal.SIGKILL
            os.kill(self.pid, number)


@asynccontextmanager
async def run_program(
    launcher: Launcher, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
) -> AsyncGenerator[Program]:
    """Start `python -m` with these arguments in a folder. Kill it at the end if it still runs.

    AssertionError if it has logged a fault of ours, for which no one may have waited.
    """
    read_end, write_end = os.pipe()
    output = asyncio.StreamReader(limit=_MAX_LINE_LENGTH)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(output), os.fdopen(read_end, "rb")
    )
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours:
        with theirs:
            pid = launcher.start(
                arguments,
                environment,
                folder,
                output=write_end,
                errors=write_end,
                control=theirs.fileno(),
            )
        os.close(write_end)
        program = Program(launcher, pid, output, ours)
        try:
            yield program
        finally:
            await program.kill()
            transport.close()
        assert not program.has_failed, program.output


async def at_a_terminal(
    launcher: Launcher,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    answers: Sequence[tuple[str, str]],
) -> tuple[int, str]:
    """Answer each question as it comes; give the exit status, and what was said until the last."""
    terminal, its_end = os.openpty()
    control, its_control = socket.socketpair()
    with os.fdopen(terminal, "r+b", 0) as keys, os.fdopen(its_end, "wb") as screen:
        with control, its_control:
            ends = {"output": screen.fileno(), "errors": screen.fileno()}
            pid = launcher.start(
                arguments, environment, folder, control=its_control.fileno(), **ends
            )
        shown = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(shown), keys
        )
        said = ""
        for question, answer in answers:
            async with asyncio.timeout(PATIENCE_SECONDS):
                said += (await shown.readuntil(question.encode())).decode()
            keys.write(f"{answer}\n".encode())
        status = await asyncio.to_thread(launcher.wait, pid)
        transport.close()
    return status, said
