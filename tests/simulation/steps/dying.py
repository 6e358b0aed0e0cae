"""Kiosk dies, between any two of its crossings."""

from random import Random

from tests.simulation.steps import step
from tests.simulation.town import Town

# How many statements and requests come before, at most; a press has some ten to forty.
_MAX_CROSSINGS = 80


@step(0.4)
async def kiosk_dies(town: Town, draw: Random) -> None:
    """Let Kiosk die a little later, wherever it is then; the town starts it again."""
    crossing = draw.randint(1, _MAX_CROSSINGS)
    town.life.die_at(crossing)
    town.tell(f"Kiosk dies at its crossing {crossing} from now")
