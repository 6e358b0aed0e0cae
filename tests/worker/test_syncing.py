"""Of several processes, one gives Discord the commands."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from discord.http import Route

from bot.app import open_bot
from bot.program.kiosk import Kiosk
from bot.settings import load_settings
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import Database, open_database
from tests.support.databases import address_at
from tests.support.discord_standin import Discord, open_discord
from tests.support.gates import PATIENCE
from tests.support.world import KEY

_BEATS = "SELECT expires_at FROM claims WHERE substr(name, 1, 8) = 'process:'"


async def until_it_beat(database: Database, often: int) -> None:
    """Wait until a bot has said so often that it lives: it looks at claims as often."""
    beats: set[int] = set()
    async with asyncio.timeout(PATIENCE):
        while len(beats) <= often:
            beats |= {row["expires_at"] for row in await database.fetch(_BEATS)}


@asynccontextmanager
async def logged_in(discord: Discord) -> AsyncGenerator[Kiosk]:
    async with open_bot(load_settings()) as bot:
        await bot.login(discord.state.token)
        yield bot


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the database that is set for the bot."""
    address = address_at(tmp_path / "kiosk.db")
    for name, value in {
        "DATABASE_URL": address,
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": "http://127.0.0.1:9",
        "LEASE_SECONDS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    return address


async def test_a_start_that_is_cut_off_leaves_the_commands_to_others(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_discord() as discord, open_database(address, MIGRATIONS) as database:
        monkeypatch.setattr(Route, "BASE", discord.state.api_url)
        async with Claims(database) as other, open_bot(load_settings()) as bot:
            assert await other.take("commands")
            start = asyncio.create_task(bot.login(discord.state.token))
            await discord.state.asked.first(lambda one: one.path.endswith("/commands"))
            await until_it_beat(database, 3)
            start.cancel()
            await asyncio.wait([start])
            await other.release("commands")

            await until_it_beat(database, 3)
            assert not await other.rival("commands")
