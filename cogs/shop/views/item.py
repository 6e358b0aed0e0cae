"""An item's card: its pictures, every fact, and what can be done with it."""

from collections.abc import Mapping

from bot.features.names import Place
from bot.features.shop.item_filter import CatalogItem
from bot.features.writing.rules import is_open
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Card
from bot.ui.items import catalog_title, order_buttons, say_facts
from bot.ui.sent_cards import Sharer, finish_shared
from bot.ui.shared_actions import OpenItem
from cogs.shop.actions import ShareItem, Way
from cogs.shop.views.wording import outcome, redeemed
from storage.writes import ORDERS, Write, WriteKind, WriteState


def item_card(
    entry: CatalogItem,
    catalog: Place,
    way: Way,
    orders: Mapping[WriteKind, Write | None],
) -> Card:
    """Show an item to one member, who came this way.

    `orders` are those that stand in the way of a purchase, and the last redemption.
    """
    card = _facts(entry, catalog, personal=True)
    reasons = {kind: _reason(entry, kind, orders.get(kind)) for kind in ORDERS}
    redemption = orders.get(WriteKind.REDEEM)
    disabled = {WriteKind.PURCHASE} if reasons[WriteKind.PURCHASE] else set[WriteKind]()
    if redemption and is_open(redemption):
        disabled.add(WriteKind.REDEEM)
    card.buttons(
        *order_buttons(entry.item, entry.ref, disabled),
        action_button(ShareItem(*entry.ref), t("Share"), emoji="📣"),
        action_button(way, t("Back")),
    )
    lines = [f"-# {reason}" for reason in reasons.values() if reason]
    if not reasons[WriteKind.REDEEM]:
        lines.append("-# " + t("Redeeming works for items at your current park in the game."))
    card.say("\n".join(lines))
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


def _reason(entry: CatalogItem, kind: WriteKind, order: Write | None) -> str:
    """Return what stands against buying, or is to be known before redeeming; or nothing."""
    is_purchase = kind is WriteKind.PURCHASE
    if is_purchase and entry.item.has_purchased:
        return t("You own it, so there is nothing left to buy.")
    is_done = order is not None and order.state is WriteState.DONE
    if order is None or (is_purchase and is_done):
        # What was bought with another account says nothing of this one's.
        return ""
    if order.state not in (WriteState.KEPT, WriteState.SENT):
        return outcome(order).state if is_purchase else redeemed(order)
    if is_purchase:
        return t("You are buying it already: see `/shop orders`.")
    return t("You are redeeming it already: see `/shop orders`.")
