"""Plans that have found a fault, in files named for what was wrong; each file says more."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return all that was found, the newest first."""
    every = sorted(path.stem for path in _FOLDER.glob("[a-z]*.py"))
    return sorted(every, key=lambda name: str(load(name).FOUND_ON), reverse=True)


def load(name: str) -> ModuleType:
    """Return a file, which has PLAN and FOUND_ON."""
    return import_module(f"tests.simulation.found.{name}")
