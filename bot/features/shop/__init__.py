"""Browsing the game's catalogs and finding items in them."""

from bot.background import BackgroundTasks
from bot.features.accounts import Accounts
from bot.features.shop.catalog_cache import CatalogCache
from bot.features.shop.catalogs import Catalogs
from bot.features.shop.item_search import ItemSearch
from bot.game.client import GameClient


class Shop:
    """The shop, as members look at it; what they order is `bot.features.orders`'s."""

    def __init__(self, client: GameClient, accounts: Accounts, tasks: BackgroundTasks) -> None:
        self.cache = CatalogCache(client, tasks)
        self.catalogs = Catalogs(client, accounts, self.cache, tasks)
        self.search = ItemSearch(self.catalogs, self.cache, tasks)
