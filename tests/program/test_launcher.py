"""What starts our programs ends with its user, and what measures them continues."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.measuring import Finding, Ratio, measure
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import ROOT, open_launcher

FAILS = """
from tests.support.program import open_launcher

with open_launcher():
    raise SystemExit(3)
"""


def test_a_launcher_ends_though_what_needs_it_fails() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FAILS], cwd=ROOT, timeout=PATIENCE_SECONDS, check=False
    )

    assert ended.returncode == 3


def test_a_part_that_can_not_be_measured_says_why_and_the_next_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_off(_: Path) -> Iterator[Finding]:
        yield Finding("half", "all", Ratio(0.5))
        with open_launcher():
            raise TimeoutError("nobody | answered")

    def get_done(_: Path) -> Iterator[Finding]:
        yield Finding("some", "none", Ratio(2.0))

    assert not measure("broken", break_off, tmp_path)
    assert measure("whole", get_done, tmp_path)

    assert capsys.readouterr().out.splitlines() == [
        "| half | all | 0.50 |  |  |",
        "| broken | could not be measured whole: nobody / answered | | | |",
        "| some | none | 2.00 |  |  |",
    ]
