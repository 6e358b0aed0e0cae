"""How often the crash tests crash, and where: few rounds by default, many for `make soak`."""

import os
import random

import pytest

from tests.support.databases import ENGINES

IS_SOAK = bool(os.environ.get("KIOSK_SOAK"))
# A failure names the seed; given back, it is repeated.
SEED = int(os.environ.get("KIOSK_SEED") or random.randrange(1 << 32))
# A test with the fixture `on_both_engines` is on one alone, except in a soak.
ON_ONE_ENGINE = pytest.mark.parametrize(
    "on_both_engines",
    [ENGINES[0], *(pytest.param(engine, marks=pytest.mark.soak) for engine in ENGINES[1:])],
    indirect=True,
)


def random_lines(lines: int, rounds: int) -> list[int]:
    """Choose this many different lines of so many."""
    return sorted(random.Random(SEED).sample(range(1, lines + 1), min(rounds, lines)))
