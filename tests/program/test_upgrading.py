"""What keeps the bot from running is found before an older database is brought up to date."""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Any

import discord as discord_py
import pytest
from discord.http import Route

from bot.app import open_bot
from bot.program.connecting import try_token
from bot.program.kiosk import CannotRun, Exit
from bot.settings import Settings, SettingsError
from storage.vault import new_key
from tests.support.bot_process import KEY, environment_of
from tests.support.databases import everything_in, run_beside
from tests.support.discord_standin import Discord, open_discord
from tests.support.one_zero import database_of_one_zero
from tests.support.program import Launcher, run_program

NO_GAME = "http://127.0.0.1:9/api/v1"
ELSEWHERE = "https://kiosk.example/interactions"


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Discord]:
    async with open_discord() as opened:
        monkeypatch.setattr(Route, "BASE", opened.state.api_url)
        yield opened


@pytest.fixture
def old(tmp_path: Path) -> str:
    """The address of a database that 1.0.0 has left."""
    return database_of_one_zero(tmp_path / "kiosk.db")


async def start(discord: Discord, old: str, **others: Any) -> None:
    given = {
        "discord_token": discord.state.token,
        "game_base_url": NO_GAME,
        "database_url": old,
        "kiosk_keys": KEY,
        **others,
    }
    settings = Settings.model_validate(given)
    may_start = partial(try_token, settings, given["discord_token"])
    async with open_bot(settings, before_upgrade=may_start):
        pass


@pytest.mark.parametrize(
    ("wrong", "endpoint", "error", "says"),
    [
        (
            {"kiosk_keys": new_key()},
            None,
            SettingsError,
            "KIOSK_KEYS: no key can decrypt any token",
        ),
        ({"game_base_url": "game.example"}, None, SettingsError, "GAME_BASE_URL: the game's addr"),
        ({"discord_token": "wrong"}, None, discord_py.LoginFailure, "Improper token"),
        ({}, ELSEWHERE, CannotRun, f"Discord posts interactions to {ELSEWHERE}. Empty"),
    ],
    ids=["keys", "game", "token", "endpoint"],
)
async def test_what_refuses_the_start_refuses_it_before_the_upgrade(
    discord: Discord,
    old: str,
    wrong: dict[str, str],
    endpoint: str | None,
    error: type[Exception],
    says: str,
) -> None:
    before = everything_in(old)
    discord.state.posting.url = endpoint

    with pytest.raises(error, match=says):
        await start(discord, old, **wrong)

    assert everything_in(old) == before


async def test_where_nothing_does_the_upgrade_begins(discord: Discord, old: str) -> None:
    await start(discord, old)

    assert run_beside(old, "SELECT kind FROM about WHERE step > 1") == [("kiosk",)]


async def test_the_program_tries_its_token_first(
    launcher: Launcher, discord: Discord, old: str, tmp_path: Path
) -> None:
    before = everything_in(old)
    environment = environment_of(discord, NO_GAME, tmp_path) | {"DATABASE_URL": old}
    environment["DISCORD_TOKEN"] = "wrong"

    async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
        assert await program.ended() == Exit.TO_MEND

    assert "Kiosk can't run: DISCORD_TOKEN: Discord refuses it" in program.output
    assert everything_in(old) == before
