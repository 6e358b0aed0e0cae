"""An item's card: its pictures, every fact, and what can be done with it."""

from collections.abc import Mapping
from datetime import datetime

import discord

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.names import Place
from bot.features.orders.rules import is_disputed, may_insist
from bot.features.shop.item_filter import CatalogItem
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Card
from bot.ui.items import catalog_title, order_buttons, say_facts
from bot.ui.sent_cards import Sharer, finish_shared
from bot.ui.shared_actions import OpenItem
from cogs.shop.actions import ShareItem, Way
from cogs.shop.views.wording import disputed, doubt


def item_card(
    entry: CatalogItem,
    catalog: Place,
    way: Way,
    orders: Mapping[OrderKind, Order | None],
    now: datetime,
) -> Card:
    """Show an item to one member, who came this way.

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
        *order_buttons(entry.item, entry.ref, disabled),
        action_button(ShareItem(*entry.ref), t("Share"), emoji="📣"),
        action_button(way, t("Back")),
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
        *order_buttons(entry.item, entry.ref),
        action_button(OpenItem(*entry.ref), t("Open"), emoji="🔍"),
    )


def _facts(entry: CatalogItem, catalog: Place, *, personal: bool) -> Card:
    card = Card(theme.SHOP)
    title = catalog_title(catalog.game_id, catalog.name)
    say_facts(card, entry.item, title, personal=personal)
    return card


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
