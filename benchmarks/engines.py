"""A reading and a purchase, on PostgreSQL beside SQLite.

On each engine the bot runs as a process of its own, on a stand-in for Discord and before one real
game service. The time is the member's: from the command or the press to the answer.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.measuring import Finding, ratio_of, rounds_until_sure
from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, open_discord
from tests.support.game_process import Books, Player, run_game
from tests.support.postgres import run_postgres
from tests.support.program import Launcher, open_launcher

# How many members come in a round. Those of the first one are not counted.
_A_ROUND = 20
_ROUNDS = 5
_MAX_ROUNDS = 20
_GOAL = 2.0

Pairs = Sequence[tuple[float, float]]


@dataclass
class _Counter:
    """One bot's Discord, what its members want, and how many seconds each had to wait."""

    discord: Discord
    thread: int
    catalog: int
    item: int
    readings: list[float] = field(default_factory=list[float])
    purchases: list[float] = field(default_factory=list[float])

    def begin(self) -> None:
        """Begin a round."""
        self.readings.clear()
        self.purchases.clear()

    async def serve(self, player: Player) -> None:
        """Let a new member link their account, read and buy."""
        member = self.discord.add_member(f"member-{player.id}")
        form = await (await self.discord.slash(member, "account link")).modal()
        linking = await self.discord.submit(member, form, {"token": player.token})
        await linking.says("Game account linked")

        begun = time.perf_counter()
        reading = await self.discord.slash(member, "forum read", thread=str(self.thread))
        await reading.answer()
        self.readings.append(time.perf_counter() - begun)

        asking = await self.discord.slash(
            member, "shop buy", item=str(self.item), catalog=str(self.catalog)
        )
        card = await asking.says("Hat")
        begun = time.perf_counter()
        pressed = await self.discord.press(member, card, "Buy item")
        await pressed.says("is yours")
        self.purchases.append(time.perf_counter() - begun)


def compare(folder: Path) -> Iterator[Finding]:
    """Send members to one bot and to the other in turn."""
    with open_launcher() as launcher, run_postgres(folder / "postgres") as server:
        readings, purchases = asyncio.run(_measure(launcher, folder, server))
    for what, pairs in (("a reading", readings), ("a purchase", purchases)):
        ratio = ratio_of(pairs)
        yield Finding(f"waiting for {what} on PostgreSQL", "on SQLite", ratio, at_most=_GOAL)


async def _measure(launcher: Launcher, folder: Path, server: str) -> tuple[Pairs, Pairs]:
    """Return the medians of each round, on PostgreSQL and on SQLite, of readings and purchases."""
    books = Books(folder / "market.db")
    thread = await books.add_thread("Quiet corner")
    first, second = [await books.add_catalog_of("Hat", 5) for _ in range(2)]
    count = _A_ROUND * (_MAX_ROUNDS + 1)
    players = iter([await books.add_player(f"player-{number}") for number in range(count)])
    file = f"sqlite:///{folder / 'market-bot.db'}"
    readings: list[tuple[float, float]] = []
    async with (
        run_game(launcher, books) as game,
        open_discord() as one,
        open_discord() as other,
        run_bot(launcher, one, game.base_url, folder, database_url=file),
        run_bot(launcher, other, game.base_url, folder, database_url=server),
    ):
        sqlite = _Counter(one, thread, *first)
        postgres = _Counter(other, thread, *second)

        async def measure() -> tuple[float, float]:
            sqlite.begin()
            postgres.begin()
            for player in islice(players, _A_ROUND):
                await sqlite.serve(player)
                await postgres.serve(player)
            readings.append((median(postgres.readings), median(sqlite.readings)))
            return median(postgres.purchases), median(sqlite.purchases)

        await measure()
        purchases = await rounds_until_sure(measure, goal=_GOAL, least=_ROUNDS, most=_MAX_ROUNDS)
    return readings[1:], purchases
