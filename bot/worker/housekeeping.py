"""The hourly look at what is kept: what is too old or held by nobody goes, the rest is sealed."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from typing import NoReturn

from storage.claims import Claims
from storage.removals import Removals
from storage.resealing import Seals
from storage.retention import Purge

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 3600.0


class Housekeeping:
    """Keeps the tables as storage/keeping.py says."""

    def __init__(
        self,
        purge: Purge,
        removals: Removals,
        seals: Seals,
        claims: Claims,
        clock: Callable[[], datetime],
    ) -> None:
        self._purge = purge
        self._removals = removals
        self._seals = seals
        self._claims = claims
        self._clock = clock

    async def keep(self) -> NoReturn:
        """Look at once and then every hour, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    async def look(self) -> None:
        """Look once."""
        sealed = await self._seals.seal_plain()
        removed = await self._purge.purge(self._clock())
        removed += await self._removals.purge()
        await self._claims.forget_gone()
        if sealed or removed:
            log.info("%s rows were too old and are gone, %s texts were sealed", removed, sealed)
