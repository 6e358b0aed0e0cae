"""Drill over HTTP: three processes behind Caddy, and what a year brings to those who host them.

`python -m tools.hosting` takes ten minutes and 2 GiB. Members press four times a second while

- the database is killed, and while it hangs;
- the process that is the active worker is killed, four times;
- each process is stopped and started again, one after the other;
- 1,500 connections hold an unsigned body, at one process and at Caddy.

It prints a row for each, and ends with 1 if a row breaks a promise. Discord is the tests' stand-in,
PostgreSQL comes from a wheel, and Caddy has the Caddyfile that is shipped, on plain HTTP.
"""

import argparse
import asyncio
import operator
import os
import resource
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import psycopg

from tests.support.bot_process import environment_of
from tests.support.caddy import run_caddy
from tests.support.discord_standin import Discord, Exchange, Member, open_discord
from tests.support.game_process import Books, run_game
from tests.support.postgres import RestartedPostgres, run_restarted_postgres
from tests.support.program import Launcher, Program, open_launcher, run_program

_PROCESSES = 3
_MEMBERS = 8
_BETWEEN_PRESSES = 0.25
# How long Discord waits for the first sign, and after what time without an answer a press is lost.
_FIRST_SIGN_SECONDS = 3.0
_ANSWER_SECONDS = 30.0
# What systemd lets a process open, unless it is told more.
_DESCRIPTORS = 1024
# As Docker does, roughly.
_SECONDS_TO_RESTART = 0.5
_SECONDS_BETWEEN_LOOKS = 0.2
# After what time a press has reached a process, without an answer yet.
_SECONDS_UNDER_WAY = 0.02
_SECONDS_TO_SETTLE = 15.0
_KILLS = 4
_ATTACKERS = 1500
_ATTACK_SECONDS = 25.0
# Below what Kiosk takes. The end of it never comes.
_HELD_BODY = b"{" + b" " * 499_999
_DECLARED_BYTES = 510_000
_MAX_MORE_MIB = 150
_SEALED_OFF = "can't use its database"
_REFUSED = 401
_HEAD = ("phase", "presses", "in time", "first sign", "answer", "lost", "drill late", "")


@dataclass(eq=False)
class Press:
    """What a member used at a moment of the loop's clock, and the seconds until the results."""

    number: int
    at: float
    # How much later it began than it was due, because the drill itself was blocked.
    lateness: float
    name: str = ""
    status: int | None = None
    first_sign: float | None = None
    answer: float | None = None
    text: str = ""

    @property
    def is_in_time(self) -> bool:
        return self.first_sign is not None and self.first_sign <= _FIRST_SIGN_SECONDS

    @property
    def is_lost(self) -> bool:
        return self.answer is None


