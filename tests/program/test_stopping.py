"""A bot that is told to stop, or sent away, in states that an operator meets."""

import asyncio
import json
import signal
from pathlib import Path
from socket import gethostname

import discord as discord_py
import pytest

from bot.program.kiosk import Exit
from bot.program.running import refused
from storage.database import open_database, steps
from storage.storage_errors import DatabaseUnavailable
from tests.storage.steps import kiosk_with
from tests.support.bot_process import environment_of, run_bot
from tests.support.databases import address_at, run_beside
from tests.support.discord_standin import open_discord
from tests.support.discord_standin.refusals import UNAVAILABLE
from tests.support.game_samples import page
from tests.support.program import Launcher, run_program
from tests.support.rogue_game import RogueGame, RogueShop, open_rogue_game, reply, silence

# Nothing listens there, and nothing below asks it.
NO_GAME = "http://127.0.0.1:9/api/v1"


async def test_a_login_that_hangs_is_ended_by_ctrl_c(launcher: Launcher, tmp_path: Path) -> None:
    async with open_discord() as discord, discord.state.gates.closed(lambda _: True) as gate:
        environment = environment_of(discord, NO_GAME, tmp_path)
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            await gate.arrival()
            program.send(signal.SIGINT)
            assert await program.ended() == Exit.STOPPED

    assert "Traceback" not in program.output
    assert "Kiosk stopped as requested" in program.output.splitlines()[-1]


async def test_discord_is_asked_again_while_it_is_down(launcher: Launcher, tmp_path: Path) -> None:
    async with open_discord() as discord:
        discord.state.refusal = UNAVAILABLE
        environment = environment_of(discord, NO_GAME, tmp_path)
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            await program.says("Can't use Discord, trying again in 5 s: 503")
            assert await program.stop() == Exit.STOPPED

    assert "Traceback" not in program.output


async def test_a_gateway_that_is_mute_holds_nobody_up(launcher: Launcher, tmp_path: Path) -> None:
    async with open_discord() as discord:
        discord.state.gateway.is_mute = True
        environment = environment_of(discord, NO_GAME, tmp_path)
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            await discord.state.gateway.visits.first(lambda _: True)
            assert await program.stop() == Exit.STOPPED

    assert "Traceback" not in program.output


async def test_a_loop_that_stands_still_ends_the_process(
    launcher: Launcher, tmp_path: Path
) -> None:
    async with open_discord() as discord:
        environment = environment_of(discord, NO_GAME, tmp_path)
        stuck = ["tests.support.stuck_bot"]
        async with run_program(launcher, stuck, environment, tmp_path) as program:
            assert await program.ended() == Exit.FAILED

    last = json.loads(program.output.splitlines()[-1])
    assert (last["level"], last["exit_code"]) == ("critical", Exit.FAILED)
    assert "its event loop is blocked, at threading:" in last["event"]
    assert " < __main__:" in last["event"]


async def test_a_bot_that_started_too_often_connects_later_and_says_so(
    launcher: Launcher, tmp_path: Path
) -> None:
    async with open_discord() as discord:
        gateway = discord.state.gateway
        gateway.starts_left = 499
        gateway.reset_after = 79_200_000
        environment = environment_of(discord, NO_GAME, tmp_path)
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            line = await program.says("Connecting in 159 s: Discord lets the bot connect 499 of")
            assert "1000 times in the next 22:00:00. Find out from the log why" in line
            assert await program.stop() == Exit.STOPPED
        assert not gateway.visits.past
        gateway.starts_left = 0
        gateway.reset_after = 1
        async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
            await bot.program.says("Connecting in 0 s: Discord lets the bot connect 0 of 1000")


async def asked_twice(game: RogueGame) -> None:
    """Wait until a member asks the game, beside the bot itself, which does so at its start."""
    for _ in range(2):
        await game.arrivals.get()


