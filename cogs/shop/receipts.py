"""The list of what a member ordered."""

from collections.abc import Sequence

from bot.domain.orders import Order
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Card
from bot.ui.router import Press, route
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import ShowMyOrders
from cogs.shop.actions import ShowOrders
from cogs.shop.views.orders import PER_LIST, orders_card


class ReceiptHandlers:
    """Shows it."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._orders = bot.features.orders
        self._open_cards = open_cards

    @route(ShowMyOrders, ShowOrders)
    async def on_orders(self, press: Press[ShowMyOrders | ShowOrders]) -> None:
        """List the orders from their beginning, or walk through the list."""
        action = press.action
        offset = action.offset if isinstance(action, ShowOrders) else 0
        await self.show_orders(press.interaction, offset)

    async def show_orders(self, interaction: Interaction, offset: int) -> None:
        """List the member's orders."""
        found: Sequence[Order] = ()

        async def draw() -> Card:
            nonlocal found
            found = await self._orders.ledger.history(
                interaction.user.id, most=PER_LIST + 1, offset=offset
            )
            has_more = len(found) > PER_LIST
            now = self._orders.clock()
            return orders_card(found[:PER_LIST], offset, now, has_more=has_more)

        await answer(interaction, await draw())
        self._open_cards.note(interaction, [order.item_id for order in found], draw)
