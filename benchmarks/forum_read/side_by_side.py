"""Processor time of `/forum read`, for Kiosk and for a bot of thirty lines.

Each is a process of its own, on a stand-in for Discord over real HTTP and WebSocket. The time is
that of the bot alone. Both answer the same member with the same kind of card: five comments with
their writers' pictures and a button each, set apart by lines, and a row of five buttons below. Each
reading is the first screen of another thread, and costs both one request to the game, which is a
process, too. Then the same threads are read again: Kiosk has them loaded, the other asks again.

What Kiosk does in it and the other does not: it checks what arrives, escapes what people wrote,
knows the server's name for the thread, the member's language, their own comments, texts of theirs
that were cut off, and news that wait for them.
"""

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from http.client import HTTPConnection
from pathlib import Path
from tempfile import mkdtemp
from threading import Event

from benchmarks.forum_read import usual_bot
from benchmarks.game_data import BUSHY_THREADS, FRESH_THREADS, bushy_game, fresh_game
from benchmarks.measuring import Finding, ratio_of, rounds_until_sure
from benchmarks.processes import processor_seconds, serve_game
from storage.claims import TERM_SECONDS
from tests.support.bot_process import environment_of, run_bot
from tests.support.discord_standin import Discord, Member, open_discord
from tests.support.program import Launcher, Program, open_launcher, run_program

_ROUNDS = 7
_MAX_ROUNDS = 19
_READINGS = FRESH_THREADS // (_MAX_ROUNDS + 1)
_LARGE_READINGS = BUSHY_THREADS // (_ROUNDS + 1)
# Thirty lines with uvloop, validation, a read and a write come to 1.4.
_GOAL = 2.2
_MAX_SECONDS_STOPPED = 0.05
# The time between two checks whether the bot lives.
_BREATH_SECONDS = 0.002
_PORT_TOLD = "Monitoring at "
# Kiosk limits its requests to the game a second, and no one is to wait for a turn.
_REST_SECONDS = 1.0

Run = Callable[[Launcher, Discord, str, Path], AbstractAsyncContextManager[Program]]
Pairs = Sequence[tuple[float, float]]


def compare(folder: Path) -> Iterator[Finding]:
    """Measure both bots on threads of each game, and how long the large ones block Kiosk."""
    usual = "a bot of thirty lines"
    ascii_game = fresh_game(folder)
    german_game = fresh_game(folder, in_german=True)
    bushy = bushy_game(folder)
    what = "processor time of `/forum read`"
    once, at_hand = asyncio.run(_measure(ascii_game, _READINGS, _MAX_ROUNDS))
    yield Finding(f"{what} that asks the game once", usual, ratio_of(once), at_most=_GOAL)
    beside = f"{usual}, which asks again"
    yield Finding(f"{what} of what is at hand", beside, ratio_of(at_hand), at_most=1.7)
    once, _ = asyncio.run(_measure(german_game, _READINGS, _MAX_ROUNDS))
    yield Finding(f"{what} of a thread in German", usual, ratio_of(once), at_most=2.4)
    once, _ = asyncio.run(_measure(bushy, _LARGE_READINGS, _ROUNDS))
    yield Finding(f"{what} of 1.15 MB a page", usual, ratio_of(once), at_most=1.5)
    stops = asyncio.run(_longest_stops(bushy))
    ratio = ratio_of([(stop, _MAX_SECONDS_STOPPED) for stop in stops])
    yield Finding(
        "the bot's longest stop in it", f"{_MAX_SECONDS_STOPPED * 1000:g} ms", ratio, at_most=1
    )


