"""Browsing, buying and redeeming the game's catalog items."""

from bot.features.accounts import Accounts
from bot.game.client import GameClient


class Shop:
    """The shop, as members use it."""

    def __init__(self, client: GameClient, accounts: Accounts) -> None:
        self._client = client
        self._accounts = accounts
