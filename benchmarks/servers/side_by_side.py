"""What 1,000 servers add to Kiosk's memory, beside what they add to a stock bot's.

Both run as processes of their own on the stand-in for Discord, once in few servers and once in a
thousand more. As Discord does, the stand-in describes servers only to a bot that asks for that: 25
channels, 15 roles and 10 emojis each.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measuring import Finding, ratio_of
from benchmarks.processes import memory_of
from tests.support.bot_process import environment_of, run_bot
from tests.support.discord_standin import Discord, open_discord
from tests.support.program import Launcher, Program, open_launcher, run_program

_FEW = 10
_MORE = 1000
_CHANNELS = 25
_ROLES = 15
_EMOJIS = 10
_ROUNDS = 3
_NO_GAME = "http://127.0.0.1:9"

Run = Callable[[Launcher, Discord, Path], AbstractAsyncContextManager[Program]]


def compare(folder: Path) -> Iterator[Finding]:
    """Measure both in turn."""
    rounds = asyncio.run(_measure(folder))
    ours, theirs = (median(growth) for growth in zip(*rounds, strict=True))
    what = f"memory for each of {_MORE:,} servers: {ours:.1f} KiB"
    yield Finding(what, f"a stock bot: {theirs:.1f} KiB", ratio_of(rounds), at_most=0.1)


async def _measure(folder: Path) -> list[tuple[float, float]]:
    growths: tuple[list[float], list[float]] = ([], [])
    with open_launcher() as launcher:
        for number in range(_ROUNDS):
            for run, growth in zip((_kiosk, _stock_bot), growths, strict=True):
                sizes: list[int] = []
                for servers in (_FEW, _FEW + _MORE):
                    place = folder / f"servers-{run.__name__}-{number}-{servers}"
                    place.mkdir()
                    sizes.append(await _size(launcher, run, place, servers))
                growth.append((sizes[1] - sizes[0]) / _MORE)
    return list(zip(*growths, strict=True))


async def _size(launcher: Launcher, run: Run, folder: Path, servers: int) -> int:
    """Return the memory of a bot in so many servers, in KiB."""
    async with open_discord() as discord:
        discord.state.describe = _describe
        while len(discord.state.guilds) < servers:
            discord.add_server((0, 1))
        async with run(launcher, discord, folder) as program:
            return memory_of(program.pid)


@asynccontextmanager
async def _kiosk(launcher: Launcher, discord: Discord, folder: Path) -> AsyncGenerator[Program]:
    async with run_bot(launcher, discord, _NO_GAME, folder) as bot:
        # Answered once it has taken in what it was told at the start.
        await (await discord.slash(discord.add_member("Ada"), "help")).answer()
        yield bot.program


@asynccontextmanager
async def _stock_bot(launcher: Launcher, discord: Discord, folder: Path) -> AsyncGenerator[Program]:
    environment = environment_of(discord, _NO_GAME, folder)
    arguments = ["benchmarks.servers.stock_bot"]
    async with run_program(launcher, arguments, environment, folder) as program:
        await program.says(f"in {len(discord.state.guilds)} servers")
        yield program


def _describe(guild: dict[str, Any]) -> dict[str, Any]:
    """Return a server as described to a bot that asks for the guilds intent."""
    first = int(guild["id"])
    (everyone,), (channel,) = guild["roles"], guild["channels"]
    return {
        **guild,
        "roles": [everyone]
        + [
            {**everyone, "id": str(first + number), "name": f"Role number {number}"}
            for number in range(1, _ROLES)
        ],
        "channels": [
            {
                **channel,
                "id": str(first + number),
                "name": f"channel-number-{number}",
                "topic": f"What is talked about in channel number {number}",
                "permission_overwrites": [
                    {"id": str(first), "type": 0, "allow": "1024", "deny": "2048"}
                ],
            }
            for number in range(100, 100 + _CHANNELS)
        ],
        "emojis": [
            {"id": str(first + number), "name": f"emoji_{number}", "roles": []}
            for number in range(200, 200 + _EMOJIS)
        ],
    }
