"""The direct messages that tell members how texts stand whose answer did not reach them."""

from bot.domain.outbox import Entry, Priority
from bot.i18n import speak
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.worker.kinds import MessageKind, Transaction
from bot.worker.verdicts import Sent, Settled
from cogs.forum.views.written import interrupted_card, late_card


class _TextNews(MessageKind):
    """News owed by `DraftService.owe_news`; what does not reach the member stays untold."""

    priority = Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._untold = bot.features.forum.drafts.untold

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Note that the member knows."""
        if isinstance(verdict, Sent):
            await self._untold.note_told(transaction, entry)


class UnsentNews(_TextNews):
    """Says that a text may not have been sent."""

    name = "text"

    async def draw(self, entry: Entry) -> Card | None:
        """Return the card, None where the text was sent again, thrown away or told of."""
        speak(entry.payload["locale"])
        return interrupted_card() if await self._untold.is_text_left(entry) else None


class LateNews(_TextNews):
    """Says what became of a text."""

    name = "outcome"

    async def draw(self, entry: Entry) -> Card | None:
        """Return the card, None where it was told."""
        speak(entry.payload["locale"])
        outcome = await self._untold.outcome(entry)
        return None if outcome is None else late_card(outcome)
