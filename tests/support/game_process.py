"""The game service as a process of its own, and its books, which tests read."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from game_service import admin
from game_service.app import MIGRATIONS
from storage.database import open_database
from tests.support.databases import game_address_at, run_beside
from tests.support.program import Launcher, Program, run_program

WEALTH = 1_000
_CURRENCY = "Acorns"
_LISTENING = "listening on "


@dataclass(frozen=True)
class GameProcess:
    program: Program
    base_url: str


@dataclass(frozen=True)
class Player:
    id: int
    token: str


@dataclass(frozen=True)
class Books:
    """What the game has on record, whether it runs or not."""

    path: Path

    @property
    def url(self) -> str:
        """The database as the game's command line takes it."""
        return game_address_at(self.path)

    async def add_catalog_of(self, item_name: str, cost: int) -> tuple[int, int]:
        """Add a catalog of one item, which can be redeemed at park 1; gives the ids of both."""
        async with open_database(self.url, MIGRATIONS) as database:
            catalog = await admin.add_catalog(database, "Season")
            item = await admin.add_item(
                database, catalog, name=item_name, cost=cost, currency=_CURRENCY, parks=[1]
            )
            return catalog, item

    async def add_player(self, name: str) -> Player:
        async with open_database(self.url, MIGRATIONS) as database:
            player = await admin.add_player(
                database, screen_name=name, balances={_CURRENCY: WEALTH}
            )
            return Player(player, await admin.create_token(database, player))

    async def add_thread(self, title: str) -> int:
        async with open_database(self.url, MIGRATIONS) as database:
            return await admin.add_thread(database, title)

    def texts(self) -> list[str]:
        rows = run_beside(self.url, "SELECT content FROM comments ORDER BY id")
        return [content for (content,) in rows]

    def sell_again(self, item: int) -> None:
        """Let an item's owners be charged for it once more."""
        run_beside(self.url, "DELETE FROM purchases WHERE item_id = :item", item=item)

    def charged(self, player: Player) -> int:
        left = self._number(
            "SELECT amount FROM balances WHERE player_id = :player", player=player.id
        )
        return WEALTH - left

    def owns(self, player: Player, item: int) -> bool:
        query = "SELECT count(*) FROM purchases WHERE player_id = :player AND item_id = :item"
        return bool(self._number(query, player=player.id, item=item))

    def redeemed(self, player: Player, item: int) -> bool:
        query = "SELECT count(*) FROM redemptions WHERE player_id = :player AND item_id = :item"
        return bool(self._number(query, player=player.id, item=item))

    def _number(self, query: str, **values: int) -> int:
        return int(run_beside(self.url, query, **values)[0][0])


@asynccontextmanager
async def run_game(launcher: Launcher, books: Books) -> AsyncGenerator[GameProcess]:
    """Run `python -m game_service` on the books; kill it at the end if it still runs."""
    arguments = ["game_service", "--port", "0", "--database", books.url]
    async with run_program(launcher, arguments, {}, books.path.parent) as program:
        line = await program.says(_LISTENING)
        yield GameProcess(program, line.removeprefix(_LISTENING))
