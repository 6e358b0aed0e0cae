"""Direct messages about what orders came to, and about what members watch."""

from abc import abstractmethod

from bot.domain.orders import Order
from bot.i18n import speak, speaking
from bot.kiosk import Kiosk
from bot.worker.kinds import Drawn, MessageKind, Transaction
from bot.worker.verdicts import Refused, Settled, TryAgain, Unknown
from cogs.shop.views.orders import outcome_card
from cogs.shop.views.watching import news_card, news_words
from cogs.shop.views.wording import outcome
from cogs.shop.watching import names_of
from storage.following import WATCH_KIND
from storage.messages import Message, Priority


class _News(MessageKind):
    """A direct message to a member; what can't be told waits in the inbox."""

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features

    @abstractmethod
    async def words(self, transaction: Transaction, message: Message) -> tuple[str, str] | None:
        """Return a title and a text in the language of the member, None where nothing is left."""

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Keep for the next command what did not reach the member, or may not have."""
        if not isinstance(verdict, Refused | Unknown) or message.member_id is None:
            return
        if words := await self.words(transaction, message):
            await self._features.inbox.put(transaction, message.member_id, *words)


class OrderNews(_News):
    """News of an order, owed by `OrderService.note_told`."""

    name = "order"
    priority = Priority.DIRECT_MESSAGE

    async def draw(self, message: Message) -> Drawn | None:
        """Return the outcome, None where the order has come to another since."""
        order = await self._order(message)
        if order is None:
            return None
        speak(order.locale)
        return Drawn(outcome_card(order, self._features.orders.clock()))

    async def words(self, transaction: Transaction, message: Message) -> tuple[str, str] | None:
        """Return the outcome in words."""
        del transaction
        order = await self._order(message)
        if order is None:
            return None
        with speaking(order.locale):
            told = outcome(order, self._features.orders.clock())
        return told.title, told.body

    async def _order(self, message: Message) -> Order | None:
        order = await self._features.orders.ledger.find(int(message.payload["order"]))
        told = message.payload["state"], message.payload["is_open"]
        return order if order is not None and (order.state, order.is_open) == told else None


class WatchNews(_News):
    """News of what a member watches."""

    name = WATCH_KIND
    priority = Priority.WATCH

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

    async def words(self, transaction: Transaction, message: Message) -> tuple[str, str] | None:
        """Return what was told in words."""
        notices = await self._features.watching.events.notices_of(
            message.key, message.member_id or 0, transaction
        )
        if not notices:
            return None
        with speaking(notices[-1][0].locale):
            return news_words(notices)
