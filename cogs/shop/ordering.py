"""Buying and redeeming: ask, confirm, and say what came of it."""

from bot.domain.names import ItemRef
from bot.domain.orders import Order, OrderKind
from bot.errors import AccountError, KioskError, OldButton
from bot.features.orders.rules import Wish, may_insist
from bot.features.shop.item_filter import CatalogItem
from bot.game.errors import GameError
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.actions import action_button
from bot.ui.answers import Interaction, answer, is_taken, leave_to_others
from bot.ui.cards import Card
from bot.ui.error_cards import error_card, note
from bot.ui.router import Press, route
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import AskPurchase, AskRedemption
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
from cogs.shop.news import Notifier
from cogs.shop.views.orders import (
    asking_card,
    cancelled_card,
    confirmation_card,
    outcome_card,
    owned_card,
    ref_of,
    try_again_button,
)


class OrderHandlers:
    """Takes orders."""

    def __init__(
        self, bot: Kiosk, open_cards: OpenCards, notifier: Notifier, browsing: BrowsingHandlers
    ) -> None:
        self._browsing = browsing
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._open_cards = open_cards
        self._notifier = notifier

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

    @route(ShowOrdered, AskAgain)
    async def on_receipt(self, press: Press[ShowOrdered | AskAgain]) -> None:
        """Open what an earlier order was for, or ask for it again."""
        order = await self._orders.ledger.find(press.action.order_id)
        if order is None or order.member_id != press.member_id:
            raise OldButton
        entry = await self._shop.item(press.member_id, ref_of(order))
        came_from = ShowOrders(press.action.offset)
        if isinstance(press.action, ShowOrdered):
            await self._browsing.show_item(press.interaction, entry, came_from)
            return
        despite = order.id if may_insist(order, self._orders.clock()) else 0
        await self.ask(press.interaction, entry, order.kind, came_from=came_from, despite=despite)

    @route(AskAnyway)
    async def on_ask_anyway(self, press: Press[AskAnyway]) -> None:
        """Ask in spite of an order that is in doubt."""
        order = await self._orders.of_member(press.member_id, press.action.order_id)
        entry = await self._shop.item(press.member_id, ref_of(order))
        way = way_on(press.interaction.message)
        await self.ask(press.interaction, entry, order.kind, came_from=way, despite=order.id)

    async def ask(
        self,
        interaction: Interaction,
        entry: CatalogItem,
        kind: OrderKind,
        *,
        came_from: ShowItem | Way | None = None,
        despite: int = 0,
    ) -> None:
        """Show what would be ordered, `despite` an order, to be confirmed; or that it can't be.

        Cancelling leads to where one `came_from`, or to the item.
        """
        member_id = interaction.user.id
        way_back = came_from or _to_item(entry.ref)
        way = beyond(way_back)
        obstacle = await self._obstacle(member_id, entry, kind, way, despite)
        if obstacle is not None:
            await self._show(interaction, obstacle)
        else:
            await self._offer(interaction, entry, kind, way_back, despite)

    async def _offer(
        self,
        interaction: Interaction,
        entry: CatalogItem,
        kind: OrderKind,
        way_back: ShowItem | Way,
        despite: int,
        *,
        has_new_price: bool = False,
    ) -> None:
        """Ask for a confirmation, on a card that follows what comes to stand against it."""
        member_id = interaction.user.id

        async def redraw() -> Card | None:
            standing = await self._orders.standing(
                member_id, entry.item.id, kind, card=interaction.id, despite=despite
            )
            if standing is not None and standing.confirmation == interaction.id:
                # Confirmed: the card shows its own order by now.
                return None
            again = await self._shop.item(member_id, entry.ref)
            return await self._obstacle(member_id, again, kind, beyond(way_back), despite)

        card = confirmation_card(
            entry, kind, interaction.id, way_back, has_new_price=has_new_price, despite=despite
        )
        await answer(interaction, card)
        self._open_cards.note(interaction, [entry.item.id], redraw)

    async def _obstacle(
        self, member_id: int, entry: CatalogItem, kind: OrderKind, way: Way, despite: int
    ) -> Card | None:
        """Return the card that says what stands against an order."""
        now = self._orders.clock()
        standing = await self._orders.standing(member_id, entry.item.id, kind, despite=despite)
        is_owned = kind is OrderKind.PURCHASE and entry.item.has_purchased
        if is_owned and not (entry.is_disowned and despite):
            is_denied = standing and may_insist(standing, now, entry)
            return owned_card(entry, way, standing if is_denied else None)
        return standing and outcome_card(standing, now, way)

    @route(ConfirmPurchase, ConfirmRedemption, ConfirmAnyway, keeps=True)
    async def on_confirm(
        self, press: Press[ConfirmPurchase | ConfirmRedemption | ConfirmAnyway]
    ) -> None:
        """Order what the card showed, perhaps in spite of an order that is in doubt."""
        action, despite, interaction = press.action, 0, press.interaction
        if isinstance(action, ConfirmAnyway):
            try:
                order = await self._orders.of_member(press.member_id, action.order_id)
            except AccountError as error:
                # Linking leads nowhere from here: what was confirmed may be another account's.
                await self._show(interaction, error_card(error, note(error)))
                return
            kind, ref, despite = order.kind, ref_of(order), order.id
        else:
            kind, ref = action.order_kind, action.ref
        wish = Wish(
            *(press.member_id, kind, ref, action.cost, action.confirmation),
            *(str(interaction.locale), despite, action.currency),
        )
        await self._confirm(interaction, wish)

    async def _confirm(self, interaction: Interaction, wish: Wish) -> None:
        async def say_asking() -> bool:
            return await is_taken(interaction, asking_card(wish.kind))

        came_from = way_on(interaction.message)
        way_back = came_from or _to_item(wish.ref)
        try:
            outcome = await self._orders.confirm(wish, say_asking)
        except (GameError, KioskError) as error:
            card = error_card(error, note(error))
            again = try_again_button(wish.kind, wish.ref)
            card.buttons(again, action_button(way_back, t("Back")))
            await self._show(interaction, card)
            return
        if outcome is None:
            leave_to_others(interaction)
        elif isinstance(outcome, Order):
            self._open_cards.forget(interaction)
            await self._notifier.answer(interaction, outcome, came_from and beyond(came_from))
        elif outcome.item.has_purchased:
            await self._show(interaction, owned_card(outcome, beyond(way_back)))
            await self._open_cards.refresh(wish.ref.item_id, wish.member_id)
        else:
            await self._offer(
                interaction, outcome, wish.kind, way_back, wish.despite, has_new_price=True
            )

    @route(CancelOrder)
    async def on_cancel(self, press: Press[CancelOrder]) -> None:
        """Order nothing."""
        await self._show(press.interaction, cancelled_card())

    async def _show(self, interaction: Interaction, card: Card) -> None:
        """Show what is not drawn anew."""
        await answer(interaction, card)
        self._open_cards.forget(interaction)


def _to_item(ref: ItemRef) -> ShowItem:
    return ShowItem.of(ref, ShowScreen(ref.catalog_id, ref.page))
