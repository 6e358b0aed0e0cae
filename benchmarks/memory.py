"""What the bot's memory grows to after much reading, beside what it was before.

It runs as a process of its own, on a stand-in for Discord and before a real game service. Resident
memory is measured before and after the reading of many pages, in a bot that has just started and
answered one. Presses are compared with the same bot's first thousand.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count, cycle
from pathlib import Path
from typing import Any

from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS, busy_game
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import memory_of, serve, serve_game
from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, Exchange, Member, open_discord
from tests.support.program import Launcher, open_launcher

_ROUNDS = 3
_PAGES = 1_100
_FIRST_PRESSES = 1_000
_PRESSES = 20_000
_STILL_KNOWN = 10
_TOKENS = ("demo-subscriber", "demo-visitor", "demo-newcomer", *[""] * 5)
# Commands with their options, and buttons of the card before. The first three need no account.
_STEPS: Sequence[str | tuple[str, Mapping[str, Any]]] = (
    *(("forum read", {"thread": "1"}), "Next", "Refresh"),
    *(("shop browse", {"catalog": "1"}), "Next", "Refresh"),
    *(("shop item", {"item": "3", "catalog": "1"}), "Redeem", "Cancel"),
)


def compare(folder: Path) -> Iterator[Finding]:
    """Measure the reading in several bots, and the presses in one."""
    ratio = asyncio.run(_measure(busy_game(folder)))
    yield Finding(f"the bot's memory after {_PAGES:,} pages", "before", ratio, at_most=1.5)
    ratio = asyncio.run(_press(folder))
    what = f"the bot's memory after {_PRESSES:,} commands and presses"
    yield Finding(what, f"after {_FIRST_PRESSES:,}", ratio, at_most=1.2)


async def _measure(game: Path) -> Ratio:
    with serve_game(game) as service, open_launcher() as launcher:

        async def measure_one(number: int) -> tuple[float, float]:
            folder = game.with_name(f"{game.stem}-{number}")
            folder.mkdir()
            async with _bot(launcher, service.base_url, folder) as (discord, member, pid):
                before = memory_of(pid)
                for page in range(_PAGES):
                    thread = page % BUSY_THREADS + 1
                    await _read(discord, member, thread, page // BUSY_THREADS + 1)
                return memory_of(pid), before

        # At the same time: they wait for their turns at the game, and that doesn't affect memory.
        return ratio_of(await asyncio.gather(*map(measure_one, range(_ROUNDS))))


@asynccontextmanager
async def _bot(
    launcher: Launcher, game_url: str, folder: Path
) -> AsyncGenerator[tuple[Discord, Member, int]]:
    async with open_discord() as discord, run_bot(launcher, discord, game_url, folder) as bot:
        member = discord.add_member("Ada")
        await _read(discord, member, 1, BUSY_PAGES)
        yield discord, member, bot.program.pid


async def _press(folder: Path) -> Ratio:
    """Let eight members, three of them linked, read, turn pages and look at the shop."""
    game = folder / "pressed.db"
    measured = list[int]()
    kept = folder / "pressed"
    kept.mkdir()
    demo = serve("-m", "game_service", "--port", "0", "--demo", "--database", f"sqlite:///{game}")
    with demo as service, open_launcher() as launcher:
        async with _bot(launcher, service.base_url, kept) as (discord, _, pid):
            done = count(1)

            async def walk(number: int) -> None:
                member = discord.add_member(f"member {number}")
                token = _TOKENS[number]
                if token:
                    form = await (await discord.slash(member, "account link")).modal()
                    await (await discord.submit(member, form, {"token": token})).says(
                        "Game account linked"
                    )
                message = await (await discord.slash(member, "help")).answer()
                own = deque[Exchange]()
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
                    # Exchanges that this member no longer uses: searching all of them takes ever
                    # longer.
                    own.append(made)
                    if len(own) > _STILL_KNOWN:
                        del discord.state.exchanges[own.popleft().token]

            await asyncio.gather(*map(walk, range(len(_TOKENS))))
    before, after = measured
    return Ratio(after / before)


async def _read(discord: Discord, member: Member, thread: int, page: int) -> None:
    reading = await discord.slash(member, "forum read", thread=str(thread), page=page)
    await reading.answer()
