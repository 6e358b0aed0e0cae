"""Sharing: once for each press, and recorded before it is posted."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct

from bot.errors import SharedAlready
from storage.shown import ShownComment, ShownMessages


class Posting(Struct):
    shown: ShownMessages
    id: int
    guild_id: int | None
    channel_id: int | None
    is_posted: bool = False

    async def record(self, comments: Sequence[ShownComment]) -> bool:
        if self.guild_id is None or self.channel_id is None:
            return True
        return await self.shown.record(self.id, self.guild_id, self.channel_id, comments)

    async def note(self, message_id: int) -> None:
        self.is_posted = True
        await self.shown.complete(self.id, message_id, self.guild_id)


@asynccontextmanager
async def shared_once(
    shown: ShownMessages, pressed: str, guild_id: int | None, channel_id: int | None
) -> AsyncGenerator[Posting]:
    """Post in the block, and note it; what fails can be pressed again.

    `pressed` names the press: its card and its button. Raises SharedAlready.
    """
    shown_id = await shown.begin(f"shared {pressed}", guild_id, channel_id)
    if shown_id is None:
        raise SharedAlready
    posting = Posting(shown, shown_id, guild_id, channel_id)
    try:
        yield posting
    finally:
        if not posting.is_posted:
            await shown.free(shown_id)
