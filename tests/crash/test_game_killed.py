"""The game is killed, or the road to it fails, while a member buys; the bot lives on."""

from tests.crash.points import is_callback
from tests.crash.rounds import IS_SOAK, SEED, random_lines
from tests.crash.town import LEASE, STILL_LOOKING, Shopper, Town
from tests.support.discord_standin import Exchange
from tests.support.faulty_proxy import Fault, is_read, is_write
from tests.support.program import NEVER

GAME_FOLDERS = ("game_service", "storage")
LINES_KILLED_AT = 25 if IS_SOAK else 1


async def buy_from_a_game_that_dies(town: Town, line: int) -> str | None:
    """Buy while the game dies at a line of the purchase; it is back before anything is read."""
    shopper = await town.shopper()
    confirming = await town.confirming(shopper)
    async with town.game_proxy.arriving.closed(is_write) as gate:
        exchange = await confirming.press()
        await gate.arrival()
        await town.game.program.arm(line, GAME_FOLDERS)
        async with town.game_proxy.arriving.closed(is_read):
            gate.open()
            await town.restart_game()
    await town.wait_it_out(shopper, exchange)
    return await town.settled(shopper, exchange)


async def lines_of_a_sale(town: Town) -> int:
    """Count the lines that the game runs to sell something."""
    shopper = await town.shopper()
    confirming = await town.confirming(shopper)
    async with town.game_proxy.arriving.closed(is_write) as gate:
        exchange = await confirming.press()
        await gate.arrival()
        await town.game.program.arm(NEVER, GAME_FOLDERS)
    assert await town.settled(shopper, exchange) == "done"
    return await town.game.program.count()


async def test_a_game_killed_at_any_line_of_a_purchase_leaves_no_doubt(town: Town) -> None:
    async with town.bot():
        # The first sale also prepares what those after it run without.
        await lines_of_a_sale(town)
        lines = await lines_of_a_sale(town)
        for line in random_lines(lines, LINES_KILLED_AT):
            try:
                await buy_from_a_game_that_dies(town, line)
            except (AssertionError, TimeoutError) as error:
                error.add_note(f"killed at line {line}, KIOSK_SEED={SEED}")
                raise


async def test_a_request_of_a_dead_bot_that_arrives_late_is_found_out(town: Town) -> None:
    async with town.game_proxy.arriving.closed(is_write) as gate:
        async with town.bot() as bot:
            shopper = await town.shopper()
            exchange = await (await town.confirming(shopper)).press()
            await gate.arrival()
            await bot.kill()
        town.let_time_pass(LEASE)
        async with town.bot():
            # The game says that it is not bought, and that proves nothing yet.
            await town.direct_message(shopper, STILL_LOOKING)
            assert STILL_LOOKING in (await town.confirming(shopper)).card.text
    await town.let_arrive()
    town.let_time_pass()

    async with town.bot():
        assert await town.settled(shopper, exchange) == "done"


async def test_while_the_game_keeps_silent_no_second_press_asks_it_again(town: Town) -> None:
    async with town.bot():
        shopper = await town.shopper()
        one, other = await town.confirming(shopper), await town.confirming(shopper)
        async with town.game_proxy.leaving.closed(is_write) as gate:
            first = await one.press()
            await gate.arrival()
            presses = [first, await town.discord.press_again(first), await other.press()]
        for press in presses:
            assert await town.settled(shopper, press) == "done"


async def test_nothing_is_bought_while_discord_is_silent_about_the_first_answer(town: Town) -> None:
    async with town.bot() as bot:
        shopper = await town.shopper()
        confirming = await town.confirming(shopper)
        await town.discord_proxy.quiet()
        async with town.discord_proxy.arriving.closed(is_callback) as gate:
            exchange = await confirming.press()
            await gate.arrival()
            assert town.orders(shopper) == ["kept"]
            await bot.program.says("DiscordMissedAnswer")
        await exchange.says("nothing was posted or bought")
        assert town.orders(shopper) == []

    assert town.asked_for(shopper) == 0


async def test_an_answer_that_discord_loses_or_repeats_is_told_all_the_same(town: Town) -> None:
    told: list[tuple[Shopper, Exchange]] = []
    async with town.bot():
        for fault in (Fault.LOST_REQUEST, Fault.LOST_ANSWER, Fault.REPEATED_REQUEST):
            shopper = await town.shopper()
            confirming = await town.confirming(shopper)
            async with town.game_proxy.leaving.closed(is_write) as gate:
                exchange = await confirming.press()
                await gate.arrival()
                with town.discord_proxy.failing(fault, lambda passing: passing.method == "PATCH"):
                    gate.open()
                    await town.discord_proxy.passed(lambda passing: passing.method == "PATCH")
            told.append((shopper, exchange))
        town.let_time_pass()
        for shopper, exchange in told:
            assert await town.settled(shopper, exchange) == "done"
