"""Tell members what became of what they asked for: directly, or else at their next command."""

import typing
from abc import abstractmethod

from bot.i18n import speak
from bot.ui.cards import Card
from bot.ui.messages import kinds
from bot.ui.messages.verdicts import Settled
from storage import messages
from storage.writes import W, Writes


class WriteNews(kinds.Kind, typing.Generic[W]):
    priority = messages.Priority.DIRECT_MESSAGE

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    @abstractmethod
    async def redraw_open(self, write: W) -> bool:
        """Draw the cards anew that are open of a write; return whether its member has seen it."""

    @abstractmethod
    async def card(self, write: W) -> Card:
        """Return what is said of a write that nobody waits for."""

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return the card, None where the write has come to something else or was told of."""
        write = await self._told_of(message)
        if write is None or write.is_old_news:
            return None
        speak(write.locale)
        return kinds.Drawn(await self.card(write))

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: Settled
    ) -> None:
        write = await self._told_of(message)
        if write is not None and verdict.state is messages.MessageState.SENT:
            await self._writes.note_told(write, transaction)

    async def _told_of(self, message: messages.Message) -> W | None:
        write = await self._writes.find_write(int(message.payload["write"]))
        is_so = write is not None and write.state_and_reason == message.payload["state"]
        return typing.cast("W | None", write) if is_so else None
