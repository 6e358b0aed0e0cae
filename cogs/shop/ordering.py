"""Buying and redeeming: ask, confirm, and say what came of it."""

from contextlib import suppress

import discord

from bot.app import Kiosk
from bot.errors import KioskError
from bot.features.checkout import AlreadyOwned, Ordered, OrderKind, PriceChanged, Wish
from bot.features.shop.item_filter import CatalogItem
from bot.game.errors import GameError
from bot.ui.actions import Given, Interaction
from bot.ui.open_cards import OpenCards
from bot.ui.replies import error_card, note
from bot.ui.respond import show, turn
from cogs.shop.actions import (
    AskPurchase,
    AskRedemption,
    CancelOrder,
    ConfirmPurchase,
    ConfirmRedemption,
    ShowOrders,
)
from cogs.shop.order_cards import (
    PER_LIST,
    asking_card,
    cancelled_card,
    confirmation_card,
    orders_card,
    outcome_card,
    owned_card,
    try_again_button,
)
from cogs.shop.telling import Teller


class Ordering:
    """Takes orders."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards, teller: Teller) -> None:
        self._shop = bot.features.shop
        self._checkout = bot.features.checkout
        self._open_cards = open_cards
        self._teller = teller
        bot.router.handle(AskPurchase, self.on_ask)
        bot.router.handle(AskRedemption, self.on_ask)
        bot.router.handle(ConfirmPurchase, self.on_confirm)
        bot.router.handle(ConfirmRedemption, self.on_confirm)
        bot.router.handle(CancelOrder, self.on_cancel)
        bot.router.handle(ShowOrders, self.on_orders)

    async def ask(self, interaction: Interaction, shelved: CatalogItem, kind: OrderKind) -> None:
        """Show what would be ordered, to be confirmed; or that it can't be."""
        self._open_cards.forget(interaction)
        last = await self._checkout.find_latest(interaction.user.id, shelved.item.id, kind)
        if kind is OrderKind.PURCHASE and shelved.item.has_purchased:
            card = owned_card(AlreadyOwned(shelved))
        elif last is not None and last.is_open:
            card = outcome_card(last)
        else:
            card = confirmation_card(shelved, kind, interaction.id, last=last)
        await show(interaction, card)

    async def show_orders(self, interaction: Interaction, offset: int) -> None:
        """List the member's orders."""
        found = await self._checkout.history(interaction.user.id, most=PER_LIST + 1, offset=offset)
        card = orders_card(found[:PER_LIST], offset, has_more=len(found) > PER_LIST)
        await show(interaction, card)

    async def on_ask(
        self, interaction: Interaction, action: AskPurchase | AskRedemption, _given: Given
    ) -> None:
        """Ask from a button."""
        await turn(interaction)
        kind = OrderKind.PURCHASE if isinstance(action, AskPurchase) else OrderKind.REDEEM
        shelved = await self._shop.catalogs.find_again(interaction.user.id, action.place)
        await self.ask(interaction, shelved, kind)

    async def on_confirm(
        self,
        interaction: Interaction,
        action: ConfirmPurchase | ConfirmRedemption,
        _given: Given,
    ) -> None:
        """Order what the card showed."""
        is_purchase = isinstance(action, ConfirmPurchase)
        wish = Wish(
            member_id=interaction.user.id,
            kind=OrderKind.PURCHASE if is_purchase else OrderKind.REDEEM,
            place=action.place,
            cost=action.cost if is_purchase else None,
            confirmation=action.confirmation,
            locale=str(interaction.locale),
        )
        await turn(interaction)
        with suppress(discord.HTTPException):
            # It was confirmed all the same; the outcome finds its way without this card.
            await show(interaction, asking_card(wish.kind))
        try:
            outcome = await self._checkout.confirm(wish)
        except (GameError, KioskError) as error:
            card = error_card(error, note(error))
            card.buttons(try_again_button(wish.kind, wish.place))
            await show(interaction, card)
            return
        match outcome:
            case Ordered(order):
                await self._teller.answer(interaction, order)
            case PriceChanged(shelved):
                card = confirmation_card(shelved, wish.kind, interaction.id, has_new_price=True)
                await show(interaction, card)
            case AlreadyOwned():
                await show(interaction, owned_card(outcome))
                await self._open_cards.refresh(wish.member_id, wish.place.item_id)

    async def on_cancel(
        self, interaction: Interaction, _action: CancelOrder, _given: Given
    ) -> None:
        """Order nothing."""
        await show(interaction, cancelled_card())

    async def on_orders(self, interaction: Interaction, action: ShowOrders, _given: Given) -> None:
        """Walk through the list of orders."""
        await turn(interaction)
        await self.show_orders(interaction, action.offset)
