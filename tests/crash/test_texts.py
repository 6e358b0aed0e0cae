"""The bot ends while it sends a text: nothing that was typed is lost, and its writer is told."""

import asyncio

import pytest

from tests.crash.games import Manner, with_every_game
from tests.crash.points import is_callback, is_follow_up
from tests.crash.rounds import IS_SOAK, SEED, random_lines
from tests.crash.town import BOT_FOLDERS, Shopper, Town
from tests.support.bot_process import BotProcess
from tests.support.databases import locked
from tests.support.discord_standin import Exchange
from tests.support.faulty_proxy import Fault, is_write
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import NEVER

ROUNDS = 25 if IS_SOAK else 2
POSTED, WAITS = "Comment posted", "Your text is saved here for 24 hours"
# Of a text in the thread, when Kiosk doesn't know yet who its writer is in the game.
IN_DOUBT = "Was your comment posted?"


async def submit(town: Town, writer: Shopper, thread: int, text: str) -> Exchange:
    """Type a text into the form, and send it."""
    opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
    return await town.discord.submit(writer.member, await opening.modal(), {"text": text})


async def submit_and_die(
    town: Town, bot: BotProcess, writer: Shopper, thread: int, text: str, line: int
) -> Exchange:
    opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
    form = await opening.modal()
    await bot.program.arm(line, BOT_FOLDERS)
    exchange = await town.discord.submit(writer.member, form, {"text": text})
    dying, answering = asyncio.create_task(bot.ended()), asyncio.create_task(exchange.answer())
    await asyncio.wait([dying, answering], return_when=asyncio.FIRST_COMPLETED)
    answering.cancel()
    await bot.kill()
    await asyncio.gather(dying, answering, return_exceptions=True)
    return exchange


async def told(town: Town, writer: Shopper, *words: str) -> None:
    """Wait until a writer is told, directly or at one of their next commands."""
    commands: list[Exchange] = []

    def texts() -> list[str]:
        direct = town.discord.direct_messages(writer.member)
        return [*(message.text for message in direct), *(command.text for command in commands)]

    async with asyncio.timeout(PATIENCE_SECONDS):
        while not any(word in text for word in words for text in texts()):
            commands.append(await town.discord.slash(writer.member, "help"))
            await commands[-1].answer()


async def lines_of(town: Town, thread: int) -> int:
    async with town.bot() as bot:
        writer = await town.shopper()
        opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
        form = await opening.modal()
        await bot.program.arm(NEVER, BOT_FOLDERS)
        sent = await town.discord.submit(writer.member, form, {"text": "One"})
        await sent.changes.until(lambda: POSTED in sent.text or IN_DOUBT in sent.text)
        return await bot.program.count()


@with_every_game(quick=Manner.LATE)
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_it_has_lost_no_text(town: Town, manner: Manner) -> None:
    town.play(manner)
    thread = await town.books.add_thread("Quiet corner")
    lines = random_lines(await lines_of(town, thread), ROUNDS)
    left: list[tuple[Shopper, Exchange, str]] = []
    for line in lines:
        async with town.bot() as bot:
            writer, text = await town.shopper(), f"Killed at line {line}"
            if line % 2:
                town.note_player(writer)
            exchange = await submit_and_die(town, bot, writer, thread, text, line)
            left.append((writer, exchange, text))
    await town.let_arrive()
    await town.let_it_show()
    town.let_texts_arrive()

    async with town.bot():
        for writer, exchange, text in left:
            where = f"{text}, KIOSK_SEED={SEED}"
            is_posted = text in town.books.texts()
            if exchange.is_acknowledged:
                assert town.writes(writer), where
            if town.writes(writer) and POSTED not in exchange.text:
                words = (POSTED, IN_DOUBT) if is_posted else (WAITS,)
                try:
                    await told(town, writer, *words)
                except TimeoutError as error:
                    error.add_note(where)
                    raise
            listed = await town.discord.slash(writer.member, "forum unsent")
            await listed.answer()
            assert (text in listed.text) == (town.writes(writer) not in ([], ["done"])), where
            assert all(message.is_private for message in listed.messages)
            assert town.books.texts().count(text) <= 1, where


