"""Wait until a bot has done all that can be done before somebody acts, or its clock moves on."""

import asyncio

from bot.program.kiosk import Kiosk
from tests.support.gates import PATIENCE_SECONDS


async def until_idle(bot: Kiosk) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        # No event says that of all that is done.
        while not bot.is_idle():  # noqa: ASYNC110
            await asyncio.sleep(0.001)
