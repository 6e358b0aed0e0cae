"""The bot is killed between a press and its answer; the next one leaves no doubt behind."""

from pathlib import Path

import aiohttp
import aiosqlite
import discord
import pytest

from tests.crash.games import Manner, with_every_game
from tests.crash.points import (
    ANSWERED,
    ASKING,
    STEPS,
    TELLING,
    Crash,
    at_line,
    at_step,
    crash_at_each,
    die_or_tell,
    lines_of,
)
from tests.crash.rounds import IS_SOAK, SEED, random_lines
from tests.crash.town import BOT_FOLDERS, PURCHASE, REDEMPTION, Deal, Town
from tests.support.faulty_proxy import is_write

LINES_KILLED_AT = 30 if IS_SOAK else 2
# About as many as a bot runs from its start to the end of settling one order.
SETTLING_LINES, ROUNDS_OF_SETTLING = 1500, 15
# What carries the bot's doings to the outside; a soak kills at lines of these, too.
LIBRARIES = [str(Path(module.__file__ or "").parent) for module in (aiohttp, aiosqlite, discord)]


async def states_after_restart(
    town: Town, crashes: list[Crash], deal: Deal = PURCHASE
) -> dict[str, str | None]:
    """Start one more bot, and give what it makes of each crash."""
    async with town.bot():
        states: dict[str, str | None] = {}
        for crash in crashes:
            try:
                states[crash.where] = await town.left_behind(crash.shopper, crash.exchange, deal)
            except (AssertionError, TimeoutError) as error:
                error.add_note(f"killed at {crash.where}, KIOSK_SEED={SEED}")
                raise
        return states


@with_every_game(quick=Manner.BREAKING)
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_it_charged_once_at_most(town: Town, manner: Manner) -> None:
    town.play(manner)
    lines = await lines_of(town, BOT_FOLDERS)

    crashes = await crash_at_each(
        town, [at_line(line) for line in random_lines(lines, LINES_KILLED_AT)]
    )

    await states_after_restart(town, crashes)


@pytest.mark.soak
async def test_killed_at_any_line_of_its_libraries_it_says_which_as_well(town: Town) -> None:
    folders = [*BOT_FOLDERS, *LIBRARIES]
    lines = await lines_of(town, folders)

    crashes = await crash_at_each(
        town, [at_line(line, folders) for line in random_lines(lines, LINES_KILLED_AT)]
    )

    await states_after_restart(town, crashes)


async def test_killed_at_each_step_it_says_what_has_happened_by_then(town: Town) -> None:
    states = await states_after_restart(town, await crash_at_each(town, STEPS))

    happened = (ASKING, ANSWERED, TELLING)
    # What was acknowledged was written before, and so is told though it was never sent.
    assert states == {step.name: "done" if step in happened else "refused" for step in STEPS}


async def test_killed_while_settling_it_leaves_the_rest(town: Town) -> None:
    crashes = await crash_at_each(town, [ANSWERED])
    async with (
        town.discord_proxy.leaving.closed(
            lambda passing: passing.path.endswith("/messages")
        ) as gate,
        town.bot() as bot,
    ):
        await gate.arrival()
        await bot.kill()
    town.let_time_pass()

    async with town.bot():
        # The second message has the first one's nonce.
        await town.discord.state.asked.until(
            lambda: sum(asked.is_message for asked in town.discord.state.asked.past) == 2
        )
        assert await town.settled(crashes[0].shopper) == "done"
    assert len(town.discord.direct_messages(crashes[0].shopper.member)) == 1


@pytest.mark.soak
async def test_killed_at_any_line_of_settling_it_leaves_the_rest_to_the_next(town: Town) -> None:
    for line in random_lines(SETTLING_LINES, ROUNDS_OF_SETTLING):
        crashes = await crash_at_each(town, [ANSWERED])
        async with town.bot() as bot:
            await bot.program.arm(line, BOT_FOLDERS)
            await die_or_tell(town, bot, crashes[0].shopper)
        town.let_time_pass()

        assert await states_after_restart(town, crashes) == {ANSWERED.name: "done"}


async def test_killed_while_it_redeems_it_says_that_nobody_can_tell(town: Town) -> None:
    steps = [at_step("redeemed", lambda town: town.game_proxy.leaving, is_write)]

    crashes = await crash_at_each(town, steps, REDEMPTION)

    assert await states_after_restart(town, crashes, REDEMPTION) == {"redeemed": "unknown"}