async def test_the_form_stays_open_until_the_text_is_written_down(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot():
        writer = await town.shopper()
        opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
        form = await opening.modal()
        async with (
            town.game_proxy.arriving.closed(is_write),
            town.discord_proxy.arriving.closed(is_callback) as closing,
        ):
            await town.discord.submit(writer.member, form, {"text": "Kept"})
            await closing.arrival()
            assert town.count("writes") == 1


@pytest.mark.usefixtures("on_both_engines")
async def test_a_form_sent_again_after_a_crash_posts_once(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot() as bot:
        writer = await town.shopper()
        opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
        form = await opening.modal()
        with town.discord_proxy.failing(Fault.LOST_REQUEST, is_callback):
            async with town.discord_proxy.arriving.closed(is_callback) as gate:
                await town.discord.submit(writer.member, form, {"text": "Typed once"})
                await gate.arrival()
                await bot.kill()

    async with town.bot():
        await (await town.discord.submit(writer.member, form, {"text": "Typed once"})).says(POSTED)
        listed = await town.discord.slash(writer.member, "forum unsent")
        await listed.says("Typed once")
    assert town.books.texts() == ["Typed once"]


@pytest.mark.usefixtures("on_both_engines")
async def test_a_text_that_a_locked_database_refuses_comes_back(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot():
        writer = await town.shopper()
        async with locked(town.database):
            exchange = await submit(town, writer, thread, "Typed with care")
            given = await exchange.says("wasn't saved")
            assert "Typed with care" in given.text
            assert town.count("writes") == 0

        # By then the database has taken the first one after all.
        await (await submit(town, writer, thread, "Once more")).says(POSTED)
        listed = await town.discord.slash(writer.member, "forum unsent")
        await listed.says("Typed with care")
    assert town.books.texts() == ["Once more"]


@pytest.mark.parametrize("has_arrived", [True, False])
async def test_the_next_bot_looks_for_a_killed_ones_text(town: Town, *, has_arrived: bool) -> None:
    thread = await town.books.add_thread("Quiet corner")
    road = town.game_proxy.leaving if has_arrived else town.game_proxy.arriving
    async with town.bot() as bot:
        writer = await town.shopper()
        # By this one Kiosk knows who they are.
        await (await submit(town, writer, thread, "Hello")).says(POSTED)
        await town.discord.slash(writer.member, "forum read", thread=str(thread))
        with town.game_proxy.failing(Fault.LOST_REQUEST, lambda p: is_write(p) and not has_arrived):
            async with road.closed(is_write) as gate:
                await submit(town, writer, thread, "Half sent")
                await gate.arrival()
                await bot.kill()
            await town.let_arrive()
    town.let_texts_arrive()

    async with town.bot():
        await town.direct_message(writer, POSTED if has_arrived else WAITS)
    assert town.books.texts() == (["Hello", "Half sent"] if has_arrived else ["Hello"])


async def test_told_to_stop_it_answers_first(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot() as bot:
        writer = await town.shopper()
        async with town.game_proxy.leaving.closed(is_write) as gate:
            exchange = await submit(town, writer, thread, "Last words")
            await gate.arrival()
            stopping = asyncio.create_task(bot.program.stop())
            await bot.program.says("Stopping because of")
            gate.open()
            await exchange.says(POSTED)
        assert await stopping == 0

    async with town.bot():
        help_ = await town.discord.slash(writer.member, "help")
        await help_.says("You post and shop as yourself")
        listed = await town.discord.slash(writer.member, "forum unsent")
        await listed.says("Nothing is waiting to be sent")
    assert POSTED not in help_.text


async def test_two_commands_at_once_tell_of_a_text_once(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with town.bot() as bot:
        writers = [await town.shopper(takes_direct_messages=False) for _ in range(2)]
        async with town.game_proxy.arriving.closed(is_write) as gate:
            for writer in writers:
                await submit(town, writer, thread, "Cut off")
            await gate.arrivals(2)
            await bot.kill()
    await town.let_arrive()
    town.let_texts_arrive()
    words = IN_DOUBT if town.books.texts() else WAITS

    async with town.bot() as bot:
        asked = town.discord.state.asked
        await asked.until(lambda: sum(one.is_message for one in asked.past) >= 2)
        # By its end it has written down that both were refused.
        assert await bot.program.stop() == 0

    async with town.bot():
        async with town.discord_proxy.arriving.closed(is_follow_up) as gate:
            first = await town.discord.slash(writers[0].member, "help")
            await gate.arrival()
            second = await town.discord.slash(writers[0].member, "help")
            await second.says("You post and shop as yourself")
            # Whatever the second command tells comes before what the other member is told.
            other = await town.discord.slash(writers[1].member, "help")
            await gate.arrivals(2)
        await other.says(words)
        await first.says(words)
    assert words not in second.text
