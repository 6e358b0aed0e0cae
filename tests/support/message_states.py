"""Whether each message's row is in a state that storage/sql/messages.sql describes."""

from typing import Any

from storage.database.interface import Source
from storage.messages import QUERIES
from tests.support.databases import run_beside


async def states_outside(source: Source) -> list[dict[str, Any]]:
    """Return the rows that no state describes."""
    return [dict(row) for row in await source.fetch(QUERIES["outside_states"])]


def assert_states_are_described(address: str) -> None:
    """Fail if a bot's database has rows that no state describes, whether it is open or not."""
    assert not run_beside(address, QUERIES["outside_states"])
