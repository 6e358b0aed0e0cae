"""Discord has the commands of the newest version that runs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from discord.http import Route

from bot.app import open_bot
from bot.kiosk import Kiosk
from bot.settings import load_settings
from bot.tree import newer_versions, process_label
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import open_database
from tests.support.databases import address_at
from tests.support.discord_standin import Discord, open_discord
from tests.support.world import KEY


@asynccontextmanager
async def logged_in(discord: Discord) -> AsyncGenerator[Kiosk]:
    async with open_bot(load_settings()) as bot:
        await bot.login(discord.state.token)
        yield bot


async def test_an_old_gateway_gives_its_commands_once_no_newer_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    address = address_at(tmp_path / "kiosk.db")
    for name, value in {
        "DATABASE_URL": address,
        "KIOSK_KEYS": KEY,
        "GAME_BASE_URL": "http://127.0.0.1:9",
        "LEASE_SECONDS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    async with open_discord() as discord, open_database(address, MIGRATIONS) as database:
        monkeypatch.setattr(Route, "BASE", discord.state.api_url)
        asked = discord.state.asked
        async with Claims(database, label=process_label("99.0.1")) as newer:
            await newer.renew()
            async with logged_in(discord) as bot:
                assert "version 99.0.1 runs" in caplog.text
                assert not any(one.method == "PUT" for one in asked.past)

                await newer.__aexit__()
                await asked.until(lambda: any(one.method == "PUT" for one in asked.past))
        given = {command["name"] for command in discord.state.commands.all()}
        assert {command.name for command in bot.tree.get_commands()} <= given


def test_versions_are_compared_as_numbers_and_names_without_one_say_nothing() -> None:
    names = [f"process:{process_label(one)}host:7:ab" for one in ("1.9", "1.10.0", "1.2")]

    assert newer_versions([*names, "process:v9:8:ab", "process:host:8:ab"], "1.2.5") == [
        "1.9",
        "1.10.0",
        "9",
    ]
    assert newer_versions(names, "1.10.0") == []
