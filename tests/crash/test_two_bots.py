"""Two bots work on one database, as while one takes over from another; a member pays once."""

import pytest

from tests.crash.points import is_write
from tests.crash.town import UNDER_WAY, Town


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
