"""How long a member waits for a page while another member floods the bot.

The bot runs as a process of its own, on the stand-in for Discord and before a real game service.
Each reading of the member is of a page that nobody has read before; so is each of the flood's,
which come at a steady rate, whether or not the ones before were answered.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import serve_game
from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, Member, open_discord
from tests.support.program import open_launcher

_READINGS = 60
_ROUNDS = 3
# Interactions a second, of which Discord lets no member send more for long.
_RATE = 25


def compare(busy_game: Path) -> Iterator[Finding]:
    """Measure alone and beside a flood in turn."""
    ratio = asyncio.run(_measure(busy_game))
    yield Finding("waiting for a page beside a member's flood", "alone", ratio, at_most=1.5)


async def _measure(busy_game: Path) -> Ratio:
    with serve_game(busy_game) as game, open_launcher() as launcher:
        async with open_discord() as discord:
            folder = busy_game.parent / "flooded"
            folder.mkdir()
            async with run_bot(launcher, discord, game.base_url, folder):
                ada, bob = discord.add_member("Ada"), discord.add_member("Bob")
                pages = _fresh_pages()
                await _readings(discord, ada, pages)
                rounds: list[tuple[float, float]] = []
                for _ in range(_ROUNDS):
                    alone = median(await _readings(discord, ada, pages))
                    async with _flooding(discord, bob, pages):
                        beside = median(await _readings(discord, ada, pages))
                    rounds.append((beside, alone))
    return ratio_of(rounds)


def _fresh_pages() -> Iterator[tuple[int, int]]:
    for page in range(1, BUSY_PAGES + 1):
        for thread in range(1, BUSY_THREADS + 1):
            yield thread, page


async def _readings(
    discord: Discord, member: Member, pages: Iterator[tuple[int, int]]
) -> list[float]:
    """Return how long each reading took, in seconds."""
    times: list[float] = []
    for _ in range(_READINGS):
        thread, page = next(pages)
        begun = time.perf_counter()
        reading = await discord.slash(member, "forum read", thread=str(thread), page=page)
        await reading.answer()
        times.append(time.perf_counter() - begun)
    return times


@asynccontextmanager
async def _flooding(
    discord: Discord, member: Member, pages: Iterator[tuple[int, int]]
) -> AsyncGenerator[None]:
    async def flood() -> None:
        while True:
            thread, page = next(pages)
            await discord.slash(member, "forum read", thread=str(thread), page=page)
            await asyncio.sleep(1 / _RATE)

    task = asyncio.create_task(flood())
    try:
        yield
    finally:
        task.cancel()
