"""What can happen in the world: each step by its name, and how often it is drawn."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from tests.simulation.town import Town

Take = Callable[[Town, Random], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Step:
    take: Take
    weight: float
    # Whether the world is at rest after it, so that all of it is looked at.
    is_rest: bool = False


STEPS: dict[str, Step] = {}
# With which walks begin, most of them each.
OPENING: list[str] = []
OPENED = 0.8
# With which each ends, so that whatever it left is looked at.
CLOSING = (
    *("the_game_recovers", "minutes_pass"),
    *["a_look_passes"] * 4,
    *("members_export", "hours_pass", "a_look_passes", "days_pass"),
)


def step(weight: float, *, is_rest: bool = False, opens: int = 0) -> Callable[[Take], Take]:
    """Add a step, which draws all it needs and raises NotNow if it can't be taken."""

    def add(take: Take) -> Take:
        name = take.__name__
        STEPS[name] = Step(take, weight, is_rest)
        OPENING.extend([name] * opens)
        return take

    return add


for _path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    import_module(f"tests.simulation.steps.{_path.stem}")
