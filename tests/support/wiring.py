"""What the features stand on, without Discord: a database, a client of a game, linked members."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.features.accounts import Accounts
from bot.features.directory import Directory
from bot.game.game_client import GameClient
from bot.game.transport import Limits
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.database.interface import PATIENCE_SECONDS
from storage.links import Links
from storage.messages import Messages
from storage.names import MemberServers, Names
from storage.vault import Vault
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.world import KEY


@dataclass(frozen=True)
class Wiring:
    """One process, as `bot.app` would wire it; several on one folder share the database."""

    database: Database
    vault: Vault
    tasks: BackgroundTasks
    client: GameClient
    links: Links
    accounts: Accounts
    directory: Directory


@asynccontextmanager
async def open_wiring(
    folder: Path,
    base_url: str,
    *,
    limits: Limits | None = None,
    address: str | None = None,
    patience: float = PATIENCE_SECONDS,
    clock: Clock | None = None,
) -> AsyncGenerator[Wiring]:
    """Open all of it on the game at `base_url`; `address` is that of another database."""
    vault = Vault([SecretStr(KEY)])
    async with (
        open_database(
            address or address_at(folder / "kiosk.db"), MIGRATIONS, patience=patience
        ) as database,
        aiohttp.ClientSession() as session,
        BackgroundTasks(clock or Clock()) as tasks,
    ):
        client = GameClient(session, base_url, tasks, limits=limits)
        links = Links(database, vault, utc_now)
        accounts = Accounts(links, client, tasks)
        names = Names(database, Messages(database, utc_now))
        used = MemberServers(database, utc_now)
        directory = Directory(names, used, tasks)
        yield Wiring(database, vault, tasks, client, links, accounts, directory)
