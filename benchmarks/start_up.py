"""How long the bot takes to start, and how many modules it imports by then.

`python -m bot run` runs until a stand-in for Discord has identified it: on a database that holds
nothing, and on one with 100,000 links, texts and orders. It is compared with an interpreter that
only imports discord.py.
"""

import asyncio
import os
import shutil
import sqlite3
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from benchmarks.game_data import filling, make_tables
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import ROOT
from storage import MIGRATIONS
from storage.database import load_queries
from storage.vault import Vault
from tests.support.bot_process import KEY, environment_of
from tests.support.discord_standin import Discord, open_discord

_ROUNDS = 7
_MANY = 100_000
# Without Kiosk's own.
_MAX_MODULES = 570
_NO_GAME = "http://127.0.0.1:9"
# Python writes one such line for each import, after a heading.
_IMPORT_LINE = b"import time:"
_OURS = (b"benchmarks", b"bot", b"cogs", b"game_service", b"storage", b"tests")
_TELL_IMPORTS = ("-X", "importtime")
_SQL = load_queries(Path(__file__).parent / "bot_data.sql")


@dataclass(frozen=True)
class _Program:
    """The program for `python` to run, and when it has started."""

    arguments: Sequence[str]
    is_ready: Callable[[Process], Awaitable[object]] = Process.wait
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    bot_database: Path | None = None

    async def start(self, folder: Path, options: Sequence[str] = ()) -> tuple[float, int]:
        """Return the seconds of one start, and how many modules of others it imported."""
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **self.environment}
        path = folder / "told.txt"
        with path.open("wb") as output:
            begun = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, *options, *self.arguments),
                cwd=folder,
                env=environment,
                stdout=DEVNULL,
                stderr=output,
            )
            await self.is_ready(process)
            seconds = time.perf_counter() - begun
        # Each line ends with the name of a module, below a heading.
        told = path.read_bytes().splitlines()
        imported = {line.rpartition(b"|")[2].strip() for line in told[1:] if _IMPORT_LINE in line}
        modules = sum(name.partition(b".")[0] not in _OURS for name in imported)
        if process.returncode is None:
            process.terminate()
            await process.wait()
        if self.bot_database:
            # Its claims must not make the next start wait.
            with closing(sqlite3.connect(self.bot_database)) as connection, connection:
                connection.execute("DELETE FROM claims")
        return seconds, modules


def compare(folder: Path) -> Iterator[Finding]:
    """Start them in turn."""
    empty = folder / "empty-bot.db"
    full = folder / "full-bot.db"
    asyncio.run(make_tables(empty, MIGRATIONS))
    shutil.copy(empty, full)
    _fill(full)
    seconds, modules = asyncio.run(_measure(folder, empty, full))
    beside = "`import discord`"
    theirs = modules["discord"]
    what = "`python -m bot run` until it is identified"
    ratio = ratio_of(list(zip(seconds["run"], seconds["discord"], strict=True)))
    yield Finding(f"time of {what}", beside, ratio, at_most=1.6)
    yield Finding(
        f"modules of {what}, without Kiosk's own: {modules['run']}",
        f"{beside}: {theirs}",
        Ratio(modules["run"] / theirs),
        at_most=_MAX_MODULES / theirs,
    )
    ratio = ratio_of(list(zip(seconds["full"], seconds["run"], strict=True)))
    what = "time of `python -m bot run` with 100,000 links, texts and orders"
    yield Finding(what, "with none", ratio, at_most=1.1)


def _fill(path: Path) -> None:
    sealed = Vault([SecretStr(KEY)]).seal("a token or a text", owner=1, purpose="link")
    values = {"count": _MANY, "sealed": sealed, "now": time.time_ns() // 1000}
    with filling(path) as connection:
        for query in ("fill_links", "fill_texts", "fill_orders"):
            connection.execute(_SQL[query], values)


async def _measure(
    folder: Path, empty: Path, full: Path
) -> tuple[Mapping[str, list[float]], Mapping[str, int]]:
    """Return the seconds of each program's starts, and the modules of each."""
    async with open_discord() as discord:
        programs = {
            "discord": _Program(("-c", "import discord")),
            "run": _bot(discord, folder, empty),
            "full": _bot(discord, folder, full),
        }
        modules = {
            name: (await program.start(folder, _TELL_IMPORTS))[1]
            for name, program in programs.items()
        }
        seconds: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(_ROUNDS):
            for name, program in programs.items():
                seconds[name].append((await program.start(folder))[0])
    return seconds, modules


def _bot(discord: Discord, folder: Path, database: Path) -> _Program:
    sessions = discord.state.gateway.sessions

    async def is_identified(_: Process) -> None:
        await sessions.first(lambda _: True, since=len(sessions.past))

    arguments = ("-m", "benchmarks.on_standin", "bot", "run")
    environment = environment_of(discord, _NO_GAME, folder)
    environment["DATABASE_URL"] = f"sqlite:///{database}"
    return _Program(arguments, is_identified, environment, database)
