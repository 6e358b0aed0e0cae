"""How long `python -m bot run` takes until it is identified, and how many modules it imports.

It runs on a stand-in for Discord, on a database that is there already: once empty, and once with a
million links, drafts and orders in it.
"""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pydantic import SecretStr

from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import ROOT
from storage import MIGRATIONS
from storage.database import load_queries, open_database
from storage.vault import Vault
from tests.support.bot_process import KEY, environment_of
from tests.support.discord_standin import Discord, open_discord

_ROUNDS = 7
_MANY = 1_000_000
_NO_GAME = "http://127.0.0.1:9"
_DISCORD = ("-c", "import discord")
_BOT = ("-m", "benchmarks.on_standin", "bot", "run")
# Python writes one such line for each import, after a heading.
_IMPORT_LINE = b"import time:"
_TELL_IMPORTS = ("-X", "importtime")
_SQL = load_queries(Path(__file__).parent / "bot_data.sql")


def compare(folder: Path) -> Iterator[Finding]:
    """Measure starts on both databases in turn, beside `import discord`."""
    empty, full = folder / "empty-bot.db", folder / "full-bot.db"
    make_tables(empty)
    shutil.copy(empty, full)
    _fill(full)
    what = "time of `python -m bot run` until it is identified"
    starts, imports, full_starts, modules = asyncio.run(_measure(folder, empty, full))
    yield Finding(what, "`import discord`", _ratio(starts, imports), at_most=1.6)
    ratio = _ratio(full_starts, starts)
    yield Finding("the same with a million links, drafts and orders", "empty", ratio, at_most=1.1)
    theirs = _run(folder, (*_TELL_IMPORTS, *_DISCORD)).count(_IMPORT_LINE) - 1
    beside = f"`import discord`: {theirs}"
    yield Finding(
        f"modules of `python -m bot run`: {modules}",
        beside,
        Ratio(modules / theirs),
        at_most=600 / theirs,
    )


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    return ratio_of(list(zip(ours, theirs, strict=True)))


def make_tables(path: Path) -> None:
    """Make a database of the bot's that holds nothing."""

    async def make() -> None:
        async with open_database(f"sqlite:///{path}", MIGRATIONS):
            pass

    asyncio.run(make())


def _fill(path: Path) -> None:
    sealed = Vault([SecretStr(KEY)]).seal("a token or a text", owner=1, purpose="link")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        with connection:
            for query in ("fill_links", "fill_drafts", "fill_orders"):
                now = time.time_ns() // 1000
                connection.execute(_SQL[query], {"count": _MANY, "sealed": sealed, "now": now})


async def _measure(
    folder: Path, empty: Path, full: Path
) -> tuple[list[float], list[float], list[float], int]:
    starts: list[float] = []
    imports: list[float] = []
    full_starts: list[float] = []
    async with open_discord() as discord:
        await _start(discord, folder, empty)
        for _ in range(_ROUNDS):
            starts.append((await _start(discord, folder, empty))[0])
            begun = time.perf_counter()
            await asyncio.to_thread(_run, folder, _DISCORD)
            imports.append(time.perf_counter() - begun)
            full_starts.append((await _start(discord, folder, full))[0])
        _, modules = await _start(discord, folder, empty, _TELL_IMPORTS)
    return starts, imports, full_starts, modules


async def _start(
    discord: Discord, folder: Path, database: Path, options: Sequence[str] = ()
) -> tuple[float, int]:
    """Return the seconds of one start, and how many imports the program told of."""
    environment = environment_of(discord, _NO_GAME, folder) | {
        "DATABASE_URL": f"sqlite:///{database}",
        "PYTHONPATH": str(ROOT),
    }
    sessions = discord.state.gateway.sessions
    known = len(sessions.past)
    with (folder / "told.txt").open("wb") as told:
        begun = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            sys.executable, *options, *_BOT, cwd=folder, env=environment, stdout=told, stderr=told
        )
        await sessions.first(lambda _: True, since=known)
        seconds = time.perf_counter() - begun
    modules = (folder / "told.txt").read_bytes().count(_IMPORT_LINE) - 1
    process.terminate()
    await process.wait()
    # What it held and spent is not to make the next start wait.
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM claims")
        connection.execute("DELETE FROM identifies")
    return seconds, modules


def _run(folder: Path, arguments: Sequence[str]) -> bytes:
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, check=True
    )
    return done.stderr
