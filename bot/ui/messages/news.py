"""Tell members what became of what they asked for: directly, or else at their next command."""

from abc import abstractmethod

from bot.features.writing.ledger import Ledger
from bot.i18n import speak
from bot.ui.cards import Card
from bot.ui.messages.kinds import Drawn, Kind, Transaction
from bot.ui.messages.verdicts import Settled
from storage.messages import Message, MessageState, Priority
from storage.writes import Write


class WriteNews(Kind):
    priority = Priority.DIRECT_MESSAGE

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @abstractmethod
    async def card(self, write: Write) -> Card:
        """Return what is said of a write that nobody waits for."""

    async def draw(self, message: Message) -> Drawn | None:
        """Return the card, None where the write has come to something else or was told of."""
        write = await self._told_of(message)
        if write is None or write.is_told:
            return None
        speak(write.locale)
        return Drawn(await self.card(write))

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        write = await self._told_of(message)
        if write is not None and verdict.state is MessageState.SENT:
            await self._ledger.writes.save_told(write, transaction)

    async def _told_of(self, message: Message) -> Write | None:
        write = await self._ledger.writes.find(int(message.payload["write"]))
        return write if write and write.state_and_reason == message.payload["state"] else None
