"""Upgrade databases of 1.0.0 and 2.0.0 with many rows, and disturb that in every way.

`python -m tools.upgrading` prints a line for each upgrade: how long it took from the start of the
program, in seconds and in those of the processor, whether all rows are as after an undisturbed one,
what it left beside the database, and the exit codes of all its starts. It ends with 1 if a line has
a fault. It must be root, to have a disk that is full, and needs the releases' commits.
"""

import argparse
import asyncio
import io
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections import abc
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from storage import MIGRATIONS
from storage.database.sqlite import database_path
from tests.support.databases import run_beside
from tests.support.discord_standin import Discord, open_discord
from tests.support.one_zero import database_of_one_zero
from tests.support.postgres import drop_database, new_database
from tests.support.world import KEY
from tools.upgrading.filling import Counts, count_rows, fill
from tools.upgrading.starting import FILLER, LAST_STATEMENTS

ROOT = Path(__file__).parents[2]
# The last commit of each.
RELEASES = {
    "1.0.0": "4ca588579a1296565c918692754fae42a84ec9ee",
    "2.0.0": "d106fe87364bf7e63c349602c4888657e1556a9a",
}
MANY_ROWS = 100_000
FEW_ROWS = 2_000
# How often two start at once.
TIMES = 8
MAX_SECONDS = 15.0
# The patience with a start, which may wait for another process for a minute.
PATIENCE_SECONDS = 300.0
# Starts the program in the current folder.
OLDER = """
import os, runpy, sys, yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route
Route.BASE = os.environ["STANDIN_API"]
DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["STANDIN_GATEWAY"])
sys.argv = ["bot", "run"]
runpy.run_module("bot", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Start:
    """How a start of Kiosk ended."""

    code: int
    seconds: float
    # Seconds of the processor, which a busy machine doesn't change, without the server's own.
    processor: float
    said: str


@dataclass
class Drill:
    """A release's database that is upgraded again and again, and the lines about that."""

    engine: str
    version: str
    # The release's own program.
    release: Path
    discord: Discord
    rows: int
    folder: Path
    original: str = ""
    before: Counts = field(default_factory=Counts)
    after: Counts = field(default_factory=Counts)
    # The numbers of the last statements of each step, by the step's own.
    last: dict[int, int] = field(default_factory=dict[int, int])
    has_failed: bool = False

    async def make(self) -> None:
        """Make the database, and upgrade it once without any disturbance."""
        os.environ["DATABASE"] = self.engine
        self.original = database_of_one_zero(self.folder / "kiosk.db")
        await fill(self.original, self.rows, self.release / "storage" / "steps")
        self.before = count_rows(self.original)
        with self.copied() as (address, folder):
            start = await self.start(address, folder)
            self.after = count_rows(address)
            self.tell("undisturbed", address, folder, [0], start)
        (numbers,) = re.findall(f"{LAST_STATEMENTS}(.*)", start.said)
        last_step = len(list(MIGRATIONS.iterdir()))
        lasts = [int(number) for number in numbers.split()]
        self.last = dict(enumerate(lasts, last_step - len(lasts) + 1))

    @contextmanager
    def copied(self, disk: str = "") -> abc.Generator[tuple[str, Path]]:
        """Give the address of a copy that may be upgraded, and a folder. On SQLite it is in there.

        A `disk` of so many bytes is mounted for it.
        """
        with TemporaryDirectory() as name:
            folder = Path(name)
            if disk:
                options = ["-t", "tmpfs", "-o", f"size={disk}", "kiosk", name]
                subprocess.run(["mount", *options], check=True)
            try:
                if self.engine == "sqlite":
                    path = shutil.copy(database_path(self.original), folder / "kiosk.db")
                    yield f"sqlite:///{path}", folder
                else:
                    address = new_database(self.original, self.original)
                    yield address, folder
                    drop_database(self.original, address)
            finally:
                if disk:
                    subprocess.run(["umount", name], check=True)

    def environment(self, address: str, program: Path) -> dict[str, str]:
        return {
            "PYTHONPATH": str(program),
            "STANDIN_API": self.discord.state.api_url,
            "STANDIN_GATEWAY": self.discord.state.gateway_url,
            "DISCORD_TOKEN": self.discord.state.token,
            "GAME_BASE_URL": "http://127.0.0.1:9",
            "DATABASE_URL": address,
            "KIOSK_KEYS": KEY,
        }

    async def run(
        self, address: str, python: Path, program: Path, folder: Path, *arguments: str
    ) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(python, *arguments),
            cwd=folder,
            env=self.environment(address, program),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    async def begin(self, address: str, folder: Path, *deed: str) -> asyncio.subprocess.Process:
        """Start this Kiosk, which ends once its database is open."""
        arguments = ("-m", "tools.upgrading.starting", *(deed or ["none"]))
        return await self.run(address, Path(sys.executable), ROOT, folder, *arguments)

    async def start(self, address: str, folder: Path, *deed: str) -> Start:
        began = time.monotonic()
        return await ended(await self.begin(address, folder, *deed), began)

    async def start_older(self, address: str) -> asyncio.subprocess.Process:
        """Start the release, with the libraries that it has pinned."""
        python = python_in(self.release)
        return await self.run(address, python, self.release, self.release, "-c", OLDER)

    @asynccontextmanager
    async def older(self, address: str) -> abc.AsyncGenerator[asyncio.subprocess.Process]:
        """Run the release, and give it once it answers members."""
        sessions = self.discord.state.gateway.sessions
        known = len(sessions.past)
        process = await self.start_older(address)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await sessions.first(lambda _: True, since=known)
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            said, _ = await process.communicate()
            if len(sessions.past) == known:
                print(said.decode(), file=sys.stderr)

    def tell(
        self, what: str, address: str, folder: Path, wanted: abc.Sequence[int], *starts: Start
    ) -> None:
        """Print a line about an upgrade that is done."""
        is_same = count_rows(address) == self.after
        left = names_beside(folder)
        codes = [start.code for start in starts]
        is_good = is_same and codes == [*wanted]
        if self.engine == "sqlite":
            is_good &= len(left) == 1
            is_good &= all(count_rows(f"sqlite:///{folder / name}") == self.before for name in left)
        if self.rows == MANY_ROWS:
            is_good &= starts[-1].seconds <= MAX_SECONDS
        rows = "same rows" if is_same else "OTHER ROWS"
        self.line(what, is_good, starts[-1], rows, ", ".join(left), codes)
        if not is_good:
            print(*(start.said for start in starts), sep="---\n", file=sys.stderr)

    def line(
        self, what: str, is_good: bool, last: Start, rows: str, left: str, codes: list[int]
    ) -> None:
        self.has_failed |= not is_good
        of = f"{'ok' if is_good else 'FAULT':5}  {self.version} {self.engine:10} {self.rows:6}"
        print(
            f"{of}  {what:28}  {last.seconds:5.1f} s ({last.processor:4.1f})  {rows:10}"
            f"  exit {', '.join(map(str, codes)):6}  {left}",
            flush=True,
        )


