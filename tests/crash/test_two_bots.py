"""Several bots, gateways and workers: members notice neither how many nor who dies."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.crash.rounds import ON_ONE_ENGINE
from tests.crash.town import UNDER_WAY, Shopper, Town
from tests.support.bot_process import BotProcess, environment_of, quick_bot, run_bot
from tests.support.discord_standin import Discord
from tests.support.discord_standin.gateway import shard_of
from tests.support.faulty_proxy import is_write
from tests.support.program import Launcher, run_program


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_a_press_that_two_bots_hear_buys_once(town: Town) -> None:
    # The worker tells it where the bot that bought was not the first to answer Discord.
    async with town.bot("0/2") as one, town.bot("1/2") as other, town.worker():
        shopper = await town.shopper()

        exchange = await (await town.confirming(shopper)).press(one, other)

        assert await town.settled(shopper, exchange) == "done"


@ON_ONE_ENGINE
@pytest.mark.usefixtures("on_both_engines")
async def test_presses_on_two_devices_that_reach_two_bots_buy_once(town: Town) -> None:
    async with town.bot("0/2") as one, town.bot("1/2") as other:
        shopper = await town.shopper()
        phone, desk = await town.confirming(shopper), await town.confirming(shopper)
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
            await linked.says("is linked")

            async with town.game_proxy.arriving.closed(shopper.wants) as gate:
                exchange = await card.press(one, other)
                gone = [bot.program.says("another bot was first") for bot in (one, other)]
                await next(asyncio.as_completed(gone))
                # Whoever was second would have asked by the time that it says so.
                await exchange.says("nothing was sent or bought")
                gate.open()
            await exchange.says("is yours")

    assert town.asked_for(shopper) == 1


async def test_a_form_that_two_bots_hear_is_posted_once(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot("0/2") as one, town.bot("1/2") as other, town.worker():
        writer = await town.shopper()
        opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))

        exchange = await town.discord.submit(
            writer.member,
            await opening.modal(),
            {"text": "Said once"},
            to=[one.session, other.session],
        )

        await exchange.says("Your comment is posted")
        await town.let_arrive()
    assert town.books.texts().count("Said once") == 1


ACTIVE = "the active worker"
NO_GAME = "http://127.0.0.1:9"


async def die_while_buying(town: Town, gateway: BotProcess) -> Shopper:
    """Let a shopper of its shard buy; it is killed when the game has answered, before they hear."""
    shopper = await town.shopper()
    confirming = await town.confirming(shopper)
    async with town.game_proxy.leaving.closed(is_write) as gate:
        await confirming.press()
        await gate.arrival()
        await gateway.kill()
    await town.let_arrive()
    return shopper


@pytest.mark.parametrize("on_both_engines", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("on_both_engines")
async def test_two_gateways_and_two_workers_do_all_that_one_process_does(town: Town) -> None:
    ada = town.discord.add_member("ada")
    here, _ = shard_of(town.discord.state.guild_id, 2)
    async with town.bot(f"{1 - here}/2"), town.worker() as active, town.worker() as standby:
        await active.says(ACTIVE)
        left: list[Shopper] = []
        for dying in (None, active):
            async with town.bot(f"{here}/2") as gateway:
                for shard in ((0, 2), (1, 2)):
                    server = town.discord.add_server(shard)
                    help_ = await town.discord.slash(ada, "help", server=server)
                    await help_.says("You act as yourself")
                left.append(await die_while_buying(town, gateway))
            if dying is not None:
                await dying.kill()
            town.let_time_pass()

            assert await town.settled(left[-1]) == "done"
        assert await standby.says(ACTIVE)

    for shopper in left:
        assert len(town.discord.direct_messages(shopper.member)) == 1


async def test_a_second_process_with_the_same_shard_is_told_so_and_takes_over(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")
    environment = environment_of(discord, NO_GAME, tmp_path)
    async with (
        run_bot(launcher, discord, NO_GAME, tmp_path) as first,
        run_program(launcher, quick_bot("run"), environment, tmp_path) as second,
    ):
        told = await second.says("shard 0 of 1 is connected by")
        assert f":{first.program.pid}:" in told
        assert discord.state.gateway.identified == [(0, 1)]

        await first.kill()

        await discord.state.gateway.sessions.first(lambda _: True, since=1)
        await (await discord.slash(ada, "help")).says("You act as yourself")


@pytest.mark.soak
async def test_processes_that_start_at_once_identify_as_slowly_as_discord_asks(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    limits = discord.state.gateway.limits
    limits.max_concurrency, limits.window = 1, 5.0

    async with AsyncExitStack() as stack:
        for shards in ("0/2", "1/2"):
            environment = environment_of(discord, NO_GAME, tmp_path)
            arguments = ["bot", "gateway", "--shards", shards]
            await stack.enter_async_context(run_program(launcher, arguments, environment, tmp_path))
        await discord.state.gateway.sessions.until(
            lambda: len(discord.state.gateway.connected()) == 2
        )

    assert not discord.state.gateway.too_soon


async def test_the_last_identifies_of_a_day_are_not_spent(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    limits = discord.state.gateway.limits
    limits.remaining, limits.reset_after = 20, 3_600_000

    environment = environment_of(discord, NO_GAME, tmp_path)
    async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
        await program.says("shard 0 waits for 3600 seconds")
        assert await program.stop() == 0

    assert discord.state.gateway.identified == []


async def test_too_few_shards_are_told_in_one_line(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    discord.state.gateway.limits.fewest = 2

    environment = environment_of(discord, NO_GAME, tmp_path)
    async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
        assert await program.ended() == 78

    assert "SHARD_COUNT: Discord wants more" in program.output.splitlines()[-1]
    assert "Traceback" not in program.output


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
        await exchange.says("You act as yourself")

    assert len(discord.state.gateway.sessions.past) == 1
