"""Browsing the game's catalogs and finding items in them."""

from bot.features.accounts import Accounts
from bot.features.shop.catalogs import Catalogs
from bot.features.shop.finding import Finder
from bot.features.shop.shelves import Shelves
from bot.game.background import BackgroundTasks
from bot.game.client import GameClient


class Shop:
    """The shop, as members look at it; what they order is `bot.features.orders`'s."""

    def __init__(self, client: GameClient, accounts: Accounts, tasks: BackgroundTasks) -> None:
        self.shelves = Shelves()
        self.catalogs = Catalogs(client, accounts, self.shelves, tasks)
        self.finder = Finder(self.catalogs, self.shelves, tasks)
