"""An item's card: its pictures, every fact, and what can be done with it."""

from collections.abc import Mapping, Set
from datetime import datetime

import discord
from discord import ui

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.names import Place
from bot.features.orders.rules import is_disputed, may_insist
from bot.features.shop.item_filter import CatalogItem
from bot.features.shop.screens import Address
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card
from bot.ui.sharing import Sharer, finish_shared
from cogs.shop.actions import AskPurchase, AskRedemption, OpenItem, ShareItem, ShowScreen
from cogs.shop.views.gallery import alternative_text, beside, catalog_title
from cogs.shop.views.wording import (
    disputed,
    doubt,
    marks,
    name_of,
    price_of,
    word,
)


def item_card(
    entry: CatalogItem,
    catalog: Place,
    back: Address,
    orders: Mapping[OrderKind, Order | None],
    now: datetime,
) -> Card:
    """Show an item to one member; `back` is the screen before.

    `orders` are those that stand in the way of others.
    """
    card = _facts(entry, catalog, personal=True)
    obstacles = {kind: _obstacle(entry, kind, orders.get(kind), now) for kind in OrderKind}
    disabled = {
        kind
        for kind in OrderKind
        if obstacles[kind] and not ((order := orders.get(kind)) and may_insist(order, now, entry))
    }
    card.buttons(
        *_order_buttons(entry, disabled),
        ActionButton(ShareItem(*entry.ref), t("Share"), emoji="📣"),
        ActionButton(ShowScreen.at(back), t("Back"), emoji="↩️"),
    )
    reasons = [f"-# {reason}" for reason in obstacles.values() if reason]
    if not obstacles[OrderKind.REDEEM]:
        reasons.append("-# " + t("Redeeming works for items at your current park in the game."))
    card.say("\n".join(reasons))
    return card


def shared_card(entry: CatalogItem, catalog: Place, sharer: Sharer) -> Card:
    """Show an item to a whole channel; whoever presses a button acts as themselves."""
    return finish_shared(
        _facts(entry, catalog, personal=False),
        sharer,
        *_order_buttons(entry, frozenset()),
        ActionButton(OpenItem(*entry.ref), t("Open"), emoji="🔍"),
    )


def _facts(entry: CatalogItem, catalog: Place, *, personal: bool) -> Card:
    item = entry.item
    card = Card(theme.SHOP)
    kind = t("Type: %(type)s", type=word(item.item_type.name))
    head = filter(None, [f"## {name_of(item.name)}", kind, marks(item, personal=personal)])
    card.frame.add_item(beside("\n".join(head), item.item_type.image_url, item.item_type.name))
    pictures = [
        discord.MediaGalleryItem(url, description=alternative_text(description))
        for url, description in (
            (item.icon_url, t("%(name)s: how it looks", name=item.name)),
            (item.paper_url, t("%(name)s on paper", name=item.name)),
            (item.no_eye_url, t("%(name)s without eyes", name=item.name)),
        )
        if url is not None
    ]
    if pictures:
        card.frame.add_item(ui.MediaGallery(*pictures))
    number = t("Number %(number)s in %(catalog)s", number=item.id, catalog=catalog_title(catalog))
    price = f"### {price_of(item)}\n{number}"
    card.frame.add_item(beside(price, item.currency.icon_url, item.currency.name))
    return card


def _order_buttons(entry: CatalogItem, disabled: Set[OrderKind]) -> list[ActionButton]:
    buy = ActionButton(
        AskPurchase(*entry.ref), t("Buy"), style=discord.ButtonStyle.success, emoji="🛒"
    )
    redeem = ActionButton(
        AskRedemption(*entry.ref), t("Redeem"), style=discord.ButtonStyle.primary, emoji="🎁"
    )
    buy.disabled = OrderKind.PURCHASE in disabled
    redeem.disabled = OrderKind.REDEEM in disabled
    return [buy, redeem]


def _obstacle(entry: CatalogItem, kind: OrderKind, order: Order | None, now: datetime) -> str:
    """Return what stands against ordering, or nothing."""
    is_purchase = kind is OrderKind.PURCHASE
    if is_purchase and entry.item.has_purchased:
        if entry.is_disowned and order is not None and is_disputed(order, now):
            return disputed(order)
        return t("You own it, so there is nothing left to buy.")
    if order is None:
        return ""
    if order.state is OrderState.DONE:
        when = discord.utils.format_dt(order.settled_at or order.created_at, "R")
        return t("You redeemed it %(when)s.", when=when)
    if order.state is not OrderState.STARTED:
        return doubt(order, now)
    if is_purchase:
        return t("You are buying it already: see `/shop orders`.")
    return t("You are redeeming it already: see `/shop orders`.")
