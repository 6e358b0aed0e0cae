"""What the bot's memory grows to after much reading, beside what it was before.

It runs as a process of its own, on a stand-in for Discord and before a real game service. What is
resident is asked for before and after each kind of reading, each in a bot that has just begun and
answered one. Presses are compared with the same bot's first thousand.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count, cycle
from pathlib import Path
from typing import Any

from benchmarks.game_data import (
    BUSY_PAGES,
    BUSY_THREADS,
    SHOP_TOKENS,
    bushy_game,
    busy_game,
    shop_game,
)
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import memory_of, serve, serve_game
from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, Member, open_discord
from tests.support.program import Launcher, open_launcher

_ROUNDS = 3
# In seconds; a card that says otherwise by then never shows a hat.
_LONGEST = 300.0
_BUSHY_THREAD, _BUSHY_READINGS, _PAGES = 1, 100, 1_100

_FIRST_PRESSES, _PRESSES, _STILL_PRESSED = 1_000, 20_000, 100
_TOKENS = ("demo-subscriber", "demo-visitor", "demo-newcomer", *[""] * 5)
# Commands with their options, and buttons of the card before; the first three need no account.
_STEPS: Sequence[str | tuple[str, Mapping[str, Any]]] = (
    *(("forum read", {"thread": "1"}), "Next", "Refresh"),
    *(("shop browse", {"catalog": "1"}), "Next", "Refresh"),
    *(("shop item", {"item": "3", "catalog": "1"}), "Redeem", "Back"),
)

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
    ratio = asyncio.run(_press(folder))
    what = f"the bot's memory after {_PRESSES:,} commands and presses"
    yield Finding(what, f"after {_FIRST_PRESSES:,}", ratio, at_most=1.2)


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


async def _press(folder: Path) -> Ratio:
    """Let eight members, three of them linked, read, turn pages and look at the shop."""
    game, measured = folder / "pressed.db", list[int]()
    kept = folder / "pressed"
    kept.mkdir()
    demo = serve("-m", "game_service", "--port", "0", "--demo", "--database", f"sqlite:///{game}")
    with demo as service, open_launcher() as launcher:
        async with _bot(launcher, service.base_url, kept) as (discord, _, pid):
            done = count(1)

            async def walk(number: int) -> None:
                member, token = discord.add_member(f"member {number}"), _TOKENS[number]
                if token:
                    form = await (await discord.slash(member, "account link")).modal()
                    await (await discord.submit(member, form, {"token": token})).says("is linked")
                message = await (await discord.slash(member, "help")).answer()
                for step in cycle(_STEPS if token else _STEPS[:3]):
                    if isinstance(step, str):
                        made = await discord.press(member, message, step)
                    else:
                        made = await discord.slash(member, step[0], **step[1])
                    message = await made.answer()
                    presses = next(done)
                    if presses in (_FIRST_PRESSES, _PRESSES):
                        measured.append(memory_of(pid))
                    if presses >= _PRESSES:
                        return
                    # What nobody presses again: looking through all of it takes ever longer.
                    for old in list(discord.state.exchanges)[:-_STILL_PRESSED]:
                        del discord.state.exchanges[old]

            await asyncio.gather(*map(walk, range(len(_TOKENS))))
    before, after = measured
    return Ratio(after / before)


async def _read(discord: Discord, member: Member, thread: int, page: int) -> None:
    reading = await discord.slash(member, "forum read", thread=str(thread), page=page)
    await reading.answer()
