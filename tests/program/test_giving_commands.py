"""What Discord says to the list of commands that Kiosk gives it."""

import json
from pathlib import Path

from tests.support.bot_process import environment_of, quick_bot, run_bot
from tests.support.discord_standin import open_discord
from tests.support.discord_standin.refusals import MALFORMED
from tests.support.program import Launcher, run_program

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
