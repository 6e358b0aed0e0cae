"""An item's card: its pictures, every fact, and what can be done with it."""

import discord
from discord import ui

from bot.domain.orders import Order, OrderKind, OrderState
from bot.features.names import Place
from bot.features.shop.item_filter import CatalogItem
from bot.features.shop.screens import Address
from bot.game.models import Item
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card
from cogs.shop.actions import AskPurchase, AskRedemption, OpenItem, ShareItem, ShowScreen
from cogs.shop.views.gallery import alternative_text, beside, catalog_title
from cogs.shop.views.wording import marks, name_of, price_of, word


def item_card(
    entry: CatalogItem, catalog: Place, back: Address, orders: dict[OrderKind, Order | None]
) -> Card:
    """Show an item to one member; `orders` are their last ones for it, `back` the screen before."""
    item = entry.item
    card = _facts(entry, catalog, personal=True)
    obstacles = {kind: _obstacle(item, kind, orders.get(kind)) for kind in OrderKind}
    card.buttons(
        *_order_buttons(entry, obstacles),
        ActionButton(ShareItem(*entry.ref), t("Share"), emoji="📣"),
        ActionButton(ShowScreen.at(back), t("Back"), emoji="↩️"),
    )
    reasons = [f"-# {reason}" for reason in obstacles.values() if reason]
    if not obstacles[OrderKind.REDEEM]:
        reasons.append("-# " + t("Redeeming works for items at your current park in the game."))
    card.say("\n".join(reasons))
    return card


def shared_card(entry: CatalogItem, catalog: Place, sharer: str) -> Card:
    """Show an item to a whole channel; whoever presses a button acts as themselves."""
    card = _facts(entry, catalog, personal=False)
    card.buttons(
        *_order_buttons(entry, {}),
        ActionButton(OpenItem(*entry.ref), t("Look closer"), emoji="🔍"),
    )
    card.say("-# " + t("Shared by %(member)s. Buttons act as you, privately.", member=sharer))
    return card


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


def _order_buttons(entry: CatalogItem, obstacles: dict[OrderKind, str]) -> list[ActionButton]:
    buy = ActionButton(
        AskPurchase(*entry.ref), t("Buy"), style=discord.ButtonStyle.success, emoji="🛒"
    )
    redeem = ActionButton(
        AskRedemption(*entry.ref), t("Redeem"), style=discord.ButtonStyle.primary, emoji="🎁"
    )
    buy.disabled = bool(obstacles.get(OrderKind.PURCHASE))
    redeem.disabled = bool(obstacles.get(OrderKind.REDEEM))
    return [buy, redeem]


def _obstacle(item: Item, kind: OrderKind, order: Order | None) -> str:
    """Return what stands against ordering, or nothing."""
    is_open = order is not None and order.is_open
    if kind is OrderKind.PURCHASE:
        if item.has_purchased:
            return t("You own it, so there is nothing left to buy.")
        return t("You are buying it already: see `/shop orders`.") if is_open else ""
    if is_open:
        return t("You are redeeming it already: see `/shop orders`.")
    if order is not None and order.state is OrderState.DONE:
        when = discord.utils.format_dt(order.settled_at or order.created_at, "R")
        return t("You redeemed it %(when)s.", when=when)
    return ""
