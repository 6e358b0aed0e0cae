"""Interactions over HTTP: answers a second of one, two and three processes, and what a press costs.

The bots run as processes of their own, on a stand-in for Discord that posts what it has signed, on
one PostgreSQL and behind a balancer in this process. Beside them, one bot is connected to the
gateway. A press is `/account show`, which reads the database and asks no game.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from benchmarks.measuring import Finding, ratio_of
from benchmarks.processes import processor_seconds
from tests.support.balancer import open_balancer
from tests.support.bot_process import run_bot, run_listener
from tests.support.discord_standin import Discord, open_discord
from tests.support.postgres import new_database, run_postgres
from tests.support.program import Launcher, open_launcher

_MEMBERS = 16
# Of each member.
_FIRST = 5
_PRESSES = 12
_ROUNDS = 3
_PROCESSES = (1, 2, 3)
_NO_GAME = "http://127.0.0.1:9"
# Long enough for a busy machine.
_TERM = 60.0


def compare(folder: Path) -> Iterator[Finding]:
    """Send members to each in turn."""
    with open_launcher() as launcher, run_postgres(folder / "over-http") as server:
        address = new_database(server)
        rates = asyncio.run(_rates(launcher, folder, address))
        costs = asyncio.run(_costs(launcher, folder, address))
    alone = rates[1]
    for count in _PROCESSES[1:]:
        what = f"answers a second over HTTP of {count} processes: {median(rates[count]):.0f}"
        pairs = list(zip(rates[count], alone, strict=True))
        yield Finding(what, f"of one: {median(alone):.0f}", ratio_of(pairs))
    ours, theirs = (1000 * median(seconds) for seconds in zip(*costs, strict=True))
    what = f"processor time of a press over HTTP: {ours:.1f} ms"
    yield Finding(what, f"over the gateway: {theirs:.1f} ms", ratio_of(costs))


async def _rates(launcher: Launcher, folder: Path, address: str) -> dict[int, list[float]]:
    """Return the answers a second by number of processes, round by round."""
    rates: dict[int, list[float]] = {count: [] for count in _PROCESSES}
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(open_discord())
        targets: list[str] = []
        for _ in range(max(_PROCESSES)):
            settings = {"DATABASE_URL": address}
            running = run_listener(
                launcher, discord, _NO_GAME, folder, settings=settings, claim_term=_TERM
            )
            targets.append((await stack.enter_async_context(running)).base_url)
        await _use(discord, targets, _FIRST)
        for _ in range(_ROUNDS):
            for count in _PROCESSES:
                begun = time.perf_counter()
                await _use(discord, targets[:count], _PRESSES)
                seconds = time.perf_counter() - begun
                rates[count].append(_MEMBERS * _PRESSES / seconds)
    return rates


async def _costs(launcher: Launcher, folder: Path, address: str) -> Sequence[tuple[float, float]]:
    """Return the seconds of a processor that a press took over HTTP and over the gateway."""
    costs: list[tuple[float, float]] = []
    settings = {"DATABASE_URL": address}
    async with (
        open_discord() as posting,
        open_discord() as telling,
        run_listener(
            launcher, posting, _NO_GAME, folder, settings=settings, claim_term=_TERM
        ) as listener,
        run_bot(launcher, telling, _NO_GAME, folder, settings=settings, claim_term=_TERM) as bot,
    ):
        targets = [listener.base_url]
        for number in range(1 + _ROUNDS):
            pair: list[float] = []
            for discord, pid in ((posting, listener.program.pid), (telling, bot.program.pid)):
                begun = processor_seconds(pid)
                await _use(discord, targets if discord is posting else (), _PRESSES)
                pair.append((processor_seconds(pid) - begun) / (_MEMBERS * _PRESSES))
            if number:
                costs.append((pair[0], pair[1]))
    return costs


async def _use(discord: Discord, targets: Sequence[str], presses: int) -> None:
    """Let members use a command again and again, over these bots' HTTP or over the gateway."""
    members = [discord.add_member(f"member-{number}") for number in range(_MEMBERS)]

    async def use(number: int) -> None:
        server = discord.state.guild_id
        for _ in range(presses):
            used = await discord.slash(members[number], "account show", server=server)
            await used.answer()

    async with AsyncExitStack() as stack:
        if targets:
            balancer = await stack.enter_async_context(open_balancer(*targets))
            discord.state.posting.url = f"{balancer.base_url}/interactions"
        await asyncio.gather(*map(use, range(_MEMBERS)))
