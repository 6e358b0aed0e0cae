"""A walk: plan it, take it, shrink what fails to what it needs, and take that again."""

import asyncio
import contextlib
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from tests.simulation import checks, coverage, known, steps
from tests.simulation.chance import AtOnce, run_statements_at_once, seeded
from tests.simulation.faults import Fault, NotNow
from tests.simulation.filled_game import fill_game
from tests.simulation.founding import open_town
from tests.simulation.game import open_game
from tests.simulation.model import Model
from tests.simulation.steps.stories import draw_story
from tests.simulation.town import Town
from tests.support.clock import SteppedClock
from tests.support.message_states import assert_states_are_described
from tests.support.nonces import know_again

# A step is its name and the number that all its choices are drawn from.
Step = tuple[str, int]
_LARGEST = 2**31
# Of so many steps, some are about one thing.
_ROOM_OF_A_STORY = 30
_BEGINNING = datetime(2027, 3, 1, tzinfo=UTC)
_MAX_TRIES = 200
# In seconds.
_BETWEEN_STEPS = 2.0
# Real time after which a step is stuck, in seconds.
_MAX_STEP = 120.0


@dataclass(frozen=True)
class Plan:
    """The seed says what the world is like; any part of the steps is a plan as well."""

    seed: int
    steps: tuple[Step, ...]
    # Whether steps most often take up again what was drawn last.
    takes_up: bool = False


@dataclass
class Taken:
    """What a walk has come to."""

    plan: Plan
    fault: Fault | None = None
    # The number of the step after which the fault was there.
    at: int = 0
    count: int = 0
    transcript: list[str] = field(default_factory=list[str])
    pressed: Counter[str] = field(default_factory=Counter[str])
    # Fields and options for which no word was known.
    unknown_names: Counter[str] = field(default_factory=Counter[str])
    # What people saw each time that the world was at rest.
    shown: list[str] = field(default_factory=list[str])
    forgiven: Counter[str] = field(default_factory=Counter[str])
    # Actions, commands, kinds of messages and states, each with its group.
    reached: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    # The commands that Discord was given.
    commands: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    @property
    def result(self) -> object:
        """What is the same each time that a plan is taken."""
        return self.count, self.at, str(self.fault), self.shown


@cache
def _filled_game() -> str:
    """Return the address of the game that each walk has a copy of."""
    return fill_game(Path(mkdtemp(prefix="walks-", dir=checks.MEMORY)), _BEGINNING)


def draw_plan(seed: int, length: int) -> Plan:
    draw = Random(f"plan {seed}")
    names = sorted(steps.STEPS)
    weights = [steps.STEPS[name].weight for name in names]
    opening = [name for name in steps.OPENING if draw.random() < steps.OPENED]
    room = max(length - len(opening) - len(steps.CLOSING), 0)
    stories = [name for _ in range(room // _ROOM_OF_A_STORY) for name in draw_story(draw)]
    others = draw.choices(names, weights, k=max(room - len(stories), 0))
    chosen = [*opening, *stories[:room], *others, *steps.CLOSING]
    drawn = tuple((name, draw.randrange(_LARGEST)) for name in chosen)
    return Plan(seed, drawn, takes_up=True)


def take(plan: Plan) -> Taken:
    """Take a walk in a new world."""
    taken = Taken(plan)
    run_statements_at_once()
    know_again()
    with TemporaryDirectory(prefix="walk-", dir=checks.MEMORY) as folder, seeded(plan.seed):
        asyncio.run(_take(plan, Path(folder), taken))
    return taken


async def _take(plan: Plan, folder: Path, taken: Taken) -> None:
    asyncio.get_running_loop().set_default_executor(AtOnce())
    clock = SteppedClock(_BEGINNING)
    async with (
        open_game(folder, clock, _filled_game()) as game,
        open_town(folder, game, clock, plan.seed) as town,
    ):
        model = Model(town)
        town.on_deed = model.note
        town.takes_up = plan.takes_up
        taken.transcript = town.transcript
        taken.pressed = town.pressed
        taken.unknown_names = town.unknown_names
        taken.commands = town.commands
        try:
            for taken.at, (name, number) in enumerate(plan.steps, 1):
                town.tell(f"— {taken.at} {name}")
                async with asyncio.timeout(_MAX_STEP):
                    await _step(town, model, taken, name, number)
                taken.count += 1
        except Fault as fault:
            taken.fault = fault
        except Exception as error:  # noqa: BLE001 - whatever ends a walk is to be found again
            taken.transcript += traceback.format_exception(error)
            taken.fault = Fault("a walk goes on", type(error).__name__, str(error))
        taken.reached.update((coverage.group_of(kind), kind) for kind in town.pressed)


async def _step(town: Town, model: Model, taken: Taken, name: str, number: int) -> None:
    one = steps.STEPS[name]
    # What comes a second apart is two moments for Kiosk and the game.
    town.move(_BETWEEN_STEPS)
    town.begin_step()
    life = town.life
    with contextlib.suppress(NotNow):
        await one.take(town, Random(number))
    await town.settle()
    # It may have been started again by now.
    has_died = life.is_dead or town.life.is_dead
    if has_died or one.is_rest:
        taken.reached.update(coverage.states(town.settings.database_url))
        assert_states_are_described(town.settings.database_url)
    await town.revive()
    faults = [*checks.faults_after_step(town, has_died=has_died), *model.look()]
    if one.is_rest:
        town.touched.clear()
        taken.shown.append(town.everything_shown())
        faults += [fault async for fault in model.faults_at_rest()]
    for fault in faults:
        if not (line := known.is_known(fault)):
            raise fault
        taken.forgiven[line] += 1


def shrink(plan: Plan, fault: Fault, most: int = _MAX_TRIES) -> Plan:
    """Return a part of a plan, as short as can be, that still ends with the same fault.

    Parts are left out, half of it first and single steps at last.
    """
    tries = 0
    left = plan.steps

    def fails(steps: tuple[Step, ...]) -> bool:
        nonlocal tries, left
        tries += 1
        taken = take(replace(plan, steps=steps))
        is_same = taken.fault is not None and taken.fault.is_like(fault)
        if is_same:
            # What comes after the fault does nothing for it.
            left = steps[: taken.at]
        return is_same

    if not fails(left):
        return plan
    size = max(len(left) // 2, 1)
    while tries < most:
        before = len(left)
        start = 0
        while start < len(left) and tries < most:
            if not fails(left[:start] + left[start + size :]):
                start += size
        if size == 1 and len(left) == before:
            break
        size = max(min(size, len(left)) // 2, 1)
    return replace(plan, steps=left)


def as_found(plan: Plan) -> str:
    """Return a plan's transcript, and the plan as a file of found/ that is ready to paste."""
    taken = take(plan)
    return "\n".join(
        [
            *taken.transcript,
            "",
            f"tests/simulation/found/what_was_wrong.py, {len(plan.steps)} steps:",
            f'"""{taken.fault.rule if taken.fault else "Nothing is wrong"}: say what was wrong."""',
            "",
            "from tests.simulation.walk import Plan",
            "",
            f'FOUND_ON = "{datetime.now(UTC):%Y-%m-%d}"',
            "PLAN = Plan(",
            f"    {plan.seed},",
            "    (",
            *(f'        ("{name}", {number}),' for name, number in plan.steps),
            "    ),",
            *(["    takes_up=True,"] if plan.takes_up else []),
            ")",
        ]
    )
