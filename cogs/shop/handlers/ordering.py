"""Buying and redeeming: ask, confirm, and say what came of it."""

from contextlib import suppress

import discord

from bot.domain.orders import Order, OrderKind
from bot.errors import KioskError
from bot.features.orders.rules import Wish
from bot.features.shop.item_filter import CatalogItem
from bot.game.errors import GameError
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.error_cards import error_card, note
from bot.ui.open_cards import OpenCards
from bot.ui.router import Press, route
from cogs.shop.actions import (
    AskPurchase,
    AskRedemption,
    CancelOrder,
    ConfirmPurchase,
    ConfirmRedemption,
    ShowOrders,
)
from cogs.shop.notifier import Notifier
from cogs.shop.views.orders import (
    PER_LIST,
    asking_card,
    cancelled_card,
    confirmation_card,
    orders_card,
    outcome_card,
    owned_card,
    try_again_button,
)


class OrderHandlers:
    """Takes orders."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards, notifier: Notifier) -> None:
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._open_cards = open_cards
        self._notifier = notifier

    async def ask(self, interaction: Interaction, entry: CatalogItem, kind: OrderKind) -> None:
        """Show what would be ordered, to be confirmed; or that it can't be."""
        self._open_cards.forget(interaction)
        last = await self._orders.ledger.find_latest(interaction.user.id, entry.item.id, kind)
        if kind is OrderKind.PURCHASE and entry.item.has_purchased:
            card = owned_card(entry)
        elif last is not None and last.is_open:
            card = outcome_card(last)
        else:
            card = confirmation_card(entry, kind, interaction.id, last=last)
        await answer(interaction, card)

    async def show_orders(self, interaction: Interaction, offset: int) -> None:
        """List the member's orders."""
        found = await self._orders.ledger.history(
            interaction.user.id, most=PER_LIST + 1, offset=offset
        )
        card = orders_card(found[:PER_LIST], offset, has_more=len(found) > PER_LIST)
        await answer(interaction, card)

    @route(AskPurchase, AskRedemption)
    async def on_ask(self, press: Press[AskPurchase | AskRedemption]) -> None:
        """Ask from a button."""
        entry = await self._shop.item(press.member_id, press.action.ref)
        await self.ask(press.interaction, entry, press.action.order_kind)

    @route(ConfirmPurchase, ConfirmRedemption)
    async def on_confirm(self, press: Press[ConfirmPurchase | ConfirmRedemption]) -> None:
        """Order what the card showed."""
        interaction, action = press.interaction, press.action
        wish = Wish(
            press.member_id,
            action.order_kind,
            action.ref,
            action.cost,
            action.confirmation,
            locale=str(interaction.locale),
        )
        with suppress(discord.HTTPException):
            # It was confirmed all the same; the outcome finds its way without this card.
            await answer(interaction, asking_card(wish.kind))
        try:
            outcome = await self._orders.confirm(wish)
        except (GameError, KioskError) as error:
            card = error_card(error, note(error))
            card.buttons(try_again_button(wish.kind, wish.ref))
            await answer(interaction, card)
            return
        if isinstance(outcome, Order):
            await self._notifier.answer(interaction, outcome)
        elif outcome.item.has_purchased:
            await answer(interaction, owned_card(outcome))
            await self._open_cards.refresh(wish.member_id, wish.ref.item_id)
        else:
            card = confirmation_card(outcome, wish.kind, interaction.id, has_new_price=True)
            await answer(interaction, card)

    @route(CancelOrder)
    async def on_cancel(self, press: Press[CancelOrder]) -> None:
        """Order nothing."""
        await answer(press.interaction, cancelled_card())

    @route(ShowOrders)
    async def on_orders(self, press: Press[ShowOrders]) -> None:
        """Walk through the list of orders."""
        await self.show_orders(press.interaction, press.action.offset)
