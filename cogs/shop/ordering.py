"""Buying and redeeming: ask, confirm, say what came of it, and list it all."""

import logging
from collections.abc import Sequence
from contextlib import aclosing

import discord

from bot.domain.orders import Order, OrderKind, OrderState
from bot.errors import KioskError, OldButton
from bot.features.orders.rules import Wish
from bot.features.shop.item_filter import CatalogItem
from bot.game.errors import GameError
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.actions import action_button
from bot.ui.answers import Interaction, answer, is_taken, leave_to_others
from bot.ui.cards import Card, notice
from bot.ui.error_cards import error_card, note
from bot.ui.router import Press, route
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import AskPurchase, AskRedemption, ShowMyOrders
from cogs.shop.actions import (
    AskAgain,
    AskAnyway,
    CancelOrder,
    ConfirmAnyway,
    ConfirmPurchase,
    ConfirmRedemption,
    PickItem,
    ShowItem,
    ShowOrdered,
    ShowOrders,
    ShowScreen,
    Way,
    beyond,
    way_on,
)
from cogs.shop.browsing import BrowsingHandlers
from cogs.shop.views.orders import (
    PER_LIST,
    confirmation_card,
    orders_card,
    outcome_card,
    owned_card,
    try_again_button,
)
from storage.names import ItemRef

log = logging.getLogger(__name__)


