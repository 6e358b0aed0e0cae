"""What interactions have posted, and is deleted once something of it is removed."""

from bot.program.kiosk import Kiosk
from bot.ui.messages.kinds import Kind, Transaction
from bot.ui.messages.verdicts import Settled
from storage.messages import Message, Priority
from storage.shown import SHARED


class SharedMessage(Kind):
    """A message that an interaction posted: it is due once it is to be deleted."""

    name = SHARED
    priority = Priority.REMOVAL

    def __init__(self, bot: Kiosk) -> None:
        self._removals = bot.features.moderation.removals

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        await self._removals.on_settled(transaction, message, verdict.state)
