"""The game as a process, behind the proxy: what the crash tests stand on holds."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from tests.crash.rounds import IS_SOAK, SEED, random_lines
from tests.support.faulty_proxy import Fault, is_write, open_proxy
from tests.support.game_process import Books, run_game
from tests.support.program import NEVER, Launcher

COST = 30
GAME_FOLDERS = ("game_service", "storage")
LINES_KILLED_AT = 60 if IS_SOAK else 5


@dataclass
class Till:
    """Somebody who buys from the game directly; `buy` gives the status, None without an answer."""

    launcher: Launcher
    session: aiohttp.ClientSession
    books: Books

    async def buy(self, base_url: str, item: int, token: str) -> int | None:
        headers = {"Authorization": f"Bearer {token}"}
        try:
            async with self.session.post(
                f"{base_url}/items/{item}/purchase", headers=headers
            ) as response:
                await response.read()
                return response.status
        except aiohttp.ClientError:
            return None


@pytest.fixture
async def till(launcher: Launcher, tmp_path: Path) -> AsyncGenerator[Till]:
    async with aiohttp.ClientSession() as session:
        yield Till(launcher, session, Books(tmp_path / "game.db"))


async def test_a_game_killed_at_any_line_of_a_purchase_has_done_all_of_it_or_nothing(
    till: Till,
) -> None:
    books = till.books
    _, item = await books.add_catalog_of("Straw hat", COST)
    first = await books.add_player("first")
    async with run_game(till.launcher, books) as game:
        await game.program.arm(NEVER, GAME_FOLDERS)
        assert await till.buy(game.base_url, item, first.token) == 200
        lines = await game.program.count()

    for line in random_lines(lines, LINES_KILLED_AT):
        player = await books.add_player("second")
        async with run_game(till.launcher, books) as game:
            await game.program.arm(line, GAME_FOLDERS)
            answered = await till.buy(game.base_url, item, player.token)
            await game.program.kill()

        where = f"killed at line {line}, KIOSK_SEED={SEED}"
        assert books.charged(player) == COST * books.owns(player, item), where
        assert answered is None or books.owns(player, item), where


@pytest.mark.parametrize(
    ("fault", "answer", "arrivals"),
    [
        (Fault.LOST_REQUEST, None, 0),
        (Fault.LOST_ANSWER, None, 1),
        (Fault.CUT_ANSWER, None, 1),
        (Fault.REPEATED_REQUEST, 409, 2),
    ],
)
async def test_the_proxy_loses_cuts_and_repeats(
    till: Till, fault: Fault, answer: int | None, arrivals: int
) -> None:
    _, item = await till.books.add_catalog_of("Straw hat", COST)
    player = await till.books.add_player("player")

    async with run_game(till.launcher, till.books) as game, open_proxy(game.base_url) as proxy:
        with proxy.failing(fault, is_write):
            assert await till.buy(proxy.base_url, item, player.token) == answer

        assert len(proxy.forwarded.past) == arrivals
        assert till.books.owns(player, item) == bool(arrivals)
        assert till.books.charged(player) == COST * bool(arrivals)