async def _measure(game: Path, readings: int, most_rounds: int) -> tuple[Pairs, Pairs]:
    """Return the seconds that rounds of readings took Kiosk and the other: first ones, then again.

    Both read some threads, then both read these again. The first round does not count.
    """
    folder = _folder_beside(game)
    again: list[tuple[float, float]] = []
    with serve_game(game) as service, open_launcher() as launcher:
        async with (
            _reading(_kiosk, launcher, service.base_url, folder, readings) as kiosk,
            _reading(_usual, launcher, service.base_url, folder, readings) as usual,
        ):

            async def measure() -> tuple[float, float]:
                first = await anext(kiosk), await anext(usual)
                again.append((await anext(kiosk), await anext(usual)))
                return first

            await measure()
            once = await rounds_until_sure(measure, goal=_GOAL, least=_ROUNDS, most=most_rounds)
    return once, again[1:]


def _folder_beside(game: Path) -> Path:
    """Make a folder for one bot: a database is one bot's."""
    return Path(mkdtemp(dir=game.parent))


@asynccontextmanager
async def _reading(
    run: Run, launcher: Launcher, game_url: str, folder: Path, readings: int
) -> AsyncGenerator[AsyncGenerator[float]]:
    """Run a bot on a Discord. Give the seconds that it takes to read some threads, and then again.

    Every second round is of the threads of the one before.
    """
    async with open_discord() as discord, run(launcher, discord, game_url, folder) as bot:
        member = discord.add_member("Ada")

        async def rounds() -> AsyncGenerator[float]:
            for first in itertools.count(1, readings):
                for _ in range(2):
                    await asyncio.sleep(_REST_SECONDS)
                    before = processor_seconds(bot.pid)
                    await _read(discord, member, range(first, first + readings))
                    yield processor_seconds(bot.pid) - before

        yield rounds()


async def _read(discord: Discord, member: Member, threads: Iterable[int]) -> None:
    for thread in threads:
        reading = await discord.slash(member, "forum read", thread=str(thread))
        await reading.answer()


async def _longest_stops(game: Path) -> list[float]:
    """Return how long the bot took at most to say that it lives, in each round of readings."""
    threads = iter(range(1, BUSHY_THREADS + 1))
    with serve_game(game) as service, open_launcher() as launcher:
        async with (
            open_discord() as discord,
            run_bot(
                launcher,
                discord,
                service.base_url,
                _folder_beside(game),
                settings={"MONITORING_PORT": "0"},
            ) as bot,
        ):
            address = await bot.program.says(_PORT_TOLD)
            port = int(address.partition("http://127.0.0.1:")[2].partition("/")[0])
            member = discord.add_member("Ada")
            stops: list[float] = []
            for _ in range(_ROUNDS + 1):
                await asyncio.sleep(_REST_SECONDS)
                is_over = Event()
                watching = asyncio.create_task(asyncio.to_thread(_longest_answer, port, is_over))
                await _read(discord, member, itertools.islice(threads, _LARGE_READINGS))
                is_over.set()
                stops.append(await watching)
            return stops[1:]


def _longest_answer(port: int, is_over: Event) -> float:
    """Check whether the bot lives, over and over. Return the longest wait for an answer."""
    longest = 0.0
    connection = HTTPConnection("127.0.0.1", port)
    with closing(connection):
        while not is_over.wait(_BREATH_SECONDS):
            begun = time.perf_counter()
            connection.request("GET", "/livez")
            connection.getresponse().read()
            longest = max(longest, time.perf_counter() - begun)
    return longest


@asynccontextmanager
async def _kiosk(
    launcher: Launcher, discord: Discord, game_url: str, folder: Path
) -> AsyncGenerator[Program]:
    # As in earnest: the tests' shorter one is renewed all the time.
    async with run_bot(launcher, discord, game_url, folder, claim_term=TERM_SECONDS) as bot:
        yield bot.program


@asynccontextmanager
async def _usual(
    launcher: Launcher, discord: Discord, game_url: str, folder: Path
) -> AsyncGenerator[Program]:
    environment = environment_of(discord, game_url, folder)
    async with run_program(launcher, [usual_bot.__name__], environment, folder) as program:
        await program.says("ready")
        yield program
