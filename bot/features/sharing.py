"""Sharing counts once for each press, and can be taken back."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from msgspec import Struct

from bot.errors import SharedAlready
from storage.shares import Shares
from storage.shown import ShownMessages


class Sharing(Struct, frozen=True):
    """What members have shared, and what of the forum it shows. `now` tells the time, aware."""

    shares: Shares
    shown: ShownMessages
    now: Callable[[], datetime]

    @asynccontextmanager
    async def once(self, pressed: str) -> AsyncGenerator[Callable[[int], None]]:
        """Share in the block, and call what it yields with the message's id; a failure is none.

        `pressed` names the press: its card and its button. Raises SharedAlready.
        """
        if not await self.shares.begin(pressed, now=self.now()):
            raise SharedAlready
        sent: list[int] = []
        try:
            yield sent.append
        finally:
            if sent:
                await self.shares.complete(pressed, sent[-1])
            else:
                await self.shares.forget(pressed)

    async def forget(self, message_id: int) -> None:
        """Note that a message was taken back: it shows nothing, and may be shared again."""
        await self.shares.forget_message(message_id)
        await self.shown.forget(message_id)
