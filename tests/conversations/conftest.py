"""What conversations have beside the world that all tests have."""

from collections.abc import Generator

import pytest

from tests.support.wire import Wire, open_wire


@pytest.fixture
def wire() -> Generator[Wire]:
    """The way of messages to Discord: the first of a test's fixtures, before the world."""
    with open_wire() as opened:
        yield opened
