"""A pytest plugin for `make mutants`: tests run in the order of their time when it was taken."""

import json
from pathlib import Path

import pytest

STATS = Path("mutmut-stats.json")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the quick tests find a fault before the slow ones are begun."""
    if STATS.exists():
        seconds: dict[str, float] = json.loads(STATS.read_bytes())["duration_by_test"]
        items.sort(key=lambda item: seconds.get(item.nodeid, 0.0))
