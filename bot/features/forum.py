"""Reading and writing the game's forum threads."""

from bot.features.accounts import Accounts
from bot.game.client import GameClient


class Forum:
    """The forum, as members use it."""

    def __init__(self, client: GameClient, accounts: Accounts) -> None:
        self._client = client
        self._accounts = accounts
