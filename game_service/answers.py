"""Keep whole answers about threads until the threads change."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from game_service.kept import Kept
from storage.database import Database, load_queries

_MAX_BYTES = 32 * 2**20
_LAST_NUMBER = 2**63 - 1

_SQL = load_queries(Path(__file__).parent / "sql" / "changes.sql")


class Answers:
    """The bodies of answers by the requested addresses. None is outdated, whatever process writes.

    While the whole database is unchanged, nothing is asked of it. Then it is asked which threads
    have changed.
    """

    def __init__(self, database: Database, most_bytes: int = _MAX_BYTES) -> None:
        self._database = database
        # Each body with the number of the newest change when it was made.
        self._bodies: Kept[str, tuple[int, bytes]] = Kept(most_bytes)
        self._changed: dict[int, int] = {}
        self._number = _LAST_NUMBER
        self._state: object = None
        self._looking = asyncio.Lock()

    async def get(
        self, thread_id: int, address: str, make: Callable[[], Awaitable[bytes]]
    ) -> bytes:
        """Return the answer of an address, made only if it is not kept. Raises what `make` does."""
        state = await self._database.state()
        if state != self._state:
            await self._look(state)
        number, body = self._bodies.get(address) or (-1, b"")
        if number < self._changed.get(thread_id, 0):
            # The number from before: what is made now is at least as new.
            number = self._number
            body = await make()
            self._bodies.put(address, (number, body), len(body) + len(address))
        return body

    async def _look(self, state: object) -> None:
        """Learn which threads have changed. All who come during that share one look."""
        async with self._looking:
            if state == self._state:
                return
            rows = await self._database.fetch(_SQL["changed_since"], number=self._number)
            self._changed |= {row["id"]: row["changed"] for row in rows if row["id"] is not None}
            self._number = rows[0]["number"]
            self._state = state
