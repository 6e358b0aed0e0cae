"""A member who reads on command, and tells what it costs the bot.

`python -m benchmarks.forum_read.member BOT GAME_URL FOLDER` opens a simulated Discord with one of
the two bots in it. Each line it is given makes the member read as many pages, each another one;
it answers with the processor time of the whole process, in seconds for each page.
"""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path

import aiohttp
import simcord

from benchmarks.forum_read.detaching import detach
from benchmarks.forum_read.usual_bot import UsualBot
from benchmarks.game_data import BUSY_PAGES, BUSY_THREADS
from bot.app import open_bot
from bot.settings import Settings
from playground.simulation import simulate
from storage.vault import new_key

# As simcord has it, in seconds: looking more often for the end of an action costs time of its own.
_PAUSE = 0.05
# Kiosk asks the game for so much a second at most, and nobody is to wait for a turn. In seconds.
_REST = 1.0


class BotName(StrEnum):
    """Whose command the member uses."""

    KIOSK = "kiosk"
    USUAL = "usual"


@asynccontextmanager
async def _open_discord(name: BotName, game_url: str, folder: Path) -> AsyncGenerator[simcord.Env]:
    if name is BotName.KIOSK:
        settings = Settings.model_validate(
            {
                "game_base_url": game_url,
                "database_url": f"sqlite:///{folder}/reading.db",
                "kiosk_keys": new_key(),
            }
        )
        async with open_bot(settings) as kiosk, simulate(kiosk, pause=_PAUSE) as env:
            yield env
    else:
        async with (
            aiohttp.ClientSession() as session,
            UsualBot(detach(session), game_url) as usual,
            simulate(usual, pause=_PAUSE) as env,
        ):
            yield env


async def _read_on_command(name: BotName, game_url: str, folder: Path) -> None:
    async with _open_discord(name, game_url, folder) as env:
        guild = env.create_guild("Readers")
        channel = guild.create_text_channel("game-talk")
        member = guild.add_member(env.create_user("member"))
        pages = _pages()
        while line := await asyncio.to_thread(sys.stdin.readline):
            count = int(line)
            await asyncio.sleep(_REST)
            started = time.process_time()
            for _ in range(count):
                thread, page = next(pages)
                await member.slash(channel, "forum read", thread=str(thread), page=page)
            print((time.process_time() - started) / count, flush=True)


def _pages() -> Iterator[tuple[int, int]]:
    """Give the pages of all threads, each once, so that none is at hand when it is asked for."""
    for page in range(1, BUSY_PAGES + 1):
        for thread in range(1, BUSY_THREADS + 1):
            yield thread, page


if __name__ == "__main__":
    asyncio.run(_read_on_command(BotName(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
