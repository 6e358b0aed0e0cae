"""All that can be pressed, used, sent and come to be is reached by the walks, or says why not."""

from tests.simulation import coverage
from tests.support.world import World

# Ten, once directed steps lead to the others.
_MOST_ACTIONS_LEFT_OUT = 15


async def test_all_that_there_is_stands_in_the_list_of_what_walks_reach(world: World) -> None:
    everything = coverage.everything(list(world.commands))
    reached = coverage.read_reached()

    assert {group: set(reached.get(group, {})) for group in everything} == everything
    left_out = [kind for kind, seed in reached["actions"].items() if isinstance(seed, str)]
    assert len(left_out) <= _MOST_ACTIONS_LEFT_OUT, left_out