def python_in(release: Path) -> Path:
    return release / ".venv" / "bin" / "python"


def install(version: str, folder: Path) -> Path:
    """Install a release in a folder of its own, with the libraries that it has pinned."""
    release = folder / version
    release.mkdir()
    archive = ["git", "archive", RELEASES[version]]
    files = subprocess.run(archive, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as tar:
        tar.extractall(release, filter="data")
    steps = release / "storage" / "steps"
    if not steps.exists():
        # 1.0.0 made its tables by one file, which is the first step.
        steps.mkdir()
        shutil.copy(next(MIGRATIONS.glob("0001_*")), steps)
    subprocess.run([sys.executable, "-m", "venv", release / ".venv"], check=True)
    (pinned,) = [*release.glob("requirements.txt"), *release.glob("requirements/run.txt")]
    pip = ("-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", pinned)
    subprocess.run([python_in(release), *pip], check=True)
    return release


def names_beside(folder: Path) -> list[str]:
    """Return what an upgrade left beside the database."""
    ours = {"kiosk.db", "kiosk.db-wal", "kiosk.db-shm", FILLER}
    return sorted(path.name for path in folder.iterdir() if path.name not in ours)


async def ended(process: asyncio.subprocess.Process, began: float) -> Start:
    before = processor_seconds()
    saying = asyncio.create_task(process.communicate())
    await asyncio.wait([saying], timeout=PATIENCE_SECONDS)
    if not saying.done():
        process.kill()
    said, _ = await saying
    code = await process.wait()
    seconds = time.monotonic() - began
    processor = processor_seconds() - before
    return Start(code, seconds, processor, said.decode(errors="replace"))


def processor_seconds() -> float:
    """Return the processor time of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def kill(drill: Drill, *points: str) -> None:
    """Kill it in each step: before the first statement, in the midst, or before the commit."""
    before = 0
    for step, last in drill.last.items():
        at = {"start": before + 1, "midst": (before + last) // 2 + 1, "end": -last}
        for point in points:
            with drill.copied() as (address, folder):
                deed = ("die", str(at[point]))
                starts = [await drill.start(address, folder, *deed)]
                starts.append(await drill.start(address, folder))
                what = f"killed, step {step}, {point}"
                drill.tell(what, address, folder, [-signal.SIGKILL, 0], *starts)
        before = last


async def kill_in_the_copy(drill: Drill) -> None:
    with drill.copied() as (address, folder):
        began = time.monotonic()
        process = await drill.begin(address, folder)
        # Nothing says when it begins to copy.
        while process.returncode is None and not list(folder.glob("*.part")):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        if process.returncode is None:
            process.kill()
        starts = [await ended(process, began), await drill.start(address, folder)]
        drill.tell("killed in the copy", address, folder, [-signal.SIGKILL, 0], *starts)


async def fill_disk(drill: Drill) -> None:
    """Fill the disk before the copy, and before the first statement of each step."""
    size = database_path(drill.original).stat().st_size
    points = {"the copy": 0}
    before = 0
    for step, last in drill.last.items():
        points[f"step {step}"] = before + 1
        before = last
    for where, at in points.items():
        # Room for the copy, a log with all that a step changes, and what a start wants free.
        with drill.copied(disk=str(8 * size + (64 << 20))) as (address, folder):
            starts = [await drill.start(address, folder, "fill", str(at))]
            (folder / FILLER).unlink()
            starts.append(await drill.start(address, folder))
            # The log of an earlier step may have room enough for all that is left.
            wanted = [min(starts[0].code, 1), 0]
            drill.tell(f"full disk, {where}", address, folder, wanted, *starts)


async def start_two(drill: Drill) -> None:
    with drill.copied() as (address, folder):
        both = [drill.start(address, folder) for _ in range(2)]
        drill.tell("two at once", address, folder, [0, 0], *await asyncio.gather(*both))


async def start_beside(drill: Drill, *, ends: bool) -> None:
    """Start it while the release runs, which continues, or `ends` during that."""
    step = "SELECT * FROM about"
    with drill.copied() as (address, folder):
        before = run_beside(address, step)
        async with drill.older(address) as older:
            began = time.monotonic()
            newer = await drill.begin(address, folder)
            if ends:
                await asyncio.sleep(5)
                older.terminate()
            start = await ended(newer, began)
        in_use = f"Kiosk {drill.version} on " in start.said and "uses the database" in start.said
        is_refused = start.code == 1 and in_use
        is_same = run_beside(address, step) == before
        left = names_beside(folder)
        is_good = (start.code == 0 and not is_same) if ends else (is_refused and is_same)
        what = f"beside a {drill.version} that {'ends' if ends else 'goes on'}"
        rows = "unchanged" if is_same else "upgraded"
        drill.line(what, is_good, start, rows, ", ".join(left), [start.code])
        if not is_good:
            print(start.said, file=sys.stderr)


async def go_back(drill: Drill) -> None:
    """Start the release with the database that was upgraded, and with what was kept of it."""
    with drill.copied() as (address, folder):
        await drill.start(address, folder)
        began = time.monotonic()
        refused = await ended(await drill.start_older(address), began)
        what = f"{drill.version} with the newer"
        drill.line(what, refused.code == 78, refused, "", "", [refused.code])
        for name in names_beside(folder):
            began = time.monotonic()
            async with drill.older(f"sqlite:///{folder / name}") as older:
                older.terminate()
                start = await ended(older, began)
            what = f"{drill.version} with its copy"
            drill.line(what, start.code == 0, start, "", name, [start.code])


async def try_all(engine: str, version: str, release: Path) -> bool:
    """Return whether an upgrade was as it should be, whatever disturbed it."""
    are_good: list[bool] = []
    for rows in (MANY_ROWS, FEW_ROWS):
        async with open_discord() as discord:
            with TemporaryDirectory() as folder:
                drill = Drill(engine, version, release, discord, rows, Path(folder))
                await drill.make()
                # Without one that went well, there is nothing to compare with.
                if drill.last and rows == MANY_ROWS:
                    await kill(drill, "midst")
                    if engine == "sqlite":
                        await kill_in_the_copy(drill)
                        await fill_disk(drill)
                elif drill.last:
                    await kill(drill, "start", "end")
                    for _ in range(TIMES):
                        await start_two(drill)
                    await start_beside(drill, ends=False)
                    await start_beside(drill, ends=True)
                    await go_back(drill)
            # A release looks for messages that only its own Discord had.
            discord.state.faults.clear()
        are_good.append(not drill.has_failed)
    return all(are_good)


def main() -> None:
    parser = argparse.ArgumentParser("python -m tools.upgrading", description=__doc__)
    parser.add_argument("--engine", choices=["sqlite", "postgresql"], action="append")
    parser.add_argument("--release", choices=[*RELEASES], action="append")
    options = parser.parse_args()
    are_good: list[bool] = []
    with TemporaryDirectory() as folder:
        for version in options.release or RELEASES:
            release = install(version, Path(folder))
            for engine in options.engine or ["sqlite", "postgresql"]:
                are_good.append(asyncio.run(try_all(engine, version, release)))
    sys.exit(not all(are_good))


if __name__ == "__main__":
    main()
