"""What Discord says to the list of commands that Kiosk gives it."""

import asyncio
import json
from pathlib import Path

import pytest
from discord.http import Route

from bot.app import open_bot
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import Database, open_database
from tests.support.bot_process import environment_of, quick_bot, run_bot
from tests.support.discord_standin import open_discord
from tests.support.discord_standin.refusals import MALFORMED
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import Launcher, run_program
from tests.support.world import settings_for

ENTRY_POINT = {
    "name": "launch",
    "name_localizations": {"de": "starten"},
    "description": "Play in a voice channel",
    "type": 4,
    "handler": 2,
}


async def test_the_command_that_opens_an_activity_stays_as_it_is(
    launcher: Launcher, tmp_path: Path
) -> None:
    async with open_discord() as discord:
        (before,) = discord.state.commands.replace([ENTRY_POINT])
        async with run_bot(launcher, discord, "http://127.0.0.1:9", tmp_path) as first:
            ada = discord.add_member("ada")
            await (await discord.slash(ada, "help")).says("Kiosk")
            assert await first.program.stop() == 0
        async with run_bot(launcher, discord, "http://127.0.0.1:9", tmp_path):
            pass

        assert before in discord.state.commands.all(with_translations=True)
        given = [asked for asked in discord.state.asked.past if asked.method == "PUT"]
        assert len(given) == 1


async def test_commands_that_discord_refuses_are_one_sentence(
    launcher: Launcher, tmp_path: Path
) -> None:
    async with open_discord() as discord:
        discord.state.commands.refusal = MALFORMED
        environment = environment_of(discord, "http://127.0.0.1:9", tmp_path)
        async with run_program(launcher, quick_bot(), environment, tmp_path) as bot:
            assert await bot.ended() == 78

    last = json.loads(bot.output.splitlines()[-1])
    assert last["event"] == (
        "Kiosk can't run: Discord refuses Kiosk's commands:"
        " 400 Bad Request (error code: 50035): Invalid Form Body"
    )
    assert "Traceback" not in bot.output


_BEATS = "SELECT expires_at FROM claims WHERE substr(name, 1, 8) = 'process:'"


async def until_it_beat(database: Database, often: int) -> None:
    """Wait until a bot has said so often that it lives: it looks at claims as often."""
    beats: set[int] = set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(beats) <= often:
            beats |= {row["expires_at"] for row in await database.fetch(_BEATS)}


async def test_a_cut_off_start_lets_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_for(tmp_path, "http://127.0.0.1:9")
    async with (
        open_discord() as discord,
        open_database(settings.database_url, MIGRATIONS) as database,
    ):
        monkeypatch.setattr(Route, "BASE", discord.state.api_url)
        async with Claims(database) as other, open_bot(settings, claim_term=1.0) as bot:
            assert await other.take("commands")
            start = asyncio.create_task(bot.login(discord.state.token))
            await discord.state.asked.first(lambda one: one.path.endswith("/commands"))
            await until_it_beat(database, 3)
            start.cancel()
            await asyncio.wait([start])
            await other.release("commands")

            await until_it_beat(database, 3)
            assert not await other.current_holder("commands")
