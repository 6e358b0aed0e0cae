"""Processor time of `/forum read`, for Kiosk and for a bot of thirty lines.

Each is a process of its own, on a stand-in for Discord over real HTTP and WebSocket; the time is
that of the bot alone. Both answer the same member with the same kind of card: five comments with
their writers' pictures and a button each, set apart by lines, and a row of five buttons below. Each
reading is of another page, so that each costs one request to the game, which is a process, too.

What Kiosk does in it and the other does not: it checks what arrives, escapes what people wrote,
knows the server's name for the thread, the member's language, their own comments, texts of theirs
that were cut off, and news that wait for them.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import islice
from pathlib import Path

from benchmarks.forum_read import usual_bot
from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS
from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import processor_seconds, serve_game
from tests.support.bot_process import environment_of, run_bot
from tests.support.discord_standin import Discord, open_discord
from tests.support.program import Launcher, Program, open_launcher, run_program

_ROUNDS = 7
_READINGS = 60
# Kiosk asks the game for so much a second at most, and nobody is to wait for a turn. In seconds.
_REST = 1.0

Run = Callable[[Launcher, Discord, str, Path], AbstractAsyncContextManager[Program]]


def compare(busy_game: Path) -> Iterator[Finding]:
    """Measure both on the busy game."""
    ratio = asyncio.run(_measure(busy_game))
    yield Finding("processor time of `/forum read`", "a bot of thirty lines", ratio, at_most=1.3)


async def _measure(busy_game: Path) -> Ratio:
    with serve_game(busy_game) as game, open_launcher() as launcher:
        async with (
            _reading(_kiosk, launcher, game.base_url, busy_game.parent) as kiosk,
            _reading(_usual, launcher, game.base_url, busy_game.parent) as usual,
        ):
            await anext(kiosk)
            await anext(usual)
            return ratio_of([(await anext(kiosk), await anext(usual)) for _ in range(_ROUNDS)])


@asynccontextmanager
async def _reading(
    run: Run, launcher: Launcher, game_url: str, folder: Path
) -> AsyncGenerator[AsyncGenerator[float]]:
    """Run a bot on a Discord; give rounds of readings, each as the seconds that it took the bot."""
    async with open_discord() as discord, run(launcher, discord, game_url, folder) as bot:
        member = discord.add_member("Ada")
        pages = _pages()

        async def rounds() -> AsyncGenerator[float]:
            while True:
                await asyncio.sleep(_REST)
                before = processor_seconds(bot.pid)
                for thread, page in islice(pages, _READINGS):
                    reading = await discord.slash(
                        member, "forum read", thread=str(thread), page=page
                    )
                    await reading.answer()
                yield processor_seconds(bot.pid) - before

        yield rounds()


@asynccontextmanager
async def _kiosk(
    launcher: Launcher, discord: Discord, game_url: str, folder: Path
) -> AsyncGenerator[Program]:
    # As it is set unless somebody sets it: the tests' shorter one is renewed all the time.
    settings = {"LEASE_SECONDS": "10"}
    async with run_bot(launcher, discord, game_url, folder, settings=settings) as bot:
        yield bot.program


@asynccontextmanager
async def _usual(
    launcher: Launcher, discord: Discord, game_url: str, folder: Path
) -> AsyncGenerator[Program]:
    environment = environment_of(discord, game_url, folder)
    async with run_program(launcher, [usual_bot.__name__], environment, folder) as program:
        await program.says("ready")
        yield program


def _pages() -> Iterator[tuple[int, int]]:
    """Give the pages of all threads, each once, so that none is at hand when it is asked for."""
    for page in range(1, BUSY_PAGES + 1):
        for thread in range(1, BUSY_THREADS + 1):
            yield thread, page
