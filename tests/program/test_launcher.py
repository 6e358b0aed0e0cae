"""What starts our programs ends with whoever needs them."""

import subprocess
import sys

from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import ROOT

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
