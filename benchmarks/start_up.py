"""How long the programs take to start, and how many modules they import by then.

`python -m bot check` runs to its end, and has no token for Discord, so that nothing outside the
machine is asked. The service runs until it listens, `python -m bot run` until a stand-in for
Discord has identified it: on a database that holds nothing, and on one with 100,000 links, texts
and orders. All are held against an interpreter that only imports discord.py.
"""

import asyncio
import os
import shutil
import sqlite3
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from benchmarks.game_data import busy_game, filling, make_tables
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import ROOT, game_arguments
from storage import MIGRATIONS
from storage.database import load_queries
from storage.vault import Vault
from tests.support.bot_process import KEY, environment_of
from tests.support.discord_standin import Discord, open_discord

_ROUNDS = 7
_MANY = 100_000
_MOST_MODULES = 600
_NO_GAME = "http://127.0.0.1:9"
# Python writes one such line for each import, after a heading.
_IMPORT_LINE, _TELL_IMPORTS = b"import time:", ("-X", "importtime")
_SQL = load_queries(Path(__file__).parent / "bot_data.sql")


@dataclass(frozen=True)
class _Program:
    """What `python` is to run, and when it has started."""

    arguments: Sequence[str]
    is_ready: Callable[[Process], Awaitable[object]] = Process.wait
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    bot_database: Path | None = None

    async def start(self, folder: Path, options: Sequence[str] = ()) -> tuple[float, int]:
        """Return the seconds of one start, and how many imports it told of."""
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **self.environment}
        path = folder / "told.txt"
        with path.open("wb") as told:
            begun = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, *options, *self.arguments),
                cwd=folder,
                env=environment,
                stdout=PIPE,
                stderr=told,
            )
            await self.is_ready(process)
            seconds = time.perf_counter() - begun
        modules = path.read_bytes().count(_IMPORT_LINE) - 1
        if process.returncode is None:
            process.terminate()
            await process.wait()
        if self.bot_database:
            # What it held and spent is not to make the next start wait.
            with closing(sqlite3.connect(self.bot_database)) as connection, connection:
                connection.execute("DELETE FROM claims")
                connection.execute("DELETE FROM identifies")
        return seconds, modules


def compare(folder: Path) -> Iterator[Finding]:
    """Start all in turn."""
    empty, full = folder / "empty-bot.db", folder / "full-bot.db"
    asyncio.run(make_tables(empty, MIGRATIONS))
    shutil.copy(empty, full)
    _fill(full)
    service = game_arguments(busy_game(folder))
    seconds, modules = asyncio.run(_measure(folder, service, empty, full))
    beside, theirs = "`import discord`", modules["discord"]
    for name, what, most_time, most_modules in (
        ("check", "`python -m bot check`", None, None),
        ("service", "the service's start", None, None),
        ("run", "`python -m bot run` until it is identified", 1.6, _MOST_MODULES / theirs),
    ):
        ratio = ratio_of(list(zip(seconds[name], seconds["discord"], strict=True)))
        yield Finding(f"time of {what}", beside, ratio, at_most=most_time)
        yield Finding(
            f"modules of {what}: {modules[name]}",
            f"{beside}: {theirs}",
            Ratio(modules[name] / theirs),
            at_most=most_modules,
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
    folder: Path, service: Sequence[str], empty: Path, full: Path
) -> tuple[Mapping[str, list[float]], Mapping[str, int]]:
    """Return the seconds of each program's starts, and the modules of each."""
    check = {"DATABASE_URL": f"sqlite:///{empty}", "KIOSK_KEYS": KEY}
    async with open_discord() as discord:
        programs = {
            "discord": _Program(("-c", "import discord")),
            "check": _Program(("-m", "bot", "check"), environment=check),
            "service": _Program(service, _has_written),
            "run": _bot(discord, folder, empty),
            "full": _bot(discord, folder, full),
        }
        modules = {
            name: (await each.start(folder, _TELL_IMPORTS))[1] for name, each in programs.items()
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


async def _has_written(process: Process) -> None:
    assert process.stdout is not None
    assert await process.stdout.readline()
