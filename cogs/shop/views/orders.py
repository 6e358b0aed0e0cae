"""What is confirmed before an order, what came of it, and the list of all."""

from collections.abc import Sequence
from datetime import datetime

import discord

from bot.domain.items import ItemRef
from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.orders.rules import may_insist
from bot.features.shop.item_filter import CatalogItem
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card, notice
from bot.ui.items import beside, marks, name_of, price_of, word
from bot.ui.shared_actions import ASK, OpenItem
from cogs.shop.actions import (
    AskAnyway,
    CancelOrder,
    ConfirmAnyway,
    ConfirmPurchase,
    ConfirmRedemption,
    ShowOrders,
    ShowScreen,
)
from cogs.shop.views.wording import disputed, outcome

PER_LIST = 8

_LOOKS = {
    OrderState.STARTED: ("⏳", theme.CALM),
    OrderState.DONE: ("✅", theme.GOOD),
    OrderState.REFUSED: ("❌", theme.PROBLEM),
    OrderState.UNKNOWN: ("❔", theme.SHOP),
}


def confirmation_card(
    entry: CatalogItem,
    kind: OrderKind,
    confirmation: int,
    *,
    has_new_price: bool = False,
    despite: int = 0,
) -> Card:
    """Ask whether to order, `despite` the order of that id."""
    item, name = entry.item, name_of(entry.item.name)
    facts = "-# " + " · ".join(filter(None, [word(item.item_type.name), marks(item)]))
    if kind is OrderKind.PURCHASE:
        lines = [f"### {t('Buy %(name)s?', name=name)}"]
        if has_new_price:
            lines.append(
                t("⚠️ **The price has changed.** Nothing was bought; this is the new price.")
            )
        lines += [t("It costs **%(price)s**.", price=price_of(item)), facts]
        action = ConfirmPurchase(*entry.ref, item.cost, confirmation)
        confirm = ActionButton(
            ConfirmAnyway(despite, item.cost, confirmation) if despite else action,
            t("Buy it"),
            style=discord.ButtonStyle.success,
            emoji="🛒",
        )
    else:
        lines = [f"### {t('Redeem %(name)s?', name=name)}", facts]
        lines.append("-# " + t("It has to be at your current park in the game."))
        action = ConfirmRedemption(*entry.ref, confirmation)
        confirm = ActionButton(
            ConfirmAnyway(despite, 0, confirmation) if despite else action,
            t("Redeem it"),
            style=discord.ButtonStyle.primary,
            emoji="🎁",
        )
    if despite:
        lines.append(t("⚠️ This may be the second time: you may pay twice."))
    card = Card(theme.SHOP)
    card.frame.add_item(beside("\n".join(lines), item.icon_url, item.name))
    card.buttons(confirm, ActionButton(CancelOrder(), t("Cancel")))
    return card


def asking_card(kind: OrderKind) -> Card:
    """Say that the game is being asked."""
    title = t("Buying…") if kind is OrderKind.PURCHASE else t("Redeeming…")
    return notice(title, t("The game is being asked. This can take up to half a minute."))


def cancelled_card() -> Card:
    """Say that nothing was ordered."""
    return notice(t("Nothing was ordered"), t("You were not charged."))


def owned_card(entry: CatalogItem) -> Card:
    """Say that there is nothing to buy."""
    listed = t("The game lists it as bought by you. Nothing was bought now.")
    if entry.is_disowned:
        listed = t(
            "It was bought here, though the game doesn't list it yet. Nothing was bought now."
        )
    return notice(
        t("%(name)s is yours already", name=name_of(entry.item.name)),
        listed,
        colour=theme.GOOD,
        buttons=(ActionButton(OpenItem(*entry.ref), t("See the item"), emoji="🔍"),),
    )


def disputed_card(entry: CatalogItem, order: Order) -> Card:
    """Say that the game denies what was bought, and offer to buy it once more."""
    return notice(
        t("%(name)s is yours already", name=name_of(entry.item.name)),
        disputed(order),
        buttons=(
            ActionButton(OpenItem(*entry.ref), t("See the item"), emoji="🔍"),
            _anyway_button(order),
        ),
    )


def outcome_card(order: Order, now: datetime) -> Card:
    """Say what an order has come to, and lead on."""
    title, body, _ = outcome(order, now)
    ref = ItemRef(order.catalog_id, order.page, order.item_id)
    buttons = [ActionButton(OpenItem(*ref), t("See the item"), emoji="🔍")]
    if may_insist(order, now):
        buttons.append(_anyway_button(order))
    elif order.state is OrderState.REFUSED:
        buttons.append(try_again_button(order.kind, ref))
    buttons += [
        ActionButton(ShowOrders(0), t("Your orders"), emoji="🧾"),
        ActionButton(ShowScreen(order.catalog_id, order.page), t("Back to the catalog")),
    ]
    _, colour = _LOOKS[order.state]
    return notice(title, body, colour=colour, buttons=tuple(buttons))


def try_again_button(kind: OrderKind, ref: ItemRef) -> ActionButton:
    """Lead back to the confirmation."""
    return ActionButton(ASK[kind](*ref), t("Try again"))


def _anyway_button(order: Order) -> ActionButton:
    is_purchase = order.kind is OrderKind.PURCHASE
    label = t("Buy anyway…") if is_purchase else t("Redeem anyway…")
    return ActionButton(AskAnyway(order.id), label, emoji="⚠️")


def orders_card(orders: Sequence[Order], offset: int, now: datetime, *, has_more: bool) -> Card:
    """List orders, newest first."""
    if not orders:
        return notice(
            t("Your orders"), t("You have not ordered anything yet. Start with `/shop browse`.")
        )
    card = Card(theme.SHOP)
    card.say("## " + t("Your orders"))
    for order in orders:
        card.divide()
        card.say(_line(order, now))
    if not offset and not has_more:
        return card
    newer, older = ShowOrders(max(0, offset - PER_LIST)), ShowOrders(offset + PER_LIST)
    card.divide(wide=True)
    card.buttons(
        ActionButton(newer, t("Newer"), emoji="◀️", disabled=not offset),
        ActionButton(older, t("Older"), emoji="▶️", disabled=not has_more),
    )
    return card


def _line(order: Order, now: datetime) -> str:
    _, _, came_to = outcome(order, now)
    sign, _ = _LOOKS[order.state]
    asked = discord.utils.format_dt(order.created_at, "f")
    times = t("Ordered %(when)s", when=asked)
    if order.settled_at is not None and order.state in (OrderState.DONE, OrderState.REFUSED):
        settled = discord.utils.format_dt(order.settled_at, "T")
        times += " · " + t("known since %(when)s", when=settled)
    return f"{sign} **{name_of(order.item_name)}** · {came_to}\n-# {times}"
