"""How long a member waits for a page while another member floods the bot.

The bot runs as a process of its own, on the stand-in for Discord and before a real game service.
Each reading of the member is of a page that no one has read before. The flood reads pages of other
threads at a steady rate, whether or not the ones before were answered, and has begun when it is
measured.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from itertools import cycle, product
from pathlib import Path
from statistics import median

from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS, busy_game
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import serve_game
from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, Member, open_discord
from tests.support.program import open_launcher

_READINGS = 60
_ROUNDS = 5
# Interactions a second.
_RATE = 10

Pages = Iterator[tuple[int, int]]


def compare(folder: Path) -> Iterator[Finding]:
    """Measure alone and beside a flood in turn."""
    ratio = asyncio.run(_measure(busy_game(folder), folder))
    what = f"waiting for a page beside a member's flood of {_RATE} a second"
    yield Finding(what, "alone", ratio, at_most=1.5)


async def _measure(game: Path, folder: Path) -> Ratio:
    read = range(1, BUSY_THREADS // 2)
    flooded = range(BUSY_THREADS // 2, BUSY_THREADS + 1)
    pages = range(1, BUSY_PAGES + 1)
    fresh = iter(product(pages, read))
    any_page = cycle(product(pages, flooded))
    with serve_game(game) as service, open_launcher() as launcher:
        async with open_discord() as discord:
            place = folder / "flooded"
            place.mkdir()
            async with run_bot(launcher, discord, service.base_url, place):
                ada = discord.add_member("Ada")
                bob = discord.add_member("Bob")
                await _readings(discord, ada, fresh)
                rounds: list[tuple[float, float]] = []
                for _ in range(_ROUNDS):
                    alone = await _readings(discord, ada, fresh)
                    async with _flooding(discord, bob, any_page):
                        beside = await _readings(discord, ada, fresh)
                    rounds.append((beside, alone))
    return ratio_of(rounds)


async def _readings(discord: Discord, member: Member, pages: Pages) -> float:
    """Return how long a reading took, in seconds: the median of them."""
    times: list[float] = []
    for _ in range(_READINGS):
        page, thread = next(pages)
        begun = time.perf_counter()
        reading = await discord.slash(member, "forum read", thread=str(thread), page=page)
        await reading.answer()
        times.append(time.perf_counter() - begun)
    return median(times)


@asynccontextmanager
async def _flooding(discord: Discord, member: Member, pages: Pages) -> AsyncGenerator[None]:
    async def flood() -> None:
        while True:
            page, thread = next(pages)
            await discord.slash(member, "forum read", thread=str(thread), page=page)
            await asyncio.sleep(1 / _RATE)

    task = asyncio.create_task(flood())
    try:
        yield
    finally:
        task.cancel()
