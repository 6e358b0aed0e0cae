"""Two bots hear one press, as while one takes over from another; a member pays once."""

import asyncio
from pathlib import Path

import pytest

from tests.crash.town import UNDER_WAY, Town
from tests.support.bot_process import run_bot
from tests.support.faulty_proxy import is_write


@pytest.mark.usefixtures("on_both_engines")
async def test_a_press_that_two_bots_hear_buys_once(town: Town) -> None:
    # The worker tells it where the bot that bought was not the first to answer Discord.
    async with town.bot("0/2") as one, town.bot("1/2") as other, town.worker():
        shopper = await town.shopper()

        exchange = await (await town.confirming(shopper)).press(one, other)

        assert await town.settled(shopper, exchange) == "done"


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


async def test_a_bot_whose_first_answer_comes_second_does_not_buy(
    town: Town, tmp_path: Path
) -> None:
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
