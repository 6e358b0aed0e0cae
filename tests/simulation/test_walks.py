"""Fixed walks, and those that have found something, keep what Kiosk promises.

They change libraries for their whole process, and need a hash seed: it is none of pytest's.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation import found
from tests.support.databases import ENGINES

ROOT = Path(__file__).parents[2]
_NEWEST = "40"
_LONGEST = 30


def walk(*options: str, engine: str | None = None) -> None:
    """Take walks by the command line; what they print is told if one fails."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    if engine:
        environment["DATABASE"] = engine
    ended = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--transcript", *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_fixed_walks_find_nothing_and_repeat() -> None:
    walk("--seeds", "0:8", "--steps", "60", "--twice", "2")


def test_what_was_found_does_not_come_back() -> None:
    walk("--found", "--newest", _NEWEST)


def test_what_was_found_says_what_was_wrong_by_few_steps() -> None:
    for name in found.names():
        file = found.load(name)
        assert file.__doc__, name
        assert len(file.PLAN.steps) <= _LONGEST, name


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
def test_twenty_thousand_steps_find_nothing_and_reach_all_that_is_reached(engine: str) -> None:
    # A server of its own takes real time, so its walks don't repeat.
    twice = "20" if engine == "sqlite" else "0"
    walk("--seeds", "0:200", "--steps", "100", "--twice", twice, "--reached", engine=engine)


@pytest.mark.soak
def test_nothing_that_was_ever_found_comes_back() -> None:
    walk("--found")