async def test_a_stop_lets_those_who_wait_be_answered(launcher: Launcher, tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_discord() as discord:
        release = asyncio.Event()

        async def held(writer: asyncio.StreamWriter) -> None:
            await release.wait()
            await reply(page())(writer)

        game.answers(held)
        ada, bob = discord.add_member("ada"), discord.add_member("bob")
        async with run_bot(launcher, discord, game.base_url, tmp_path) as bot:
            waiting = await discord.slash(ada, "forum read", thread="1")
            await asked_twice(game)
            bot.program.send(signal.SIGTERM)
            await bot.program.says("Stopping because of")
            late = await discord.slash(bob, "help")
            await late.says("Kiosk is restarting")
            written = await discord.slash(bob, "forum post", thread="1", content="Last words")
            await written.says("Your text is saved for 24 hours")
            assert bot.session.is_connected
            release.set()
            await waiting.says("Thread 1")
            assert await bot.ended() == Exit.STOPPED

        assert "Traceback" not in bot.program.output
        async with run_bot(launcher, discord, game.base_url, tmp_path):
            listed = await discord.slash(bob, "forum unsent")
            await listed.says("Last words")


@pytest.mark.soak
async def test_a_stop_gives_back_what_was_typed(launcher: Launcher, tmp_path: Path) -> None:
    async with open_rogue_game() as game, open_discord() as discord:
        game.answers(silence)
        ada = discord.add_member("ada")
        async with run_bot(launcher, discord, game.base_url, tmp_path) as bot:
            waiting = await discord.slash(ada, "setup thread", id="1", name="Park life")
            await asked_twice(game)
            assert await bot.program.stop() == Exit.STOPPED

    assert "Kiosk is restarting" in waiting.messages[0].text
    assert "Park life" in waiting.messages[0].text
    assert "Traceback" not in bot.program.output


async def test_a_newer_version_waits_for_this_one_which_ends_at_its_tables(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "_SECONDS_TO_END", 0)
    newer = kiosk_with(tmp_path / "newer", "CREATE TABLE badges (name TEXT);")
    address = address_at(tmp_path / "kiosk.db")
    async with open_discord() as discord:
        ada = discord.add_member("ada")
        async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
            with pytest.raises(DatabaseUnavailable, match=f"Kiosk 3.0.0 on {gethostname()} uses"):
                async with open_database(address, newer):
                    pass
            await (await discord.slash(ada, "help")).says("You post and shop as yourself")
            run_beside(address, "UPDATE about SET step = step + 1")
            assert await bot.ended() == Exit.TO_MEND
            run_beside(address, "UPDATE about SET step = step - 1")

    last = json.loads(bot.program.output.splitlines()[-1])["event"]
    assert last.startswith("Kiosk can't run: DATABASE_URL: a newer version of Kiosk has upgraded")


@pytest.mark.parametrize(
    ("code", "mend"),
    [(4004, "DISCORD_TOKEN: Discord refuses it. Reset it"), (4012, "Upgrade"), (4013, "Upgrade")],
)
def test_each_code_that_discord_closes_with_for_good_is_a_sentence(code: int, mend: str) -> None:
    closed = discord_py.ConnectionClosed.__new__(discord_py.ConnectionClosed)
    closed.code = code

    refusal = refused(closed)

    assert mend in str(refusal)
    assert refusal.code is Exit.TO_MEND


def test_a_refused_token_and_events_that_are_not_allowed_are_to_be_mended() -> None:
    token = refused(discord_py.LoginFailure("Improper token has been passed."))
    events = refused(discord_py.PrivilegedIntentsRequired(0))

    assert (token.code, events.code) == (Exit.TO_MEND, Exit.TO_MEND)
    assert str(token).startswith("DISCORD_TOKEN: ")


async def test_what_is_wrong_with_the_game_is_a_line_though_the_bot_runs(
    launcher: Launcher, tmp_path: Path, shop: RogueShop
) -> None:
    shop.expired.add("refused-token")
    async with open_discord() as discord:
        environment = environment_of(discord, NO_GAME, tmp_path) | {"GAME_TOKEN": ""}
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            note = await program.says("Kiosk has no account of its own")
            assert json.loads(note)["level"] == "info"
            assert "Check GAME_BASE_URL, and that the game is up" in await program.says(
                "can't be reached"
            )
            await program.says("Kiosk is ready")
            assert await program.stop() == Exit.STOPPED
        environment |= {"GAME_BASE_URL": shop.base_url, "GAME_TOKEN": "refused-token"}
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            await program.says("The game refuses GAME_TOKEN. Get a new token")
            await program.says("Kiosk is ready")
            assert await program.stop() == Exit.STOPPED
        environment["GAME_BASE_URL"] = f"{shop.base_url}/wrong"
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            await program.says(
                "The game answers 404 to both thread 1 and catalog 1. Check the path"
            )
            await program.says("Kiosk is ready")
            assert await program.stop() == Exit.STOPPED


async def test_a_game_that_shows_nothing_yet_is_nothing_to_warn_of(
    launcher: Launcher, tmp_path: Path
) -> None:
    """No server has named a thread that it has, and the game knows tokens."""
    unknown = reply({"message": "Unknown."}, status=404)
    async with open_rogue_game() as game, open_discord() as discord:
        game.answers(unknown, unknown, reply({"message": "Unauthenticated."}, status=401))
        ada = discord.add_member("ada")
        async with run_bot(launcher, discord, game.base_url, tmp_path) as bot:
            for _ in range(3):
                await game.arrivals.get()
            # What it would have said it has said before it answers.
            await (await discord.slash(ada, "help")).says("You post and shop as yourself")
            assert await bot.program.stop() == Exit.STOPPED

    assert "warning" not in bot.program.output


async def test_the_demo_game_is_a_warning(launcher: Launcher, tmp_path: Path) -> None:
    async with open_discord() as discord:
        environment = environment_of(discord, "", tmp_path)
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            line = await program.says("GAME_BASE_URL isn't set. Serving the demo game at http://")
            await program.says("Kiosk is ready")
            assert await program.stop() == Exit.STOPPED

    assert json.loads(line)["level"] == "warning"
    assert "GAME_TOKEN" not in program.output
