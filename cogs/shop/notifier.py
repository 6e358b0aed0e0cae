"""Telling members what their orders came to, wherever they can be reached."""

import logging

import discord

from bot.domain.orders import Order, OrderState
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, notify
from bot.ui.cards import Card, notice
from bot.ui.sent_cards import OpenCards
from cogs.shop.actions import Way
from cogs.shop.views.orders import outcome_card

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
        await self._open_cards.refresh(order.item_id, member_id=interaction.user.id)
        if order.state is OrderState.DONE:
            return

        async def redraw() -> Card:
            found = await self._orders.ledger.find(order.id) or order
            return outcome_card(found, self._orders.clock(), way)

        self._open_cards.note(interaction, [order.item_id], redraw)

    async def tell(self, order: Order) -> None:
        """Have the outcome told by direct message."""
        await self._orders.settling.hand_over(order)
        await self._open_cards.refresh(order.item_id, member_id=order.member_id)

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
        async for order in self._orders.settle_due():
            await self.tell(order)
