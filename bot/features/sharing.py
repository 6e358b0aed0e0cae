"""Sharing counts once for each press, and can be taken back."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from bot.errors import SharedAlready
from storage.leases import Shares
from storage.shown import ShownMessages


class Sharing:
    """What members have shared, and what of the forum it shows. `now` tells the time, aware."""

    def __init__(self, shares: Shares, shown: ShownMessages, now: Callable[[], datetime]) -> None:
        self._shares = shares
        self._shown = shown
        self._now = now

    @asynccontextmanager
    async def once(self, pressed: str) -> AsyncGenerator[Callable[[int], None]]:
        """Share in the block, and call what it yields with the message's id; a failure is none.

        `pressed` names the press: its card and its button. Raises SharedAlready.
        """
        if not await self._shares.begin(pressed, now=self._now()):
            raise SharedAlready
        sent: list[int] = []
        try:
            yield sent.append
        finally:
            if sent:
                await self._shares.complete(pressed, sent[-1])
            else:
                await self._shares.forget(pressed)

    async def forget(self, message_id: int) -> None:
        """Note that a message was taken back: it shows nothing, and may be shared again."""
        await self._shares.forget_message(message_id)
        await self._shown.forget(message_id)
