"""All that can be pressed, used, sent and come to be is reached by the walks, or says why not."""

import os

from tests.simulation import coverage
from tests.simulation.effects import EFFECTS
from tests.support.world import past_of

_MAX_ACTIONS_LEFT_OUT = 10


def test_all_that_there_is_stands_in_the_list_of_what_walks_reach() -> None:
    everything = coverage.everything(list(past_of(os.environ.get("DATABASE")).commands))
    reached = coverage.read_reached()

    missing = {group: names - set(reached.get(group, {})) for group, names in everything.items()}
    gone = {group: set(reached.get(group, {})) - names for group, names in everything.items()}
    assert not any([*missing.values(), *gone.values()]), (
        f"missing: {missing}, gone: {gone}\nRun `python -m tests.simulation --seeds 0:200 "
        "--write-reached`, and say in reached.toml why walks can't reach the rest."
    )
    left_out = [kind for kind, seed in reached["actions"].items() if isinstance(seed, str)]
    assert len(left_out) <= _MAX_ACTIONS_LEFT_OUT, (
        f"{left_out}\nAdd a step to tests/simulation/steps that presses one of these."
    )


def test_each_action_and_command_says_what_it_changes_in_the_model() -> None:
    everything = coverage.everything(list(past_of(os.environ.get("DATABASE")).commands))

    differing = EFFECTS.keys() ^ (everything["actions"] | everything["commands"])
    assert not differing, f"Say in effects.py what they change, or NOTHING: {sorted(differing)}"
