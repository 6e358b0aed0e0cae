"""A silent game or database, and a press meanwhile; a game that fails or loses its answers."""

import asyncio
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from random import Random

from tests.simulation.door import Fault as GameFault
from tests.simulation.door import Kind, On
from tests.simulation.faults import Fault
from tests.simulation.game import Naming
from tests.simulation.steps import step
from tests.simulation.steps.presses import press_something, use_a_command
from tests.simulation.town import Town

# What a press may take before Discord gives it up, in seconds.
_NEARLY_THREE = 2.9
# What the database still does before it is silent.
_STATEMENTS_BEFORE = (0, 0, 2, 5, 10)
_NOT_SAVED = "Error: NotKept"
_FEW = (1, 2, 5)


@step(0.6)
async def press_while_the_game_is_silent(town: Town, draw: Random) -> None:
    """Hold what the game is asked; the press is answered all the same, and goes on later."""
    await _press_in(_silent_game(town), town, draw)


@step(0.6)
async def press_while_the_database_is_silent(town: Town, draw: Random) -> None:
    """Hold what the database is asked, some statements later or at once."""
    after = draw.choice(_STATEMENTS_BEFORE)
    await _press_in(town.life.silent_database(after), town, draw)
    # Its operator is to know that a text came back unsaved.
    town.log.lines = [line for line in town.log.lines if line != _NOT_SAVED]


@contextmanager
def _silent_game(town: Town) -> Generator[None]:
    fault = town.game.door.suffer(GameFault(Kind.SILENT))
    try:
        yield
    finally:
        town.game.door.recover(fault)


async def _press_in(silence: AbstractContextManager[None], town: Town, draw: Random) -> None:
    take = press_something if draw.random() < 0.5 else use_a_command
    town.is_held = True
    pressing = asyncio.create_task(take(town, draw))
    try:
        with silence:
            await town.until_waiting()
            if not pressing.done():
                await _answered_meanwhile(town)
    finally:
        town.is_held = False
        await pressing


async def _answered_meanwhile(town: Town) -> None:
    # Whatever is pressed later has three seconds of its own.
    asked = town.unanswered()
    town.move(_NEARLY_THREE)
    await town.until_answered(asked)
    for interaction in () if town.life.is_dead else asked:
        if not interaction.responded:
            about = town.name_of(interaction)
            raise Fault("each press is answered within three seconds", about)


@step(0.6)
async def something_goes_wrong_in_the_game(town: Town, draw: Random) -> None:
    """Let the game fail, refuse or lose its answers a few times."""
    kind = draw.choice(
        [each for each in Kind if each not in (Kind.SILENT, Kind.SILENT_ABOUT_IT, Kind.SLOW)]
    )
    fault = GameFault(kind, on=draw.choice(list(On)), times=draw.choice(_FEW))
    town.tell(f"the game {fault.kind}, {fault.on}, {fault.times} times")
    town.game.door.suffer(fault)


@step(0.6)
async def the_game_recovers(town: Town, draw: Random) -> None:
    town.game.door.recover()


@step(0.1)
async def the_game_names_players_otherwise(town: Town, draw: Random) -> None:
    town.game.naming = draw.choice(list(Naming))
    town.tell(f"comments name of their players: {town.game.naming}")


@step(0.2)
async def the_game_shows_late_what_was_bought(town: Town, draw: Random) -> None:
    town.game.lateness = draw.choice((0.0, 0.0, 60.0, 180.0))
