"""What the bot's memory grows to after much reading, beside what it was before.

It runs as a process of its own, on a stand-in for Discord and before a real game service. What is
resident is asked for before and after each kind of reading, each in a bot that has just begun and
answered one.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from benchmarks.game_data import (
    BUSY_PAGES,
    BUSY_THREADS,
    SHOP_TOKENS,
    bushy_game,
    busy_game,
    shop_game,
)
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import memory_of, serve_game
from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, Member, open_discord
from tests.support.program import Launcher, open_launcher

_ROUNDS = 3
# In seconds; a card that says otherwise by then never shows a hat.
_LONGEST = 300.0
_BUSHY_THREAD, _BUSHY_READINGS, _PAGES = 1, 100, 1_100

Read = Callable[[Discord, Member], Awaitable[None]]


def compare(folder: Path) -> Iterator[Finding]:
    """Measure each kind of reading in bots of their own."""
    for what, game, read in (
        (f"{_BUSHY_READINGS} readings of a bushy thread", bushy_game(folder), _read_bushy),
        (f"{_PAGES:,} pages", busy_game(folder), _read_pages),
        (f"{len(SHOP_TOKENS)} members' filtered catalogs", shop_game(folder), _filter_catalogs),
    ):
        ratio = asyncio.run(_measure(game, read))
        yield Finding(f"the bot's memory after {what}", "before", ratio, at_most=1.5)


async def _measure(game: Path, read: Read) -> Ratio:
    with serve_game(game) as service, open_launcher() as launcher:

        async def measure_one(number: int) -> tuple[float, float]:
            folder = game.with_name(f"{game.stem}-{number}")
            folder.mkdir()
            async with _bot(launcher, service.base_url, folder) as (discord, member, pid):
                before = memory_of(pid)
                await read(discord, member)
                return memory_of(pid), before

        # At the same time: they wait for their turns at the game, and memory minds nobody.
        return ratio_of(await asyncio.gather(*map(measure_one, range(_ROUNDS))))


@asynccontextmanager
async def _bot(
    launcher: Launcher, game_url: str, folder: Path
) -> AsyncGenerator[tuple[Discord, Member, int]]:
    async with open_discord() as discord, run_bot(launcher, discord, game_url, folder) as bot:
        member = discord.add_member("Ada")
        await _read(discord, member, 1, BUSY_PAGES)
        yield discord, member, bot.program.pid


async def _read_bushy(discord: Discord, member: Member) -> None:
    for _ in range(_BUSHY_READINGS):
        await _read(discord, member, _BUSHY_THREAD, 1)


async def _read_pages(discord: Discord, member: Member) -> None:
    for number in range(_PAGES):
        await _read(discord, member, number % BUSY_THREADS + 1, number // BUSY_THREADS + 1)


async def _filter_catalogs(discord: Discord, _member: Member) -> None:
    async def filter_one(token: str) -> None:
        member = discord.add_member(token)
        form = await (await discord.slash(member, "account link")).modal()
        await (await discord.submit(member, form, {"token": token})).says("is linked")
        page = await discord.slash(member, "shop browse", catalog="1", max_cost=5)
        # Four thousand pages, fifty a second: longer than a test waits.
        async with asyncio.timeout(_LONGEST):
            while "Straw hat" not in page.text:
                with suppress(TimeoutError):
                    await page.says("Straw hat")

    await asyncio.gather(*map(filter_one, SHOP_TOKENS))


async def _read(discord: Discord, member: Member, thread: int, page: int) -> None:
    reading = await discord.slash(member, "forum read", thread=str(thread), page=page)
    await reading.answer()
