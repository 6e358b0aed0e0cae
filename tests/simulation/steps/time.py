"""Time that passes, after which the world is at rest."""

from random import Random

from tests.simulation.steps import step
from tests.simulation.town import Town

_MINUTE = 60.0
_HOUR = 3600.0
_DAY = 86400.0
_LOOKS = 8


@step(2, is_rest=True)
async def minutes_pass(town: Town, draw: Random) -> None:
    await town.pass_time(draw.choice((1, 6, 6, 16)) * _MINUTE)


@step(0, is_rest=True)
async def a_look_passes(town: Town, draw: Random) -> None:
    """Let Kiosk look once more; each walk ends with some of these."""
    await town.pass_time(6 * _MINUTE)


@step(0.7, is_rest=True)
async def hours_pass(town: Town, draw: Random) -> None:
    await town.pass_time(draw.choice((1, 5)) * _HOUR)


@step(0.4, is_rest=True)
async def days_pass(town: Town, draw: Random) -> None:
    await town.pass_time(draw.choice((1, 1, 2, 31)) * _DAY)
    # Kiosk looks at one member after the other whether they are still to have their roles.
    for _ in range(_LOOKS):
        await town.pass_time(_MINUTE + 1)
