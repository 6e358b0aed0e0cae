"""A game that is silent, slow, failing, or loses its answers, and a press in the middle of it."""

import asyncio
from random import Random

from tests.simulation.faults import Fault
from tests.simulation.game import Fault as GameFault
from tests.simulation.game import Kind, Naming, On
from tests.simulation.steps import step
from tests.simulation.steps.presses import press_something, use_a_command
from tests.simulation.town import Town

# What a press may take before Discord gives it up, in seconds.
_NEARLY_THREE = 2.9
_UNTIL_OVER = 20.0
_FEW = (1, 2, 5)


@step(0.6)
async def press_while_the_game_is_silent(town: Town, draw: Random) -> None:
    """Hold what the game is asked; the press is answered all the same, and goes on later."""
    fault = town.game.suffer(GameFault(Kind.SILENT))
    take = press_something if draw.random() < 0.5 else use_a_command
    town.is_held = True
    pressing = asyncio.create_task(take(town, draw))
    try:
        held = asyncio.create_task(town.game.until_held())
        await asyncio.wait({held, pressing}, return_when=asyncio.FIRST_COMPLETED)
        held.cancel()
        await town.until_waiting()
        # Whatever is pressed later has three seconds of its own.
        asked = town.unanswered()
        if not pressing.done():
            town.move(_NEARLY_THREE)
            await town.until_answered(asked)
            late = [each for each in asked if not each.responded]
            for interaction in late:
                raise Fault(
                    "each press is answered within three seconds", town.name_of(interaction)
                )
    finally:
        town.is_held = False
        town.game.recover(fault)
        await pressing


@step(0.6)
async def something_goes_wrong_in_the_game(town: Town, draw: Random) -> None:
    """Let the game fail, refuse or lose its answers a few times."""
    kind = draw.choice(
        [each for each in Kind if each not in (Kind.SILENT, Kind.SILENT_ABOUT_IT, Kind.SLOW)]
    )
    fault = GameFault(kind, on=draw.choice(list(On)), times=draw.choice(_FEW))
    town.tell(f"the game {fault.kind}, {fault.on}, {fault.times} times")
    town.game.suffer(fault)


@step(0.6)
async def the_game_recovers(town: Town, draw: Random) -> None:
    town.game.recover()


@step(0.1)
async def the_game_names_players_otherwise(town: Town, draw: Random) -> None:
    town.game.naming = draw.choice(list(Naming))
    town.tell(f"comments name of their players: {town.game.naming}")


@step(0.2)
async def the_game_shows_late_what_was_bought(town: Town, draw: Random) -> None:
    town.game.lateness = draw.choice((0.0, 0.0, 60.0, 180.0))
