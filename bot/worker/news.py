"""Tell members what became of what they asked for: directly, or else at their next command."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from bot.features.writing.ledger import Ledger
from bot.i18n import speak
from bot.ui.answers import Interaction, notify
from bot.ui.cards import Card
from bot.worker.kinds import Drawn, MessageKind, Transaction
from bot.worker.verdicts import Sent, Settled
from storage.messages import Message, Priority
from storage.writes import Write, WriteKind

_MOST_TOLD = 5


class WriteNews(MessageKind):
    """Says what became of a write; what does not reach the member stays untold."""

    priority = Priority.DIRECT_MESSAGE
    kinds: ClassVar[Sequence[WriteKind]]

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
        """Note that the member knows."""
        write = await self._told_of(message)
        if write is not None and isinstance(verdict, Sent):
            await self._ledger.writes.note_told(write, transaction)

    async def _told_of(self, message: Message) -> Write | None:
        write = await self._ledger.writes.find(int(message.payload["write"]))
        return write if write and write.standing == message.payload["standing"] else None

    async def tell(self, interaction: Interaction) -> None:
        """Tell a member privately, after any command, what could not be told before."""
        untold = await self._ledger.untold(interaction.user.id, self.kinds)
        for write in untold[:_MOST_TOLD]:
            if await notify(interaction, await self.card(write)):
                await self._ledger.writes.note_told(write)
