"""Wait until all is done that can be done before someone acts, or the clock moves on."""

import asyncio
from typing import Protocol

from tests.support.gates import PATIENCE_SECONDS


class _Worker(Protocol):
    def is_idle(self) -> bool: ...


async def until_idle(worker: _Worker) -> None:
    """Return once a bot, or a part of it, has nothing to do."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        # No event says that of all that is done.
        while not worker.is_idle():  # noqa: ASYNC110
            await asyncio.sleep(0.001)
