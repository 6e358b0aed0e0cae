"""What is confirmed before an order, what came of it, and the list of all."""

from collections.abc import Sequence

import discord

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.shop.item_filter import CatalogItem, ItemRef
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card, notice
from cogs.shop.actions import (
    ASK,
    CancelOrder,
    ConfirmPurchase,
    ConfirmRedemption,
    OpenItem,
    ShowOrders,
    ShowScreen,
)
from cogs.shop.views.gallery import beside
from cogs.shop.views.wording import marks, name_of, outcome, price_of, word

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
    last: Order | None = None,
) -> Card:
    """Ask whether to order; `last` is the last order for the same."""
    item, name = entry.item, name_of(entry.item.name)
    facts = "-# " + " · ".join(filter(None, [word(item.item_type.name), marks(item)]))
    if kind is OrderKind.PURCHASE:
        lines = [f"### {t('Buy %(name)s?', name=name)}"]
        if has_new_price:
            lines.append(
                t("⚠️ **The price has changed.** Nothing was bought; this is the new price.")
            )
        lines += [t("It costs **%(price)s**.", price=price_of(item)), facts]
        confirm = ActionButton(
            ConfirmPurchase(*entry.ref, item.cost, confirmation),
            t("Buy it"),
            style=discord.ButtonStyle.success,
            emoji="🛒",
        )
    else:
        lines = [f"### {t('Redeem %(name)s?', name=name)}", facts]
        lines.append("-# " + t("It has to be at your current park in the game."))
        confirm = ActionButton(
            ConfirmRedemption(*entry.ref, confirmation),
            t("Redeem it"),
            style=discord.ButtonStyle.primary,
            emoji="🎁",
        )
    if last is not None and last.state is OrderState.UNKNOWN:
        lines.append(_warning(last))
    card = Card(theme.SHOP)
    card.frame.add_item(beside("\n".join(lines), item.icon_url, item.name))
    card.buttons(confirm, ActionButton(CancelOrder(), t("Cancel")))
    return card


def _warning(last: Order) -> str:
    return t(
        "⚠️ You tried this %(when)s and the game's answer never came. Look in the game first: it "
        "may have happened.",
        when=discord.utils.format_dt(last.created_at, "R"),
    )


def asking_card(kind: OrderKind) -> Card:
    """Say that the game is being asked."""
    title = t("Buying…") if kind is OrderKind.PURCHASE else t("Redeeming…")
    return notice(title, t("The game is being asked. This can take up to half a minute."))


def cancelled_card() -> Card:
    """Say that nothing was ordered."""
    return notice(t("Nothing was ordered"), t("You were not charged."))


def owned_card(entry: CatalogItem) -> Card:
    """Say that there is nothing to buy."""
    return notice(
        t("%(name)s is yours already", name=name_of(entry.item.name)),
        t("The game lists it as bought by you. Nothing was bought now."),
        colour=theme.GOOD,
        buttons=(ActionButton(OpenItem(*entry.ref), t("See the item"), emoji="🔍"),),
    )


def outcome_card(order: Order) -> Card:
    """Say what an order has come to, and lead on."""
    title, body, _ = outcome(order)
    ref = ItemRef(order.catalog_id, order.page, order.item_id)
    buttons = [ActionButton(OpenItem(*ref), t("See the item"), emoji="🔍")]
    if order.state is OrderState.REFUSED:
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
    newer, older = ShowOrders(max(0, offset - PER_LIST)), ShowOrders(offset + PER_LIST)
    card.divide(wide=True)
    card.buttons(
        ActionButton(newer, t("Newer"), emoji="◀️", disabled=not offset),
        ActionButton(older, t("Older"), emoji="▶️", disabled=not has_more),
    )
    return card


def _line(order: Order) -> str:
    _, _, came_to = outcome(order)
    sign, _ = _LOOKS[order.state]
    asked = discord.utils.format_dt(order.created_at, "f")
    times = t("Ordered %(when)s", when=asked)
    if order.settled_at is not None and order.state in (OrderState.DONE, OrderState.REFUSED):
        settled = discord.utils.format_dt(order.settled_at, "T")
        times += " · " + t("known since %(when)s", when=settled)
    return f"{sign} **{name_of(order.item_name)}** · {came_to}\n-# {times}"
