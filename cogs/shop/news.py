"""Telling members what orders came to, and of what they watch, wherever they can be reached."""

import logging
from abc import abstractmethod
from contextlib import aclosing

import discord

from bot.domain.announcing import WATCH_KIND
from bot.domain.orders import Order, OrderState
from bot.domain.outbox import Entry, Priority
from bot.i18n import speak, speaking, t
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, notify
from bot.ui.cards import Card, notice
from bot.ui.sent_cards import OpenCards
from bot.worker.kinds import MessageKind, Transaction
from bot.worker.verdicts import Refused, Settled, TryAgain, Unknown
from cogs.shop.actions import Way
from cogs.shop.views.orders import outcome_card
from cogs.shop.views.watching import news_card, news_words
from cogs.shop.views.wording import outcome
from cogs.shop.watching import names_of

log = logging.getLogger(__name__)

_MOST_MESSAGES = 5


class Notifier:
    """Reaches members: in answer to a press, else by a direct message that is owed."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._orders = bot.features.orders
        self._inbox = bot.features.inbox
        self._open_cards = open_cards

    async def answer(self, interaction: Interaction, order: Order, way: Way | None) -> None:
        """Tell the outcome in answer to a press, or elsewhere when its 15 minutes are over.

        Whoever pressed may be another member with the same account; the order's own one is then
        told by whoever took it. The card leads back on its `way`, if it came from anywhere.
        """
        is_own = order.member_id == interaction.user.id
        try:
            await answer(interaction, outcome_card(order, self._orders.clock(), way))
        except discord.HTTPException as error:
            log.info("order %s can't be told where it was made: %s", order.id, error)
            if is_own:
                await self.tell(order)
            return
        if is_own:
            await self._orders.settling.note_told(order)
        await self._open_cards.refresh(order.item_id, interaction.user.id)
        if order.state is OrderState.DONE:
            return

        async def redraw() -> Card:
            found = await self._orders.ledger.find(order.id) or order
            return outcome_card(found, self._orders.clock(), way)

        self._open_cards.note(interaction, [order.item_id], redraw)

    async def tell(self, order: Order) -> None:
        """Have the outcome told by direct message."""
        await self._orders.settling.note_told(order, by_message=True)
        await self._open_cards.refresh(order.item_id, order.member_id)

    async def show_inbox(self, interaction: Interaction) -> None:
        """Show a member what could not be told before."""
        for message in await self._inbox.of_member(interaction.user.id, _MOST_MESSAGES):
            when = discord.utils.format_dt(message.created_at, "R")
            footer = t("This is from %(when)s: my message may not have reached you.", when=when)
            card = notice(message.title, message.body, footer=footer)
            if not await notify(interaction, card):
                return
            await self._inbox.remove(message.id)

    async def look_after_orders(self) -> None:
        """Settle and tell what was left behind."""
        async with aclosing(self._orders.settle_due()) as settled:
            async for order in settled:
                await self.tell(order)


class _News(MessageKind):
    """A direct message to a member; what can't be told waits in the inbox."""

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features

    @abstractmethod
    async def words(self, transaction: Transaction, entry: Entry) -> tuple[str, str] | None:
        """Return a title and a text in the language of the member, None where nothing is left."""

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Keep for the next command what did not reach the member, or may not have."""
        if not isinstance(verdict, Refused | Unknown) or entry.member_id is None:
            return
        if words := await self.words(transaction, entry):
            await self._features.inbox.put(transaction, entry.member_id, *words)


class OrderNews(_News):
    """News of an order, owed by `Settling.note_told`."""

    name = "order"
    priority = Priority.DIRECT_MESSAGE

    async def draw(self, entry: Entry) -> Card | None:
        """Return the outcome, None where the order has come to another since."""
        order = await self._order(entry)
        if order is None:
            return None
        speak(order.locale)
        return outcome_card(order, self._features.orders.clock())

    async def words(self, transaction: Transaction, entry: Entry) -> tuple[str, str] | None:
        """Return the outcome in words."""
        del transaction
        order = await self._order(entry)
        if order is None:
            return None
        with speaking(order.locale):
            told = outcome(order, self._features.orders.clock())
        return told.title, told.body

    async def _order(self, entry: Entry) -> Order | None:
        order = await self._features.orders.ledger.find(int(entry.payload["order"]))
        told = entry.payload["state"], entry.payload["is_open"]
        return order if order is not None and (order.state, order.is_open) == told else None


class WatchNews(_News):
    """News of what a member watches."""

    name = WATCH_KIND
    priority = Priority.WATCH

    async def draw(self, entry: Entry) -> Card | None:
        """Return all that waits for the member, None where it is told already or owned."""
        notices, pause = await self._features.watching.to_tell(entry)
        if pause is not None:
            raise TryAgain("one went within the hour", pause)
        if not notices:
            return None
        speak(notices[-1][0].locale)
        watches = [watch for watch, _ in notices]
        return news_card(notices, await names_of(self._features.directory, watches))

    async def words(self, transaction: Transaction, entry: Entry) -> tuple[str, str] | None:
        """Return what was told in words."""
        notices = await self._features.watching.watches.told_in(entry.key, transaction)
        if not notices:
            return None
        with speaking(notices[-1][0].locale):
            return news_words(notices)
