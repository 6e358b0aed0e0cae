"""All that can be pressed, used, sent and come to be is reached by the walks, or says why not."""

import os

from tests.simulation import coverage
from tests.simulation.effects import EFFECTS
from tests.support.world import past_of

_MOST_ACTIONS_LEFT_OUT = 10


def test_all_that_there_is_stands_in_the_list_of_what_walks_reach() -> None:
    everything = coverage.everything(list(past_of(os.environ.get("DATABASE")).commands))
    reached = coverage.read_reached()

    assert {group: set(reached.get(group, {})) for group in everything} == everything
    left_out = [kind for kind, seed in reached["actions"].items() if isinstance(seed, str)]
    assert len(left_out) <= _MOST_ACTIONS_LEFT_OUT, left_out


def test_each_action_and_command_says_what_it_changes_in_the_model() -> None:
    everything = coverage.everything(list(past_of(os.environ.get("DATABASE")).commands))

    assert EFFECTS.keys() == everything["actions"] | everything["commands"]
