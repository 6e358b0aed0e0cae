"""The direct message that tells a member what an order came to."""

from functools import partial

from bot.domain.orders import Order
from bot.domain.outbox import Entry, Priority
from bot.i18n import speak, speaking
from bot.kiosk import Kiosk
from bot.ui.cards import Card
from bot.worker.kinds import MessageKind, Transaction
from bot.worker.verdicts import Refused, Settled, Unknown
from cogs.shop.views.orders import outcome_card
from cogs.shop.views.wording import outcome


class OrderNews(MessageKind):
    """News of an order, owed by `Settling.hand_over`; what can't be told waits in the inbox."""

    name = "order"
    priority = Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._orders = bot.features.orders
        self._inbox = bot.features.inbox
        self._waiting = bot.features.waiting

    async def draw(self, entry: Entry) -> Card | None:
        """Return the outcome, None where the order has come to another since."""
        order = await self._order(entry)
        if order is None:
            return None
        speak(order.locale)
        return outcome_card(order, self._orders.clock())

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Keep for the next command what did not reach the member, or may not have."""
        order = await self._order(entry)
        if order is not None and isinstance(verdict, Refused | Unknown):
            with speaking(order.locale):
                told = outcome(order, self._orders.clock())
            await self._inbox.put(transaction, order.member_id, told.title, told.body)
            transaction.on_commit(partial(self._waiting.note, order.member_id))

    async def _order(self, entry: Entry) -> Order | None:
        order = await self._orders.ledger.find(int(entry.payload["order"]))
        told = entry.payload["state"], entry.payload["is_open"]
        return order if order is not None and (order.state, order.is_open) == told else None
