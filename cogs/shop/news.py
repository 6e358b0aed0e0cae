"""Direct messages about what orders came to, and about what members watch."""

from bot.features.writing.orders import NEWS
from bot.i18n import speak, speaking
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.worker.kinds import Drawn, MessageKind, Transaction
from bot.worker.news import WriteNews
from bot.worker.verdicts import Refused, Settled, TryAgain, Unknown
from cogs.shop.order_cards import outcome_card
from cogs.shop.watching import names_of, news_card, news_words
from storage.following import WATCH_KIND
from storage.messages import Message, Priority
from storage.writes import ORDERS, Write


class OrderNews(WriteNews):
    """Says what became of an order."""

    name = NEWS
    kinds = ORDERS

    async def card(self, write: Write) -> Card:
        """Return the outcome."""
        return outcome_card(write)


class WatchNews(MessageKind):
    """News of what a member watches; what can't be told waits in the inbox."""

    name = WATCH_KIND
    priority = Priority.WATCH

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features

    async def draw(self, message: Message) -> Drawn | None:
        """Return all that waits for the member, None where it is told already or owned."""
        notices, pause = await self._features.watching.to_tell(message)
        if pause is not None:
            raise TryAgain("one went within the hour", pause)
        if not notices:
            return None
        speak(notices[-1][0].locale)
        watches = [watch for watch, _ in notices]
        return Drawn(news_card(notices, await names_of(self._features.directory, watches)))

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Keep for the next command what did not reach the member, or may not have."""
        if not isinstance(verdict, Refused | Unknown) or message.member_id is None:
            return
        notices = await self._features.watching.events.notices_of(
            message.key, message.member_id, transaction
        )
        if notices:
            with speaking(notices[-1][0].locale):
                words = news_words(notices)
            await self._features.inbox.put(transaction, message.member_id, *words)
