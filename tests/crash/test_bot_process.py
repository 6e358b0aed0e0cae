"""The bot as a process, on the stand-in: what the crash tests stand on holds."""

from pathlib import Path

import pytest

from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord, NobodyListens
from tests.support.program import Launcher

# Nothing listens there, and no command below asks the game.
NO_GAME = "http://127.0.0.1:9/api/v1"


async def test_a_bot_starts_answers_and_ends_cleanly(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        answer = await (await discord.slash(ada, "help")).answer()
        assert answer.is_private
        assert "/account link" in answer.text
        assert await bot.program.stop() == 0
        await bot.ended()

    assert discord.state.token not in bot.program.output
    with pytest.raises(NobodyListens):
        await discord.slash(ada, "help")


async def test_what_was_said_before_a_crash_is_known_after_it(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        await (await discord.slash(ada, "setup thread add", id="12", name="Patch notes")).answer()
        await bot.kill()
    async with run_bot(launcher, discord, NO_GAME, tmp_path):
        await (await discord.slash(ada, "setup thread list")).says("Patch notes")

    gave_commands = [asked for asked in discord.state.asked.past if asked.method == "PUT"]
    assert len(gave_commands) == 1


async def test_a_command_used_while_the_connection_is_cut_is_answered_after_it(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        await discord.state.gateway.cut()
        exchange = await discord.slash(ada, "help", to=[bot.session])
        await exchange.says("/account link")

    assert len(discord.state.gateway.sessions.past) == 1


async def test_of_two_bots_that_hear_a_command_one_answers_it(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with (
        run_bot(launcher, discord, NO_GAME, tmp_path, shards="0/2"),
        run_bot(launcher, discord, NO_GAME, tmp_path, shards="1/2"),
    ):
        # As on the real one where a shard has been taken over from a bot that stood still.
        exchange = await discord.slash(ada, "help", to=discord.state.gateway.connected())
        await discord.state.asked.until(
            lambda: sum(asked.is_callback for asked in discord.state.asked.past) == 2
        )
        await exchange.says("/account link")

    assert len(exchange.messages) == 1


async def test_a_bot_that_is_killed_while_it_answers_has_said_nothing(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        # An answer takes over a thousand lines; how many of them the bot runs besides is chance.
        await bot.program.arm(100, ["bot", "cogs", "storage"])
        exchange = await discord.slash(ada, "help")
        assert await bot.ended() == -9

    assert not exchange.messages
