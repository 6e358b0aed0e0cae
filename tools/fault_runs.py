"""Run tests on a copy of the sources, each time in a process that has loaded them already."""

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pytest

# In seconds; a fault may make a test wait for what never comes.
_LONGEST_RUN = 600
# Which fault is in force, for what mutmut writes.
_FAULT = "MUTANT_UNDER_TEST"
_ARGS = (
    *("-x", "-q", "--rootdir=.", "-p", "no:cacheprovider"),
    # Rules and guards are alike on both engines, and SQLite is quicker.
    *("-k", "not postgresql"),
    # Of what is loaded here.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)


def load_libraries() -> None:
    """Load what takes longest to load, and nothing of ours."""
    for name in ("discord", "hypothesis", "psycopg", "schemathesis", "simcord"):
        import_module(name)


def load_tests(folder: Path, places: Sequence[str]) -> None:
    """Load these tests of a copy with all that they import: whatever it has is in force then."""
    os.environ[_FAULT] = ""
    here = Path.cwd()
    _enter(folder)
    pytest.main(["--collect-only", "-qqq", *_ARGS, *places])
    os.chdir(here)


def passes(folder: Path, place: str, fault: str = "") -> bool:
    """Return whether tests of a copy pass, there being any; `fault` names one of mutmut's."""
    child = os.fork()
    if not child:
        os._exit(_run(folder, place, fault))
    return os.waitpid(child, 0)[1] == 0


def _run(folder: Path, place: str, fault: str) -> int:
    os.environ[_FAULT] = fault
    _enter(folder)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    signal.alarm(_LONGEST_RUN)
    try:
        return int(pytest.main([*_ARGS, place]))
    except BaseException:  # noqa: BLE001 - whatever happens, this process ends here
        return 1


def _enter(folder: Path) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(Path.cwd()))
