"""What is confirmed before an order, what came of it, and the list of all."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.orders.outcomes import AlreadyOwned
from bot.features.shop.item_filter import CatalogItem, ItemRef
from bot.features.shop.screens import Address
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card, notice
from cogs.shop.actions import (
    AskPurchase,
    AskRedemption,
    CancelOrder,
    ConfirmPurchase,
    ConfirmRedemption,
    OpenItem,
    ShowOrders,
    ShowScreen,
)
from cogs.shop.views.gallery import alternative_text
from cogs.shop.views.wording import marks, name_of, order_price, outcome, price_of, word

PER_LIST = 8

_COLOURS = {
    OrderState.STARTED: theme.CALM,
    OrderState.DONE: theme.GOOD,
    OrderState.REFUSED: theme.PROBLEM,
    OrderState.UNKNOWN: theme.SHOP,
}
_SIGNS = {
    OrderState.STARTED: "⏳",
    OrderState.DONE: "✅",
    OrderState.REFUSED: "❌",
    OrderState.UNKNOWN: "❔",
}


def confirmation_card(
    entry: CatalogItem,
    kind: OrderKind,
    confirmation: int,
    *,
    has_new_price: bool = False,
    last: Order | None = None,
) -> Card:
    """Ask whether to order; `last` is the last order for the same."""
    item = entry.item
    name = name_of(item.name)
    ref = (entry.catalog_id, entry.page, item.id)
    card = Card(theme.SHOP)
    if kind is OrderKind.PURCHASE:
        title, confirm = t("Buy %(name)s?", name=name), _buy(entry, confirmation)
    else:
        title = t("Redeem %(name)s?", name=name)
        confirm = ActionButton(
            ConfirmRedemption(*ref, confirmation),
            t("Redeem it"),
            style=discord.ButtonStyle.primary,
            emoji="🎁",
        )
    lines = [f"### {title}"]
    if has_new_price:
        lines.append(t("⚠️ **The price has changed.** Nothing was bought; this is the new price."))
    lines += _terms(entry, kind, last)
    if item.icon_url:
        icon: ui.Thumbnail[Any] = ui.Thumbnail(
            item.icon_url, description=alternative_text(item.name)
        )
        card.frame.add_item(ui.Section("\n".join(lines), accessory=icon))
    else:
        card.say("\n".join(lines))
    card.buttons(confirm, ActionButton(CancelOrder(), t("Cancel")))
    return card


def _buy(entry: CatalogItem, confirmation: int) -> ActionButton:
    item = entry.item
    return ActionButton(
        ConfirmPurchase(entry.catalog_id, entry.page, item.id, item.cost, confirmation),
        t("Buy it"),
        style=discord.ButtonStyle.success,
        emoji="🛒",
    )


def _terms(entry: CatalogItem, kind: OrderKind, last: Order | None) -> list[str]:
    item = entry.item
    lines: list[str] = []
    if kind is OrderKind.PURCHASE:
        lines.append(t("It costs **%(price)s**.", price=price_of(item)))
    lines.append("-# " + " · ".join(filter(None, [word(item.item_type.name), marks(item)])))
    if kind is OrderKind.REDEEM:
        lines.append("-# " + t("It has to be at your current park in the game."))
    if last is not None and last.state is OrderState.UNKNOWN:
        when = discord.utils.format_dt(last.created_at, "R")
        lines.append(
            t(
                "⚠️ You tried this %(when)s and the game's answer never came. Look in the game "
                "first: it may have happened.",
                when=when,
            )
        )
    return lines


def asking_card(kind: OrderKind) -> Card:
    """Say that the game is being asked."""
    title = t("Buying…") if kind is OrderKind.PURCHASE else t("Redeeming…")
    return notice(title, t("The game is being asked. This can take up to half a minute."))


def cancelled_card() -> Card:
    """Say that nothing was ordered."""
    return notice(t("Nothing was ordered"), t("You were not charged."))


def owned_card(found: AlreadyOwned) -> Card:
    """Say that there is nothing to buy."""
    entry = found.entry
    return notice(
        t("%(name)s is yours already", name=name_of(entry.item.name)),
        t("The game lists it as bought by you. Nothing was bought now."),
        colour=theme.GOOD,
        buttons=(_look(entry.catalog_id, entry.page, entry.item.id),),
    )


def outcome_card(order: Order) -> Card:
    """Say what an order has come to, and lead on."""
    title, body = outcome(order)
    buttons = [_look(order.catalog_id, order.page, order.item_id)]
    if order.state is OrderState.REFUSED:
        ref = ItemRef(order.catalog_id, order.page, order.item_id)
        buttons.append(try_again_button(order.kind, ref))
    buttons.append(ActionButton(ShowOrders(0), t("Your orders"), emoji="🧾"))
    buttons.append(
        ActionButton(ShowScreen.at(Address(order.catalog_id, order.page)), t("Back to the catalog"))
    )
    return notice(title, body, colour=_COLOURS[order.state], buttons=tuple(buttons))


def try_again_button(kind: OrderKind, ref: ItemRef) -> ActionButton:
    """Lead back to the confirmation."""
    again = AskPurchase if kind is OrderKind.PURCHASE else AskRedemption
    return ActionButton(again(*ref), t("Try again"))


def _look(catalog_id: int, page: int, item_id: int) -> ActionButton:
    return ActionButton(OpenItem(catalog_id, page, item_id), t("See the item"), emoji="🔍")


def orders_card(orders: Sequence[Order], offset: int, *, has_more: bool) -> Card:
    """List orders, newest first."""
    if not orders:
        return notice(
            t("Your orders"), t("You have not ordered anything yet. Start with `/shop browse`.")
        )
    card = Card(theme.SHOP)
    card.say("## " + t("Your orders"))
    for order in orders:
        card.divide()
        card.say(_line(order))
    if not offset and not has_more:
        return card
    card.divide(wide=True)
    card.buttons(
        ActionButton(
            ShowOrders(max(0, offset - PER_LIST)), t("Newer"), emoji="◀️", disabled=not offset
        ),
        ActionButton(ShowOrders(offset + PER_LIST), t("Older"), emoji="▶️", disabled=not has_more),
    )
    return card


def _line(order: Order) -> str:
    head = f"{_SIGNS[order.state]} **{name_of(order.item_name)}** · {_state(order)}"
    asked = discord.utils.format_dt(order.created_at, "f")
    times = t("Ordered %(when)s", when=asked)
    if order.settled_at is not None and order.state in (OrderState.DONE, OrderState.REFUSED):
        settled = discord.utils.format_dt(order.settled_at, "T")
        times += " · " + t("known since %(when)s", when=settled)
    return f"{head}\n-# {times}"


def _state(order: Order) -> str:
    match order.kind, order.state:
        case OrderKind.PURCHASE, OrderState.DONE:
            return t("bought for %(price)s", price=order_price(order))
        case OrderKind.PURCHASE, OrderState.REFUSED:
            return t("not bought, %(price)s kept", price=order_price(order))
        case OrderKind.REDEEM, OrderState.DONE:
            return t("redeemed")
        case OrderKind.REDEEM, OrderState.REFUSED:
            return t("not redeemed")
        case _, OrderState.STARTED:
            return t("under way")
        case _:
            return t("outcome unknown")
