"""Several processes: members notice neither how many there are nor which of them dies."""

import asyncio
import signal
from pathlib import Path

import pytest

from tests.crash.rounds import ON_ONE_ENGINE
from tests.crash.town import HOUR, UNDER_WAY, Town
from tests.support.bot_process import STEADY_TERM, connected, run_bot
from tests.support.databases import ENGINES
from tests.support.discord_standin import Discord
from tests.support.faulty_proxy import is_write
from tests.support.program import Launcher, Program


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_a_press_that_two_bots_hear_buys_once(town: Town) -> None:
    # The worker tells it if the bot that bought was not the first to answer Discord.
    async with town.bot(claim_term=HOUR) as one:
        shopper = await town.shopper()
        confirming = await town.confirming(shopper)
        async with town.second_bot() as other:
            exchange = await confirming.press(one, other)

            assert await town.settled(shopper, exchange) == "done"


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_presses_on_two_devices_that_reach_two_bots_buy_once(town: Town) -> None:
    async with town.bot(claim_term=HOUR) as one:
        shopper = await town.shopper()
        phone, desk = await town.confirming(shopper), await town.confirming(shopper)
        async with town.second_bot() as other:
            async with town.game_proxy.arriving.closed(is_write) as gate:
                presses = [await phone.press(one), await desk.press(other)]
                await gate.arrival()
                await town.discord.state.asked.until(
                    lambda: any(UNDER_WAY in press.text for press in presses)
                )

            assert await town.settled(shopper, *presses) == "done"


async def test_the_second_bot_to_answer_does_not_buy(town: Town, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    async with town.bot() as one:
        shopper = await town.shopper()
        card = await town.confirming(shopper)
        async with run_bot(town.launcher, town.discord, town.game_proxy.base_url, folder) as other:
            here = [other.session]
            linking = await town.discord.slash(shopper.member, "account link", to=here)
            token = {"token": shopper.player.token}
            linked = await town.discord.submit(
                shopper.member, await linking.modal(), token, to=here
            )
            await linked.says("Game account linked")

            async with town.game_proxy.arriving.closed(shopper.wants) as gate:
                exchange = await card.press(one, other)
                gone = [bot.program.says("Another process answered") for bot in (one, other)]
                await next(asyncio.as_completed(gone))
                # The second bot would have asked by the time that it says so.
                await exchange.says("nothing was posted or bought")
                gate.open()
            await exchange.says("is yours")

    assert town.asked_for(shopper) == 1


async def test_a_form_that_two_bots_hear_is_posted_once(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot(claim_term=HOUR) as one:
        writer = await town.shopper()
        opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
        form = await opening.modal()
        async with town.second_bot() as other:
            heard = [one.session, other.session]
            text = {"text": "Said once"}
            exchange = await town.discord.submit(writer.member, form, text, to=heard)

            await exchange.says("Comment posted")
            await town.let_arrive()
    assert town.books.texts().count("Said once") == 1


NO_GAME = "http://127.0.0.1:9"
STANDS_BY = "Another process answers members. This one is on standby"


async def answers(town: Town, program: Program, known: int) -> None:
    """Wait until a program is connected, after so many others, and answers."""
    await connected(town.discord, program, known)
    help_ = await town.discord.slash(town.discord.add_member("ada"), "help")
    await help_.says("You post and shop as yourself")


@pytest.mark.parametrize("on_both_engines", ENGINES, indirect=True)
@pytest.mark.usefixtures("on_both_engines")
async def test_of_several_processes_one_answers_and_another_takes_over(town: Town) -> None:
    async with town.bot(claim_term=STEADY_TERM) as first, town.standby() as second:
        assert f":{first.program.pid})" in await second.says(STANDS_BY)
        assert await first.program.stop() == 0
        await answers(town, second, 1)

        async with town.standby() as third:
            shopper = await town.shopper()
            confirming = await town.confirming(shopper)
            async with town.game_proxy.leaving.closed(is_write) as gate:
                await confirming.press()
                await gate.arrival()
                await second.kill()
            await town.let_arrive()
            await answers(town, third, 2)
            town.let_time_pass()

            assert await town.settled(shopper) == "done"
            assert await third.stop() == 0

    assert len(town.discord.direct_messages(shopper.member)) == 1
    assert second.output.count("on standby") == 1


async def test_a_process_that_was_suspended_ends_where_another_answers_by_then(town: Town) -> None:
    async with town.bot() as first, town.standby() as second:
        first.program.send(signal.SIGSTOP)
        await connected(town.discord, second, 1)
        first.program.send(signal.SIGCONT)

        assert await first.ended() == 1
        (last,) = first.program.output.splitlines()[-1:]
        assert "another process answers members now. Restart this one for standby" in last
        await answers(town, second, 1)


@pytest.mark.soak
async def test_one_process_makes_all_connections_that_discord_recommends(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    discord.state.gateway.shards = 2
    ada = discord.add_member("ada")
    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        await bot.program.says("Kiosk is ready")
        for shard in ((0, 2), (1, 2)):
            help_ = await discord.slash(ada, "help", server=discord.add_server(shard))
            await help_.says("You post and shop as yourself")


async def test_what_was_said_before_a_crash_is_known_after_it(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        await (await discord.slash(ada, "setup thread", id="12", name="Patch notes")).answer()
        await bot.kill()
    async with run_bot(launcher, discord, NO_GAME, tmp_path):
        await (await discord.slash(ada, "setup show")).says("Patch notes")

    gave_commands = [asked for asked in discord.state.asked.past if asked.method == "PUT"]
    assert len(gave_commands) == 1


async def test_a_command_used_while_the_connection_is_cut_is_answered_after_it(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")

    async with run_bot(launcher, discord, NO_GAME, tmp_path) as bot:
        await discord.state.gateway.cut()
        exchange = await discord.slash(ada, "help", to=[bot.session])
        await exchange.says("You post and shop as yourself")

    assert len(discord.state.gateway.sessions.past) == 1
