"""The forum behind a proxy, and members who are linked."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.forum import ForumTown, open_forum_town
from tests.support.world import NEWCOMER, SUBSCRIBER


@pytest.fixture
async def town(demo: str, tmp_path: Path) -> AsyncGenerator[ForumTown]:
    """A forum town in which no one is linked."""
    async with open_forum_town(demo, tmp_path) as opened:
        yield opened


@pytest.fixture
async def linked(demo: str, tmp_path: Path) -> AsyncGenerator[ForumTown]:
    """The member and the friend are linked to players of their own."""
    async with open_forum_town(demo, tmp_path, SUBSCRIBER, NEWCOMER) as opened:
        yield opened