@dataclass
class Crowd:
    """Members who press in turn, whatever the result."""

    discord: Discord
    members: Sequence[Member]
    thread: int
    catalog: int
    presses: list[Press] = field(default_factory=list[Press])
    under_way: dict[Press, asyncio.Task[None]] = field(
        default_factory=dict[Press, asyncio.Task[None]]
    )
    # Set whenever one begins.
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    # The written texts that members were told are posted.
    posted: set[str] = field(default_factory=set[str])

    async def press_for_ever(self) -> None:
        now = asyncio.get_running_loop().time
        due = now()
        while True:
            press = Press(len(self.presses), now(), now() - due)
            self.presses.append(press)
            self.under_way[press] = asyncio.create_task(self._make(press))
            self.begun.set()
            due = now() + _BETWEEN_PRESSES
            await asyncio.sleep(_BETWEEN_PRESSES)

    async def _make(self, press: Press) -> None:
        number = press.number
        slash = self.discord.slash
        member = self.members[number % len(self.members)]
        text = f"Comment {number}."
        uses: dict[str, Callable[[], Awaitable[Exchange]]] = {
            "help": partial(slash, member, "help"),
            "account show": partial(slash, member, "account show"),
            "forum read": partial(slash, member, "forum read", thread=str(self.thread)),
            "shop browse": partial(slash, member, "shop browse", catalog=str(self.catalog)),
            "forum post": partial(
                slash, member, "forum post", thread=str(self.thread), content=text
            ),
        }
        press.name = list(uses)[number // len(self.members) % len(uses)]
        now = asyncio.get_running_loop().time
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                exchange = await uses[press.name]()
                press.status = exchange.status
                await exchange.changes.until(lambda: exchange.is_acknowledged)
                press.first_sign = now() - press.at
                await exchange.changes.until(lambda: bool(exchange.text))
                press.answer = now() - press.at
                press.text = exchange.text
                if press.name == "forum post":
                    await exchange.changes.until(lambda: "Comment posted" in exchange.text)
                    self.posted.add(text)
        del self.under_way[press]


@dataclass
class Fleet:
    """The processes, each on a port of its own, started again if they end."""

    launcher: Launcher
    folder: Path
    environment: dict[str, str]
    session: aiohttp.ClientSession
    ports: Sequence[int]
    programs: dict[int, Program] = field(default_factory=dict[int, Program])
    starts: Counter[int] = field(default_factory=Counter[int])
    statuses: list[int] = field(default_factory=list[int])
    # The logs of processes that logged a fault.
    faulty: list[str] = field(default_factory=list[str])

    async def keep(self, port: int) -> None:
        """Run the process of a port, again and again."""
        environment = self.environment | {"INTERACTIONS_PORT": str(port)}
        while True:
            self.starts[port] += 1
            try:
                async with run_program(
                    self.launcher, ["bot", "run"], environment, self.folder
                ) as program:
                    self.programs[port] = program
                    self.statuses.append(await _end_of(program))
            except AssertionError as error:
                self.faulty.append(str(error))
                print(error, file=sys.stderr)
            await asyncio.sleep(_SECONDS_TO_RESTART)

    async def facts(self, port: int, path: str) -> dict[str, object]:
        """Return what a process says about itself, nothing if it says nothing."""
        timeout = aiohttp.ClientTimeout(total=5)
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self.session.get(
                f"http://127.0.0.1:{port}{path}", timeout=timeout
            ) as answer:
                return await answer.json()
        return {}

    async def until_ready(self) -> None:
        for port in self.ports:
            await _until(partial(self._is_ready, port))

    async def _is_ready(self, port: int) -> bool:
        return bool((await self.facts(port, "/readyz")).get("ok"))

    async def worker(self) -> int:
        """Return the port of the active worker, once there is one."""
        while True:
            for port in self.ports:
                if (await self.facts(port, "/livez")).get("worker") == "active":
                    return port
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    def memory(self) -> Sequence[int]:
        """Return what each process has in memory, in MiB."""
        return [_memory_of(self.programs[port].pid) for port in self.ports]


@dataclass
class Row:
    """A phase, the presses that began in it, and what is wrong with them."""

    phase: str
    presses: Sequence[Press]
    note: str = ""
    faults: list[str] = field(default_factory=list[str])

    def cells(self) -> Iterator[str]:
        first = [press.first_sign for press in self.presses if press.first_sign is not None]
        answers = [press.answer for press in self.presses if press.answer is not None]
        yield self.phase
        yield str(len(self.presses))
        yield str(sum(press.is_in_time for press in self.presses))
        yield f"{max(first, default=0.0):.2f} s"
        yield f"{max(answers, default=0.0):.1f} s"
        yield str(sum(press.is_lost for press in self.presses))
        yield f"{max((press.lateness for press in self.presses), default=0.0):.1f} s"
        yield "; ".join([self.note, *(f"BROKEN: {fault}" for fault in self.faults)])


@dataclass
class Drill:
    crowd: Crowd
    fleet: Fleet
    postgres: RestartedPostgres
    books: Books
    address: str
    rows: list[Row] = field(default_factory=list[Row])

    @asynccontextmanager
    async def phase(self, name: str) -> AsyncGenerator[Row]:
        """Give a row for what is pressed while the block runs. Wait for its answers."""
        begun = len(self.crowd.presses)
        print(f"… {name}", file=sys.stderr)
        row = Row(name, [])
        yield row
        presses = self.crowd.presses[begun:]
        await asyncio.gather(*self.crowd.under_way.values())
        row.presses = presses
        self.rows.append(row)

    def want_all_in_time(self, row: Row) -> None:
        late = Counter(
            f"{press.name} {press.status}" for press in row.presses if not press.is_in_time
        )
        if late:
            row.faults.append(f"not answered within 3 s: {dict(late)}")

    async def quiet(self, seconds: float) -> None:
        async with self.phase("nothing happens") as row:
            await asyncio.sleep(seconds)
        self.want_all_in_time(row)

    async def without_database(self, seconds: float) -> None:
        """Kill the database, and start it again."""
        starts = self.fleet.starts.total()
        async with self.phase(f"database killed for {seconds:.0f} s") as row:
            await asyncio.to_thread(self.postgres.kill)
            await asyncio.sleep(seconds)
            await asyncio.to_thread(self.postgres.start)
        await self._note_records(row, starts)

    async def with_hanging_database(self, seconds: float) -> None:
        """Suspend the database with all its processes, as a hanging disk does."""
        starts = self.fleet.starts.total()
        async with self.phase(f"database hangs for {seconds:.0f} s") as row:
            postmaster = _postmaster(self.postgres.address)
            server = [postmaster, *_children_of(postmaster, "postgres")]
            for pid in server:
                os.kill(pid, signal.SIGSTOP)
            try:
                await asyncio.sleep(seconds)
            finally:
                for pid in server:
                    os.kill(pid, signal.SIGCONT)
        await self._note_records(row, starts)

    async def _note_records(self, row: Row, starts: int) -> None:
        said = sum(_SEALED_OFF in press.text for press in row.presses)
        row.note = f"{said} read that Kiosk {_SEALED_OFF}"
        self.want_all_in_time(row)
        if lost := sum(press.is_lost for press in row.presses):
            row.faults.append(f"{lost} were never told")
        await self.fleet.until_ready()
        if more := self.fleet.starts.total() - starts:
            row.faults.append(f"{more} processes were started again")
        async with self.phase("database is back") as after:
            await asyncio.sleep(_SECONDS_TO_SETTLE)
        self.want_all_in_time(after)

    async def kill_workers(self) -> None:
        for number in range(1, _KILLS + 1):
            async with self.phase(f"worker killed, {number} of {_KILLS}") as row:
                await asyncio.sleep(_SECONDS_TO_SETTLE / 3)
                port = await self.fleet.worker()
                # It is killed while a member waits.
                self.crowd.begun.clear()
                await self.crowd.begun.wait()
                await asyncio.sleep(_SECONDS_UNDER_WAY)
                held = {*self.crowd.under_way}
                await self.fleet.programs[port].kill()
                begun = asyncio.get_running_loop().time()
                await self.fleet.worker()
                seconds = asyncio.get_running_loop().time() - begun
                await self.fleet.until_ready()
                await asyncio.sleep(_SECONDS_TO_SETTLE / 3)
            row.note = f"another works after {seconds:.1f} s, {len(held)} were under way"
            if lost := [press for press in row.presses if press.is_lost and press not in held]:
                row.faults.append(f"{len(lost)} more are lost than the dead one can have held")

    async def restart_in_turn(self) -> None:
        async with self.phase("rolling restart") as row:
            for port in self.fleet.ports:
                stopped = self.fleet.programs[port]
                stopped.send(signal.SIGTERM)
                await _end_of(stopped)
                # Another one answers on its port by then.
                await self.fleet.until_ready()
                await asyncio.sleep(_SECONDS_TO_SETTLE / 3)
            row.note = f"ended with {self.fleet.statuses[-_PROCESSES:]}"
            if any(self.fleet.statuses[-_PROCESSES:]):
                row.faults.append("an end was no clean one")
        self.want_all_in_time(row)

    async def hold_bodies(self, name: str, port: int) -> None:
        """Hold many unsigned bodies at a port while members press."""
        before = self.fleet.memory()
        most = before
        of_caddy = 0
        async with self.phase(f"{_ATTACKERS} bodies held at {name}") as row:
            # Apart from the processes that measure how soon members are answered.
            attackers = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tools.hosting", "--hold", str(port)),
                stdout=asyncio.subprocess.PIPE,
            )
            ending = asyncio.create_task(attackers.communicate())
            while not ending.done():
                await asyncio.wait([ending], timeout=_SECONDS_BETWEEN_LOOKS)
                most = [*map(max, most, self.fleet.memory())]
                of_caddy = max(of_caddy, sum(map(_memory_of, _children_of(os.getpid(), "caddy"))))
            told, _ = await ending
        await asyncio.sleep(_SECONDS_TO_SETTLE)
        more = [*map(operator.sub, most, before)]
        kept = [*map(operator.sub, self.fleet.memory(), before)]
        row.note = (
            f"{more} MiB more, {kept} MiB after it, Caddy had {of_caddy} MiB;"
            f" {told.decode().strip()} were sent away"
        )
        if max(more) >= _MAX_MORE_MIB:
            row.faults.append(f"{_MAX_MORE_MIB} MiB and more in a process")
        self.want_all_in_time(row)

    def read_logs(self) -> None:
        """Count the processes that logged a fault before they ended."""
        row = Row("logs", [], f"of {len(self.fleet.statuses)} processes that ended")
        if faulty := self.fleet.faulty:
            row.faults.append(f"{len(faulty)} logged a fault")
        self.rows.append(row)

    def compare_books(self) -> None:
        """Compare what members wrote with what the game has."""
        texts = Counter(self.books.texts())
        row = Row("all comments", [], f"{len(self.crowd.posted)} posted, {len(texts)} in the game")
        if doubled := {text for text, count in texts.items() if count > 1}:
            row.faults.append(f"doubled: {sorted(doubled)}")
        if missing := self.crowd.posted - texts.keys():
            row.faults.append(f"missing: {sorted(missing)}")
        self.rows.append(row)


