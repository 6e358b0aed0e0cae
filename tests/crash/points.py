"""Points at which a bot is killed: a line of its own, or a step that can be seen from outside."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tests.crash.town import BOT_FOLDERS, PURCHASE, Confirming, Deal, Shopper, Town
from tests.support.bot_process import BotProcess
from tests.support.discord_standin import Exchange
from tests.support.faulty_proxy import Passing, is_read, is_write
from tests.support.gates import Gates
from tests.support.program import NEVER


@dataclass(frozen=True)
class Point:
    """A named way to press and die before the answer is known to have come."""

    name: str
    press_and_die: Callable[[Confirming, BotProcess], Awaitable[Exchange]]


@dataclass(frozen=True)
class Crash:
    """What a killed bot has left behind; `where` says how to come there again."""

    where: str
    shopper: Shopper
    exchange: Exchange


def at_line(line: int, folders: Sequence[str] = BOT_FOLDERS) -> Point:
    """Die at the n-th line that runs after the press, or after the answer if that comes first."""

    async def die(confirming: Confirming, bot: BotProcess) -> Exchange:
        await bot.program.arm(line, folders)
        exchange = await confirming.press()
        await die_or_tell(confirming.town, bot, confirming.shopper, exchange)
        return exchange

    return Point(f"line {line}", die)


async def die_or_tell(town: Town, bot: BotProcess, shopper: Shopper, *exchanges: Exchange) -> None:
    """Wait until an armed bot has died; if it lives to tell the member, kill it then."""
    dying = asyncio.create_task(bot.ended())
    telling = asyncio.create_task(town.outcome(shopper, *exchanges))
    await asyncio.wait([dying, telling], return_when=asyncio.FIRST_COMPLETED)
    telling.cancel()
    await bot.kill()
    await asyncio.gather(dying, telling, return_exceptions=True)


def at_step(
    name: str, road: Callable[[Town], Gates[Passing]], wanted: Callable[[Passing], bool]
) -> Point:
    """Die while something is on a road; it goes on when the bot is dead."""

    async def die(confirming: Confirming, bot: BotProcess) -> Exchange:
        # What brought the card is not what the gate waits for.
        await confirming.town.discord_proxy.quiet()
        async with road(confirming.town).closed(wanted) as gate:
            exchange = await confirming.press()
            await gate.arrival()
            await bot.kill()
        return exchange

    return Point(name, die)


def is_callback(passing: Passing) -> bool:
    """Tell whether Discord gets its first answer to an interaction."""
    return passing.path.endswith("/callback")


def is_follow_up(passing: Passing) -> bool:
    """Tell whether Discord gets a message beside the answer."""
    return passing.method == "POST" and "/webhooks/" in passing.path


def _is_edit(passing: Passing) -> bool:
    return passing.method == "PATCH"


ASKING = at_step("before the game is asked", lambda town: town.game_proxy.arriving, is_write)
ANSWERED = at_step("after the game has answered", lambda town: town.game_proxy.leaving, is_write)
TELLING = at_step("before it is told", lambda town: town.discord_proxy.arriving, _is_edit)
STEPS = (
    at_step("before Discord hears of it", lambda town: town.discord_proxy.arriving, is_callback),
    at_step("after Discord heard of it", lambda town: town.discord_proxy.leaving, is_callback),
    at_step("before the price is read", lambda town: town.game_proxy.arriving, is_read),
    at_step("after the price was read", lambda town: town.game_proxy.leaving, is_read),
    ASKING,
    ANSWERED,
    TELLING,
)


async def crash_at_each(town: Town, points: Sequence[Point], deal: Deal = PURCHASE) -> list[Crash]:
    """Let a new shopper meet each point in turn, each with a bot of their own."""
    crashes: list[Crash] = []
    for point in points:
        async with town.bot() as bot:
            shopper = await town.shopper()
            confirming = await town.confirming(shopper, deal)
            exchange = await point.press_and_die(confirming, bot)
            crashes.append(Crash(point.name, shopper, exchange))
    await town.let_arrive()
    await town.let_it_show()
    town.let_time_pass()
    return crashes


async def lines_of(town: Town, folders: Sequence[str], deal: Deal = PURCHASE) -> int:
    """Count the lines that an undisturbed deal runs, from the press to the answer."""
    async with town.bot() as bot:
        shopper = await town.shopper()
        confirming = await town.confirming(shopper, deal)
        await bot.program.arm(NEVER, folders)
        assert await town.outcome(shopper, await confirming.press()) == "done"
        return await bot.program.count()
