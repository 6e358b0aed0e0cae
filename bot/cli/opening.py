"""Open what the commands look at, as the settings say."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.settings import Settings, SettingsError, load_settings
from storage import MIGRATIONS
from storage.database import (
    Database,
    open_database,
    open_existing_database,
    refuse_later_steps,
)
from storage.vault import Vault

Opened = tuple[Database, Vault]


@asynccontextmanager
async def open_looking() -> AsyncGenerator[Opened]:
    """Open the database only to look at it. Raises SettingsError, DatabaseError."""
    settings = load_settings()
    vault = _vault(settings)
    async with open_existing_database(settings.database_url, MIGRATIONS) as database:
        # What is given out, erased or sealed anew is to be all of it.
        await refuse_later_steps(database, MIGRATIONS)
        yield database, vault


@asynccontextmanager
async def open_changing() -> AsyncGenerator[Opened]:
    """Open a database that is there, to change it. Raises SettingsError, DatabaseError."""
    async with open_looking():
        settings = load_settings()
    async with open_database(settings.database_url, MIGRATIONS) as database:
        yield database, _vault(settings)


def _vault(settings: Settings) -> Vault:
    if not settings.kiosk_keys:
        raise SettingsError(["KIOSK_KEYS: missing; make a key with `python -m bot keys new`"])
    return Vault(settings.kiosk_keys)
