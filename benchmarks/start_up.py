"""How long the programs take to start, and how many modules they import.

`python -m bot check` runs to its end; it has no token for Discord, so that nothing outside the
machine is asked. The service runs until it listens. Both open a database that is there already.
They are held against an interpreter that does nothing, and one that only imports discord.py.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks import bot_start
from benchmarks.measuring import Finding, Ratio, ratio_in_turn
from benchmarks.processes import ROOT, game_arguments
from storage import MIGRATIONS
from storage.database import open_database
from storage.vault import new_key

_ROUNDS = 9
_NOTHING = ("-c", "pass")
_DISCORD = ("-c", "import discord")
# Python writes one such line for each import, after a heading.
_IMPORT_LINE = "import time:"

# Starts an interpreter with these options; its second output is where imports are told.
Start = Callable[[Sequence[str], Path], None]


def compare(game: Path) -> Iterator[Finding]:
    """Measure both programs; the service opens the database `game`."""
    kiosk = game.with_name("kiosk.db")
    asyncio.run(_make_tables(kiosk))
    nothing = partial(_to_the_end, kiosk, _NOTHING)
    discord = partial(_to_the_end, kiosk, _DISCORD)
    programs: dict[str, Start] = {
        "`python -m bot check`": partial(_to_the_end, kiosk, ("-m", "bot", "check")),
        "the service's start": partial(_until_listening, game_arguments(game)),
    }
    notes = game.with_name("imports.txt")
    for name, start in programs.items():
        took = partial(_seconds, start, notes)
        for beside, other in (("`python -c pass`", nothing), ("`import discord`", discord)):
            ratio = ratio_in_turn(took, partial(_seconds, other, notes), rounds=_ROUNDS)
            yield Finding(f"time of {name}", beside, ratio)
        ours, theirs = _imports(start, notes), _imports(discord, notes)
        ratio = Ratio(ours / theirs)
        yield Finding(f"modules of {name}: {ours}", f"`import discord`: {theirs}", ratio)
    yield from bot_start.compare(game.parent)


async def _make_tables(path: Path) -> None:
    async with open_database(f"sqlite:///{path}", MIGRATIONS):
        pass


def _seconds(start: Start, notes: Path) -> float:
    started = time.perf_counter()
    start((), notes)
    return time.perf_counter() - started


def _imports(start: Start, notes: Path) -> int:
    start(("-X", "importtime"), notes)
    return notes.read_text(encoding="utf-8").count(_IMPORT_LINE) - 1


def _to_the_end(kiosk: Path, arguments: Sequence[str], options: Sequence[str], notes: Path) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DISCORD_TOKEN"},
        "PYTHONPATH": str(ROOT),
        "DATABASE_URL": f"sqlite:///{kiosk}",
        "KIOSK_KEYS": new_key(),
    }
    with notes.open("wb") as errors:
        subprocess.run(
            [sys.executable, *options, *arguments],
            # Not where an operator's own .env may be.
            cwd=kiosk.parent,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            check=False,
        )


def _until_listening(arguments: Sequence[str], options: Sequence[str], notes: Path) -> None:
    with (
        notes.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, *options, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline()
        process.terminate()