async def _hold_bodies(port: int) -> None:
    """Hold many unsigned bodies at a port for a while. Print how many were sent away."""
    # They have processors of their own.
    os.nice(19)
    async with _tasks() as attacking:
        attackers = [attacking(_hold_body(port, number)) for number in range(_ATTACKERS)]
        await asyncio.sleep(_ATTACK_SECONDS)
        print(sum(attacker.done() for attacker in attackers))


async def _hold_body(port: int, number: int) -> None:
    """Begin to post a body without an end, forged or unsigned. End if it is sent away."""
    signed = f"X-Signature-Ed25519: {number:0128x}\r\nX-Signature-Timestamp: {time.time():.0f}\r\n"
    head = (
        "POST /interactions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"{signed if number % 2 else ''}Content-Length: {_DECLARED_BYTES}\r\n\r\n"
    )
    with suppress(OSError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(head.encode() + _HELD_BODY)
            while await reader.read(1 << 16):
                pass
        finally:
            writer.transport.abort()


async def _until(condition: Callable[[], Awaitable[bool]]) -> None:
    while True:
        if await condition():
            return
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


async def _end_of(program: Program) -> int:
    """Return a program's exit status, however long it runs."""
    while True:
        with suppress(TimeoutError):
            return await program.ended()


def _memory_of(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
    return 0


def _parent_of(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _postmaster(address: str) -> int:
    with psycopg.connect(address) as connection:
        return _parent_of(connection.info.backend_pid)


def _children_of(parent: int, name: str) -> Sequence[int]:
    """Return the programs of this name that a process has started, and that run."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        pid = int(path.parent.name)
        with suppress(OSError):
            if path.read_text().strip() == name and _parent_of(pid) == parent:
                found.append(pid)
    return found


def _free_ports(count: int) -> Sequence[int]:
    with ExitStack() as stack:
        free = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [server.getsockname()[1] for server in free]


async def _link(discord: Discord, books: Books, name: str) -> Member:
    member = discord.add_member(name)
    player = await books.add_player(name)
    form = await (await discord.slash(member, "account link")).modal()
    await (await discord.submit(member, form, {"token": player.token})).says("Game account linked")
    return member


@asynccontextmanager
async def _open_drill(folder: Path, launcher: Launcher) -> AsyncGenerator[Drill]:
    """Host Kiosk, and let members come who have linked an account."""
    async with AsyncExitStack() as stack:
        postgres = stack.enter_context(run_restarted_postgres())
        discord = await stack.enter_async_context(open_discord())
        books = Books(folder / "game.db")
        game = await stack.enter_async_context(run_game(launcher, books))
        environment = environment_of(discord, game.base_url, folder)
        fleet = Fleet(
            launcher,
            folder,
            environment | {"DATABASE_URL": postgres.address, "LOG_LEVEL": "WARNING"},
            await stack.enter_async_context(aiohttp.ClientSession()),
            _free_ports(_PROCESSES),
        )
        keeping = await stack.enter_async_context(_tasks())
        for port in fleet.ports:
            keeping(fleet.keep(port))
        await fleet.until_ready()
        address = await stack.enter_async_context(
            run_caddy(folder, *(f"127.0.0.1:{port}" for port in fleet.ports))
        )
        posting = discord.state.posting
        url = f"{address}/interactions"

        async def is_open() -> bool:
            status, _ = await posting.send(url, b"{}", {})
            return status == _REFUSED

        await _until(is_open)
        await posting.enter(url)
        thread = await books.add_thread("Quiet corner")
        catalog, _ = await books.add_catalog_of("Straw hat", cost=1)
        members = [await _link(discord, books, f"member-{number}") for number in range(_MEMBERS)]
        crowd = Crowd(discord, members, thread, catalog)
        keeping(crowd.press_for_ever())
        yield Drill(crowd, fleet, postgres, books, address)


@asynccontextmanager
async def _tasks() -> AsyncGenerator[Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]]:
    """Give a function that starts tasks, which end with the block."""
    tasks: list[asyncio.Task[None]] = []

    def start(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        tasks.append(asyncio.create_task(coroutine))
        return tasks[-1]

    try:
        yield start
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run(options: argparse.Namespace) -> bool:
    """Do all of it, and print the table. Return whether every promise was kept."""
    drilling = asyncio.current_task()
    if drilling is not None:
        # As at Ctrl-C, nothing is left running.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, drilling.cancel)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, files[1]))
    with open_launcher() as launcher, TemporaryDirectory() as folder:
        # Those who attack may open more than those who are attacked.
        resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
        async with _open_drill(Path(folder), launcher) as drill:
            await drill.quiet(_SECONDS_TO_SETTLE)
            await drill.without_database(options.away)
            await drill.with_hanging_database(options.hanging)
            await drill.kill_workers()
            await drill.restart_in_turn()
            await drill.hold_bodies("one process", drill.fleet.ports[0])
            await drill.hold_bodies("Caddy", int(drill.address.rpartition(":")[2]))
            drill.read_logs()
            drill.compare_books()
    print(f"{os.cpu_count()} cores, with a load of {os.getloadavg()[0]:.1f} at the end")
    table = [_HEAD, *(tuple(row.cells()) for row in drill.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print("  ".join(padded).rstrip())
    return not any(row.faults for row in drill.rows)


def main() -> None:
    parser = argparse.ArgumentParser("python -m tools.hosting", description=__doc__)
    parser.add_argument("--away", type=float, default=200.0, help="seconds without the database")
    parser.add_argument("--hanging", type=float, default=60.0, help="seconds in which it hangs")
    parser.add_argument("--hold", metavar="PORT", type=int, help="only hold bodies at a port")
    options = parser.parse_args()
    if options.hold is not None:
        asyncio.run(_hold_bodies(options.hold))
    elif not asyncio.run(_run(options)):
        sys.exit(1)


if __name__ == "__main__":
    main()