class OrderHandlers:
    """Takes orders."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards, browsing: BrowsingHandlers) -> None:
        self._browsing = browsing
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._open_cards = open_cards

    @route(AskPurchase, AskRedemption)
    async def on_ask(self, press: Press[AskPurchase | AskRedemption]) -> None:
        """Ask from a button."""
        entry = await self._shop.item(press.member_id, press.action.ref)
        way = way_on(press.interaction.message)
        if way is not None and not isinstance(way, ShowItem):
            # From the item's own card.
            way = ShowItem.of(press.action.ref, way)
        await self.ask(press.interaction, entry, press.action.order_kind, came_from=way)

    @route(PickItem)
    async def on_pick(self, press: Press[PickItem]) -> None:
        """Open what was chosen from a screen's list, or ask whether to buy it."""
        ref, buys = press.action.chosen(press.value)
        entry = await self._shop.item(press.member_id, ref)
        screen = ShowScreen.at(press.action.address)
        if buys:
            kind = OrderKind.PURCHASE
            await self.ask(press.interaction, entry, kind, came_from=screen)
        else:
            await self._browsing.show_item(press.interaction, entry, screen)

    @route(ShowOrdered, AskAgain, AskAnyway, ConfirmAnyway)
    async def on_receipt(
        self, press: Press[ShowOrdered | AskAgain | AskAnyway | ConfirmAnyway]
    ) -> None:
        """Open what an earlier order was for, or ask for it again."""
        order = await self._orders.ledger.find(press.action.order_id)
        if order is None or order.member_id != press.member_id:
            raise OldButton
        entry = await self._shop.item(press.member_id, order.ref)
        came_from = ShowOrders(press.action.offset)
        if isinstance(press.action, ShowOrdered):
            await self._browsing.show_item(press.interaction, entry, came_from)
        else:
            await self.ask(press.interaction, entry, order.kind, came_from=came_from)

    @route(ShowMyOrders, ShowOrders)
    async def on_orders(self, press: Press[ShowMyOrders | ShowOrders]) -> None:
        """List the orders from their beginning, or walk through the list."""
        action = press.action
        offset = action.offset if isinstance(action, ShowOrders) else 0
        await self.show_orders(press.interaction, offset)

    async def show_orders(self, interaction: Interaction, offset: int = 0) -> None:
        """List the member's orders."""
        found: Sequence[Order] = ()

        async def draw() -> Card:
            nonlocal found
            found = await self._orders.ledger.history(
                interaction.user.id, most=PER_LIST + 1, offset=offset
            )
            now, has_more = self._orders.clock(), len(found) > PER_LIST
            return orders_card(found[:PER_LIST], offset, now, has_more=has_more)

        await answer(interaction, await draw())
        self._open_cards.note(interaction, [order.item_id for order in found], draw)

    async def ask(
        self,
        interaction: Interaction,
        entry: CatalogItem,
        kind: OrderKind,
        *,
        came_from: ShowItem | Way | None = None,
    ) -> None:
        """Show what would be ordered, to be confirmed; or that it can't be.

        Cancelling leads to where one `came_from`, or to the item.
        """
        way_back = came_from or _to_item(entry.ref)
        obstacle = await self._obstacle(interaction, entry, kind, beyond(way_back))
        if obstacle is not None:
            await self._show(interaction, obstacle)
        else:
            await self._offer(interaction, entry, kind, way_back)

    async def _offer(
        self,
        interaction: Interaction,
        entry: CatalogItem,
        kind: OrderKind,
        way_back: ShowItem | Way,
        *,
        has_new_price: bool = False,
    ) -> None:
        """Ask for a confirmation, on a card that follows what comes to stand against it."""
        member_id, card_id = interaction.user.id, interaction.id
        earlier = None
        if kind is OrderKind.REDEEM:
            earlier = await self._orders.standing(member_id, entry.item.id, kind)

        async def redraw() -> Card | None:
            standing = await self._orders.standing(member_id, entry.item.id, kind, card=card_id)
            if standing is not None and standing.confirmation == card_id:
                # Confirmed: the card shows its own order by now.
                return None
            again = await self._shop.item(member_id, entry.ref)
            return await self._obstacle(interaction, again, kind, beyond(way_back))

        card = confirmation_card(
            entry, kind, card_id, way_back, has_new_price=has_new_price, earlier=earlier
        )
        await answer(interaction, card)
        self._open_cards.note(interaction, [entry.item.id], redraw)

    async def _obstacle(
        self, interaction: Interaction, entry: CatalogItem, kind: OrderKind, way: Way
    ) -> Card | None:
        """Return the card that says what stands against an order on an interaction's card."""
        standing = await self._orders.standing(
            interaction.user.id, entry.item.id, kind, card=interaction.id
        )
        is_done = standing is not None and standing.state is OrderState.DONE
        if kind is OrderKind.PURCHASE and (entry.item.has_purchased or is_done):
            return owned_card(entry, way, standing if is_done else None)
        return standing and outcome_card(standing, self._orders.clock(), way)

    @route(ConfirmPurchase, ConfirmRedemption, keeps=True)
    async def on_confirm(self, press: Press[ConfirmPurchase | ConfirmRedemption]) -> None:
        """Order what the card showed."""
        action, interaction = press.action, press.interaction
        kind, ref = action.order_kind, action.ref
        wish = Wish(
            member_id=press.member_id,
            kind=kind,
            ref=ref,
            cost=action.cost,
            confirmation=action.confirmation,
            locale=str(interaction.locale),
            currency=action.currency,
            press_id=interaction.id,
        )
        came_from = way_on(interaction.message)
        way_back = came_from or _to_item(ref)

        async def say_asking() -> bool:
            title = t("Buying…") if kind is OrderKind.PURCHASE else t("Redeeming…")
            card = notice(title, t("The game is being asked. This can take up to half a minute."))
            return await is_taken(interaction, card)

        try:
            outcome = await self._orders.confirm(wish, say_asking)
        except (GameError, KioskError) as error:
            card = error_card(error, note(error))
            card.buttons(try_again_button(kind, ref), action_button(way_back, t("Back")))
            await self._show(interaction, card)
            return
        if outcome is None:
            leave_to_others(interaction)
        elif isinstance(outcome, Order):
            self._open_cards.forget(interaction)
            await self._tell_here(interaction, outcome, came_from and beyond(came_from))
        elif outcome.item.has_purchased:
            await self._show(interaction, owned_card(outcome, beyond(way_back)))
            await self._open_cards.refresh(ref.item_id, press.member_id)
        else:
            await self._offer(interaction, outcome, kind, way_back, has_new_price=True)

    async def _tell_here(self, interaction: Interaction, order: Order, way: Way | None) -> None:
        """Tell the outcome in answer to a press, or elsewhere when its 15 minutes are over.

        Whoever pressed may be another member with the same account; the order's own one is then
        told by whoever took it. The card leads back on its `way`, if it came from anywhere.
        """

        def draw(order: Order) -> Card:
            return outcome_card(order, self._orders.clock(), way)

        async def redraw() -> Card:
            return draw(await self._orders.ledger.find(order.id) or order)

        is_own = order.member_id == interaction.user.id
        try:
            await answer(interaction, draw(order))
        except discord.HTTPException as error:
            log.info("order %s can't be told where it was made: %s", order.id, error)
            if is_own:
                await self._tell_elsewhere(order)
            return
        if is_own:
            await self._orders.note_told(order)
        await self._open_cards.refresh(order.item_id, interaction.user.id)
        if order.state is not OrderState.DONE:
            self._open_cards.note(interaction, [order.item_id], redraw)

    async def look_after_orders(self) -> None:
        """Settle and tell what was left behind."""
        async with aclosing(self._orders.settle_due()) as settled:
            async for order in settled:
                await self._tell_elsewhere(order)

    async def _tell_elsewhere(self, order: Order) -> None:
        """Have the outcome told by direct message."""
        await self._orders.note_told(order, by_message=True)
        await self._open_cards.refresh(order.item_id, order.member_id)

    @route(CancelOrder)
    async def on_cancel(self, press: Press[CancelOrder]) -> None:
        """Order nothing."""
        card = notice(t("Nothing was ordered"), t("You were not charged."))
        await self._show(press.interaction, card)

    async def _show(self, interaction: Interaction, card: Card) -> None:
        """Show what is not drawn anew."""
        await answer(interaction, card)
        self._open_cards.forget(interaction)


def _to_item(ref: ItemRef) -> ShowItem:
    return ShowItem.of(ref, ShowScreen(ref.catalog_id, ref.page))
